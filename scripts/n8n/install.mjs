/** Installs the n8n version that the workflow files are tested with, and the Node that it needs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, run } from '../cached.mjs';
import { installNode, withNode } from '../install-node.mjs';

export const n8nVersion = '2.40.7';
const nodeNeeded = 24;
const minuteMs = 60_000;

const quiet = ['--no-audit', '--no-fund', '--silent'];
const [major] = process.versions.node.split('.').map(Number);

/** Pins linkedom, because its newest release requires a missing package. Only two packages need their install scripts. */
const manifest = { private: true, dependencies: { n8n: n8nVersion }, overrides: { linkedom: '0.18.12' } };
const built = ['sqlite3', 'isolated-vm'];

export async function installN8n() {
  const { node, home } = major >= nodeNeeded ? { node: process.execPath } : await installNode(nodeNeeded);
  const env = { ...withNode(node), ...(home && { npm_config_nodedir: home }) };
  const dir = await cached(`n8n-${n8nVersion}`, async (to) => {
    console.log(`Installing n8n ${n8nVersion}: this takes some minutes …`);
    writeFileSync(join(to, 'package.json'), JSON.stringify(manifest));
    const options = { cwd: to, env, timeout: 20 * minuteMs };
    await run('npm', ['install', '--ignore-scripts', ...quiet], options);
    await run('npm', ['rebuild', '--foreground-scripts=false', ...built, ...quiet], options);
  });
  const modules = join(dir, 'node_modules');
  return { node, env, modules, cli: join(modules, 'n8n', 'bin', 'n8n') };
}
