/** A JSON file of an operator's: read at the start, and again when it has changed. A bad one is refused at the start, later it changes nothing. */
import { readFileSync, statSync } from 'node:fs';
import { isObject } from '../domain/formats';
import { log } from '../lib/log';
import { ConfigError } from './config';

const lookEveryMs = 1_000;

/** What is wrong with the file: `site.account_id: must be a whole number`. */
export class Problems extends Error {
  constructor(readonly list: readonly string[]) {
    super(list.join('; '));
  }
}

/** The content as it is now. Comparing the file's mark works for editors that write in place and for those that rename. */
export function watchedFile<T>(setting: string, path: string, parse: (json: unknown) => T): () => T {
  let mark = markOf(path);
  let content: T;
  try {
    content = read(path, parse);
  } catch (error) {
    throw new ConfigError(
      `${setting} (${path}) is not right:\n${problemsOf(error)
        .map((problem) => `  ${problem}`)
        .join('\n')}`,
    );
  }

  const look = (): T => {
    const now = markOf(path);
    if (now === mark) return content;
    mark = now;
    try {
      content = read(path, parse);
      log.info('configuration read again', { setting, path });
    } catch (error) {
      log.error('configuration refused: the one before stays', { setting, path, problems: problemsOf(error).join('; ') });
    }
    return content;
  };
  // Without this a bad file would be reported with the next lead only.
  setInterval(look, lookEveryMs).unref();
  return look;
}

function markOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ') : 'none';
}

function read<T>(path: string, parse: (json: unknown) => T): T {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  try {
    return parse(JSON.parse(text));
  } catch (error) {
    throw error instanceof SyntaxError ? new Problems(['it is not valid JSON']) : error;
  }
}

function problemsOf(error: unknown): readonly string[] {
  if (error instanceof Problems) return error.list;
  const code = isObject(error) ? String(error.code) : 'no reason given';
  return [code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`];
}
