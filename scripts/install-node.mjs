/** Installs another Node beside this one, with its headers, from npm's package of the release. */
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cached, run } from './cached.mjs';

const versions = { 22: '22.23.3', 24: '24.21.0' };

/** An environment in which `node` is this binary. */
export const withNode = (node) => ({ ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) });

/** Installs a Node; returns its binary and where its headers are. */
export async function installNode(major) {
  const version = versions[major];
  if (!version) throw new Error(`Only Node ${Object.keys(versions).join(' and ')} can be installed beside this one`);
  const name = `node-${process.platform}-${process.arch}`;
  const dir = await cached(`node-${version}`, async (to) => {
    console.log(`Installing Node ${version} …`);
    writeFileSync(join(to, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: version } }));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: to });
  });
  const home = join(dir, 'node_modules', name);
  return { node: join(home, 'bin', 'node'), home };
}
