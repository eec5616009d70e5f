/**
 * How a lead's site is stored with its run: in clear, or as a keyed hash if it has a word of the person's own. Searches ask for both, because
 * erasures and look-ups of the same person go by the site.
 */
import type { KeyRing } from '../keys/ring';
import { attributes } from '../temporal/engine';

/** No site begins with it. */
const hiddenMark = '#';

export const hiddenSite = (keys: Pick<KeyRing, 'hash'>, site: string): string => hiddenMark + keys.hash('site', site);

/** Every form in which this site may be stored. */
export const siteForms = (keys: Pick<KeyRing, 'hash'>, site: string): readonly string[] => [site, hiddenSite(keys, site)];

/** The condition that finds the runs of a site in one of these forms. */
export const isAtSite = (forms: readonly string[]): string => `${attributes.site.name} IN (${forms.map((form) => `'${form}'`).join(', ')})`;

/** The site as people may see it. */
export const shownSite = (stored: unknown): string | undefined =>
  stored === undefined || String(stored).startsWith(hiddenMark) ? undefined : String(stored);
