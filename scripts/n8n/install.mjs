/** n8n at the version that the workflow file is tried with, and the Node that it asks for. */
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cached, run } from '../cached.mjs';

export const n8nVersion = '2.40.7';
const nodeVersion = '24.21.0';
const nodeNeeded = 24;
const minuteMs = 60_000;

const quiet = ['--no-audit', '--no-fund', '--silent'];
const [major] = process.versions.node.split('.').map(Number);

/** A Node binary as a package of npm's, with its headers, where this process's own is too old. */
async function findNode() {
  if (major >= nodeNeeded) return { node: process.execPath, env: {} };
  const name = `node-${process.platform}-${process.arch}`;
  const dir = await cached(`node-${nodeVersion}`, async (to) => {
    console.log(`Installing Node ${nodeVersion} …`);
    writeFileSync(join(to, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: nodeVersion } }));
    await run('npm', ['install', '--ignore-scripts', ...quiet], { cwd: to });
  });
  const at = join(dir, 'node_modules', name);
  return { node: join(at, 'bin', 'node'), env: { npm_config_nodedir: at } };
}

/** linkedom is held back: its newest release asks for a package that is not there. Of all install scripts only two are needed. */
const manifest = { private: true, dependencies: { n8n: n8nVersion }, overrides: { linkedom: '0.18.12' } };
const built = ['sqlite3', 'isolated-vm'];

export async function installN8n() {
  const { node, env: own } = await findNode();
  const env = { ...process.env, ...own, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const dir = await cached(`n8n-${n8nVersion}`, async (to) => {
    console.log(`Installing n8n ${n8nVersion}: this takes some minutes …`);
    writeFileSync(join(to, 'package.json'), JSON.stringify(manifest));
    const options = { cwd: to, env, timeout: 20 * minuteMs };
    await run('npm', ['install', '--ignore-scripts', ...quiet], options);
    await run('npm', ['rebuild', '--foreground-scripts=false', ...built, ...quiet], options);
  });
  return { node, env, cli: join(dir, 'node_modules', 'n8n', 'bin', 'n8n') };
}
