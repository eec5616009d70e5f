/**
 * Stores a lead's site as a search attribute: in clear, or as a keyed hash if it contains personal data. Searches match both forms, because
 * erasures and look-ups of the same person use the site.
 */
import type { KeyRing } from '../keys/ring';
import { attributes } from '../temporal/engine';

/** The prefix of a hashed site. No site begins with it. */
const hiddenMark = '#';

export const hiddenSite = (keys: Pick<KeyRing, 'hash'>, site: string): string => hiddenMark + keys.hash('site', site);

/** Returns the hashed form of a stored site. */
export const hiddenForm = (keys: Pick<KeyRing, 'hash'>, stored: string): string =>
  stored.startsWith(hiddenMark) ? stored : hiddenSite(keys, stored);

/** Returns every form in which a site may be stored. */
export const siteForms = (keys: Pick<KeyRing, 'hash'>, site: string): readonly string[] => [site, hiddenSite(keys, site)];

/** The condition that matches the runs of a site in one of these forms. */
export const isAtSite = (forms: readonly string[]): string => `${attributes.site.name} IN (${forms.map((form) => `'${form}'`).join(', ')})`;

/** Returns the site in clear; undefined if it is hashed. */
export const shownSite = (stored: unknown): string | undefined =>
  stored === undefined || String(stored).startsWith(hiddenMark) ? undefined : String(stored);
