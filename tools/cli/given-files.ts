/** Reads the files and directories that a command line names, and says in plain words why it cannot. */
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { codeOf } from '../../src/lib/errors';
import { CommandError } from './command';

const whys: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no file ${path}`,
  ENOTDIR: (path) => `There is no file ${path}`,
  EISDIR: (path) => `${path} is a directory, not a file`,
  EACCES: (path) => `${path} cannot be read: permission denied`,
};

export const readGivenFile = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    const code = String(codeOf(error));
    throw new CommandError(whys[code]?.(path) ?? `${path} cannot be read (${code})`);
  });

export function assertDirectory(path: string): void {
  if (!existsSync(path)) throw new CommandError(`There is no directory ${path}`);
  if (!statSync(path).isDirectory()) throw new CommandError(`${path} is not a directory`);
}
