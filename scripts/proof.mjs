/** One proof as a process group of its own, its output in a file, and what it found. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const endsWithinMs = 30_000;
const shown = 40;

const running = new Set();
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    stopping.abort();
    for (const child of running) tell(child, signal);
  });

/** True once somebody has ended this command: nothing more is begun. */
export const isStopped = () => stopping.signal.aborted;

function tell({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended.
  }
}

/** Undefined when it succeeded, otherwise how it ended. `log` is an open file. */
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
    if (child.exitCode === null && child.signalCode === null) {
      tell(child, 'SIGTERM');
      await Promise.race([ended, pause(endsWithinMs, undefined, { signal: over.signal })]);
    }
    return reason;
  } finally {
    over.abort();
    // Nothing that it started may be in the way of the next one.
    tell(child, 'SIGKILL');
    running.delete(child);
  }
}

/** Jest's report: the counts, and every failed test with its reason. A file that could not be loaded has no failed test in it; it counts as one. */
export function jestFound(report) {
  if (!existsSync(report)) return { passed: 0, failed: 1, reasons: [] };
  const { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === 'failed'));
  const files = testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
  const reasons = [
    ...files.map(({ name, message }) => `${name}\n${message}`),
    ...tests.map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`),
  ];
  return { passed, failed: numFailedTests + numRuntimeErrorTestSuites, reasons };
}

const colours = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g');

const clean = (text) => text.replace(colours, '').trimEnd().split('\n');
const isOurs = (line) => !/^\s+at .*(node_modules|node:internal|Promise)/.test(line);

export const lastLines = (text) => clean(text).slice(-shown);
/** Of a failed test: what was expected, and where. */
export const firstLines = (text) => clean(text).filter(isOurs).slice(0, 15);
