/**
 * `npm run drill -- sdk`: installs the newest 1.x of the Temporal SDK in a copy of the last commit, and runs the type check and the
 * tests there.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshCopy } from './fresh-copy.mjs';
import { isStopped, runToEnd } from './run-proof.mjs';

const mostMs = 60 * 60_000;

const compared = (one, other) => one.localeCompare(other, 'en', { numeric: true });

function newest() {
  const versions = JSON.parse(execFileSync('npm', ['view', '@temporalio/worker', 'versions', '--json'], { encoding: 'utf8' }));
  const found = [versions]
    .flat()
    .filter((version) => /^1\.\d+\.\d+$/.test(version))
    .toSorted(compared)
    .at(-1);
  if (!found) throw new Error('the registry has no 1.x of @temporalio/worker');
  return found;
}

/** Runs a command in the copy with its output on stderr, so that stdout has only the results. */
async function passes(command) {
  if (isStopped()) return false;
  const wrong = await runToEnd(command, { env: process.env, log: 2, mostMs });
  console.log(`${command.split(' @')[0]}: ${wrong ? `failed, ${wrong}` : 'passed'}`);
  return !wrong;
}

async function drill(copy) {
  freshCopy(copy);
  process.chdir(copy);
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const own = Object.entries(dependencies).filter(([name]) => name.startsWith('@temporalio/'));
  const version = newest();
  const isNew = own.some(([, pinned]) => pinned !== version);
  console.log(`Temporal SDK ${version}${isNew ? '' : ', which the project already uses'}`);
  if (!(await passes(`npm install --save-exact --ignore-scripts --include=dev ${own.map(([name]) => `${name}@${version}`).join(' ')}`)))
    return false;
  const results = [await passes('npm run typecheck'), await passes('npm test')];
  return results.every(Boolean);
}

const dir = mkdtempSync(join(tmpdir(), 'leadgate-sdk-'));
try {
  process.exitCode = (await drill(join(dir, 'leadgate'))) ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
