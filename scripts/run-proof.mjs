/** Runs one proof in its own process group with its output in a file, and reads its result. */
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
    for (const child of running) sendSignal(child, signal);
  });

/** True after this command was stopped; no further proof is started. */
export const isStopped = () => stopping.signal.aborted;

/** Signals the process group; false if it has ended. */
function sendSignal({ pid }, signal) {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Runs a command. Returns undefined if it succeeded, otherwise the reason. `log` receives its output: an open file, or 'inherit'. */
export async function runToEnd(command, { env, log, mostMs }) {
  const child = spawn('/bin/sh', ['-c', command], { env, detached: true, stdio: ['ignore', log, log] });
  running.add(child);
  const ended = new Promise((done, refuse) => {
    child.once('error', refuse);
    child.once('exit', (status, signal) => done(status === 0 ? undefined : `it ended with ${signal ?? status}`));
  });
  const over = new AbortController();
  const tooLong = pause(mostMs, `timed out after ${Math.round(mostMs / 60_000)} minutes`, { signal: over.signal });
  tooLong.catch(() => undefined);
  try {
    const reason = await Promise.race([ended, tooLong]);
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (!isOver) sendSignal(child, 'SIGTERM');
    // The shell exits at once, but its children still clean up.
    const deadline = !isOver || isStopped() ? performance.now() + endsWithinMs : 0;
    while (performance.now() < deadline && sendSignal(child, 0)) await pause(100);
    return reason;
  } finally {
    over.abort();
    // Kill its remaining processes, which could disturb the next proof.
    sendSignal(child, 'SIGKILL');
    running.delete(child);
  }
}

/**
 * Reads Jest's report: the counts, and each failed test with its reason. A file that could not be loaded counts as one failed test.
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
/** The first lines of a failed test: the expectation and its location. */
export const firstLines = (text) => clean(text).filter(isOurs).slice(0, 15);
