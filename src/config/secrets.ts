/** Reads a secret from the environment, or from the file that `<NAME>_FILE` names. */
import { readFileSync } from 'node:fs';
import { codeOf } from '../lib/errors';

export const fileOf = (name: string): string => `${name}_FILE`;

/** Empty if the secret is not set. The problem does not repeat the file's name, which may be a misplaced secret. */
interface Secret {
  readonly value?: string;
  readonly problem?: string;
}

export function secretIn(environment: NodeJS.ProcessEnv, name: string): Secret {
  const own = environment[name]?.trim() ? environment[name] : undefined;
  const file = environment[fileOf(name)]?.trim();
  if (!file) return { value: own };
  if (own !== undefined) return { problem: `${name} and ${fileOf(name)} are both set: remove one` };
  try {
    const value = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');
    return value.trim() ? { value } : { problem: `${fileOf(name)}: the file is empty` };
  } catch (error) {
    const code = codeOf(error);
    return { problem: `${fileOf(name)}: ${code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${String(code)})`}` };
  }
}
