/**
 * `npm run release`: makes a release of the last commit in `release/`: a tarball, an image, bills of materials, provenance, digests and, with
 * RELEASE_SIGNING_KEY_FILE, signatures. `-- --pin` pins the newest packages of Debian instead. Runs with the Node that is in the image, so that
 * every machine compresses with the same one.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { run } from './cached.mjs';
import { installNode, withNode } from './install-node.mjs';

const timeout = 20 * 60_000;
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Takes the packages from npm's cache; only if one is not there does it ask the registry. */
async function install() {
  const args = [at('scripts/bootstrap.mjs'), 'install'];
  const env = { ...process.env, npm_config_offline: 'true' };
  await run(process.execPath, args, { env, timeout }).catch(() => run(process.execPath, args, { timeout }));
}

await install();
const { node } = await installNode(24);
const program = [at('test/support/run-ts.js'), at('scripts/release/main.ts'), ...process.argv.slice(2)];
const { status } = spawnSync(node, program, { env: withNode(node), stdio: 'inherit' });
process.exitCode = status ?? 1;
