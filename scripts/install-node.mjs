/** Installs another Node beside this one, with its headers, from npm's package of the release. */
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cached, run } from './cached.mjs';

/** The Node versions that Leadgate supports, by major version. */
const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };
export const majors = Object.keys(versions).map(Number);

/** An environment in which `node` is this binary. */
export const withNode = (node) => ({ ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) });

/** Installs a Node; returns its binary and where its headers are. */
export async function installNode(major) {
  const version = versions[major];
  if (!version) throw new Error(`Only Node ${majors.join(', ')} can be installed beside this one`);
  const name = `node-${process.platform}-${process.arch}`;
  const dir = await cached(`node-${version}`, async (to) => {
    console.log(`Installing Node ${version} …`);
    writeFileSync(join(to, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: version } }));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: to });
  });
  const home = join(dir, 'node_modules', name);
  return { node: join(home, 'bin', 'node'), home };
}
