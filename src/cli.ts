/** Entry of `leadgate`. */
import { text } from 'node:stream/consumers';
import type { Io } from './cli/command';
import { commands } from './cli/commands';
import { run } from './cli/run';
import { loadConfig } from './config/config';
import { output } from './lib/log';

const stopped = new AbortController();
process.once('SIGINT', () => stopped.abort());

// `leadgate lead find | head` closes the pipe early: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));

// What the command prints is its answer; the service's log lines are not part of it.
output.write = () => {};

const io: Io = {
  out: (written) => void process.stdout.write(written),
  err: (written) => void process.stderr.write(written),
  read: () => text(process.stdin),
  isTerminal: process.stdout.isTTY,
  // Node itself heeds NO_COLOR, FORCE_COLOR and TERM here.
  hasColours: process.stdout.isTTY && process.stdout.hasColors(),
  columns: process.stdout.isTTY ? process.stdout.columns : 100,
  stopped: stopped.signal,
};

void run(process.argv.slice(2), { io, config: loadConfig, commands }).then((status) => (process.exitCode = status));
