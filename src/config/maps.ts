/** Validates the operator's file that maps words for race and recruitment status to group D's. It overrides the built-in words. */
import { z } from 'zod';
import type { ScreeningMaps } from '../domain/screening';
import { FileProblems } from './watched-file';

const words = z.record(z.string(), z.string().trim().min(1, 'must be text that is not empty')).default({});
const file = z.strictObject({ race: words, recruitment_status: words });

export const noMaps: ScreeningMaps = { race: {}, recruitment_status: {} };

export function parseMaps(json: unknown): ScreeningMaps {
  const read = file.safeParse(json);
  if (!read.success)
    throw new FileProblems(read.error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ` : '') + message));
  return { race: lowerCaseKeys(read.data.race), recruitment_status: lowerCaseKeys(read.data.recruitment_status) };
}

const lowerCaseKeys = (map: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(map).map(([word, value]) => [word.trim().toLowerCase(), value]));
