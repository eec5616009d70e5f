/** Runs one proof in a process group of its own, with its output in a file, and reads what it found. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const endsWithinMs = 30_000;
const linesShown = 40;
const reasonsShown = 20;

const running = new Set();
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    stopping.abort();
    for (const child of running) tell(child, signal);
  });

/** True once somebody has stopped this command: nothing more is started. */
export const isStopped = () => stopping.signal.aborted;

/** Signals the whole group; false if it has ended. */
function tell({ pid }, signal) {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Runs a command to its end: undefined if it succeeded, otherwise how it ended. `log` takes its output: an open file, or 'inherit'. */
export async function runToEnd(command, { env, log, mostMs }) {
  const child = spawn('/bin/sh', ['-c', command], { env, detached: true, stdio: ['ignore', log, log] });
  running.add(child);
  const ended = new Promise((done, refuse) => {
    child.once('error', refuse);
    child.once('exit', (status, signal) => done(status === 0 ? undefined : `it ended with ${signal ?? status}`));
  });
  const over = new AbortController();
  const tooLong = pause(mostMs, `it had not ended after ${Math.round(mostMs / 60_000)} minutes`, { signal: over.signal });
  tooLong.catch(() => undefined);
  try {
    const reason = await Promise.race([ended, tooLong]);
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (!isOver) tell(child, 'SIGTERM');
    // The shell ends at once, but its children still clean up.
    const deadline = !isOver || isStopped() ? performance.now() + endsWithinMs : 0;
    while (performance.now() < deadline && tell(child, 0)) await pause(100);
    return reason;
  } finally {
    over.abort();
    // Nothing that it started may disturb the next proof.
    tell(child, 'SIGKILL');
    running.delete(child);
  }
}

/**
 * Reads Jest's report: the counts, and each failed test with its reason. A file that could not be loaded has no failed test, so it counts
 * as one.
 */
export function jestFound(report) {
  if (!existsSync(report)) return { passed: 0, failed: 1, reasons: [] };
  const { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === 'failed'));
  const files = testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
  const reasons = [
    ...files.map(({ name, message }) => `${name}\n${message}`),
    ...tests.map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`),
  ];
  const left = reasons.length - reasonsShown;
  if (left > 0) reasons.splice(reasonsShown, left, `and ${left} more`);
  return { passed, failed: numFailedTests + numRuntimeErrorTestSuites, reasons };
}

const colours = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g');

const clean = (text) => text.replace(colours, '').trimEnd().split('\n');
const isOurs = (line) => !/^\s+at .*(node_modules|node:internal|Promise)/.test(line);

export const lastLines = (text) => clean(text).slice(-linesShown);
/** The first lines of a failed test: what was expected, and where. */
export const firstLines = (text) => clean(text).filter(isOurs).slice(0, 15);
