/**
 * Reads an operator's JSON file at the start, and again after each change. An invalid file is refused at the start; later it is logged, and
 * the previous content stays in use.
 */
import { readFileSync, statSync } from 'node:fs';
import { isObject } from '../domain/formats';
import { jsonFault } from '../lib/json-fault';
import { log } from '../lib/log';
import { ConfigError } from './config';

const checkEveryMs = 1_000;

/** The problems of a file, such as `site.account_id: must be a whole number`. */
export class FileProblems extends Error {
  constructor(readonly list: readonly string[]) {
    super(list.join('; '));
  }
}

/**
 * Returns a function that returns the current content. A change is detected by the file's inode, size and times, both for editors that write
 * in place and for those that rename.
 */
export function watchedFile<T>(setting: string, path: string, parse: (json: unknown) => T): () => T {
  let mark = markOf(path);
  let content: T;
  try {
    content = read(path, parse);
  } catch (error) {
    throw new ConfigError(
      `${setting} (${path}) is invalid:\n${problemsOf(error)
        .map((problem) => `  ${problem}`)
        .join('\n')}`,
    );
  }

  const readIfChanged = (): T => {
    const now = markOf(path);
    if (now === mark) return content;
    mark = now;
    try {
      content = read(path, parse);
      log.info('configuration read again', { setting, path });
    } catch (error) {
      log.error('invalid configuration file: the previous content stays in use', { setting, path, problems: problemsOf(error).join('; ') });
    }
    return content;
  };
  // Without this, an invalid file would be reported only with the next lead.
  setInterval(readIfChanged, checkEveryMs).unref();
  return readIfChanged;
}

function markOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ') : 'none';
}

/** Reads the file once. */
export function read<T>(path: string, parse: (json: unknown) => T): T {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  const fault = jsonFault(text);
  if (fault) throw new FileProblems([`it is not valid JSON: ${fault.expected} is expected in line ${fault.line}, column ${fault.column}`]);
  return parse(JSON.parse(text));
}

/** Returns the problems that `read` has thrown. */
export function problemsOf(error: unknown): readonly string[] {
  if (error instanceof FileProblems) return error.list;
  if (error instanceof ConfigError) return [error.message];
  const code = isObject(error) ? String(error.code) : 'no reason given';
  return [code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`];
}
