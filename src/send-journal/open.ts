/** Opens the send journal that the settings name: a directory, a Postgres, or none. */
import { readFileSync } from 'node:fs';
import { ConfigError, isDatabase, journalPlace, type Config } from '../config/config';
import type { KeyRing } from '../keys/ring';
import { codeOf } from '../lib/errors';
import { openDirectory } from './directory';
import type { OpenJournal } from './journal';
import { openPostgres } from './postgres';

export async function openJournal(config: Config, keys: KeyRing): Promise<OpenJournal | undefined> {
  const place = journalPlace(config);
  if (place === undefined) return undefined;
  return isDatabase(place) ? openPostgres(withPassword(place, config), keys) : openDirectory(place, keys);
}

export function withPassword(place: string, { SEND_JOURNAL_PASSWORD_FILE: file }: Config): string {
  if (file === undefined) return place;
  try {
    const url = new URL(place);
    url.searchParams.set('password', readFileSync(file, 'utf8').trim());
    return url.href;
  } catch (error) {
    throw new ConfigError(`SEND_JOURNAL_PASSWORD_FILE cannot be read (${codeOf(error)})`);
  }
}
