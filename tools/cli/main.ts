/** Entry of the `leadgate` command: connects it to the terminal. */
import { text } from 'node:stream/consumers';
import type { Io } from './command';
import { commands } from './commands';
import { run } from './run';
import { loadConfig } from '../../src/config/config';
import { output } from '../../src/lib/log';

const stopped = new AbortController();
process.once('SIGINT', () => stopped.abort());

// `leadgate lead find | head` closes the pipe early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));

// Stdout has only the command's output, so drop the log lines of the service's modules.
output.write = () => {};

const io: Io = {
  out: (written) => void process.stdout.write(written),
  err: (written) => void process.stderr.write(written),
  read: () => text(process.stdin),
  isTerminal: process.stdout.isTTY,
  // Node respects NO_COLOR, FORCE_COLOR and TERM here.
  hasColours: process.stdout.isTTY && process.stdout.hasColors(),
  columns: process.stdout.isTTY ? process.stdout.columns : 100,
  stopped: stopped.signal,
};

void run(process.argv.slice(2), { io, config: loadConfig, commands }).then((status) => (process.exitCode = status));
