/** Reads and validates the operator's file of group C's sites, and finds a site by name or slug. */
import { z } from 'zod';
import { isObject, slugOf } from '../domain/formats';
import { slugsOf, type Site } from '../domain/leadforms';
import { environmentValue } from './config';
import { FileProblems } from './watched-file';

export interface KnownSite extends Site {
  /** The site's key; undefined if its environment variable is not set. */
  readonly key: string | undefined;
  /** The environment variable that holds the key, if the file names one. */
  readonly keySetting: string | undefined;
}

export interface Sites {
  readonly all: readonly KnownSite[];
  find(nameOrSlug: string): KnownSite | undefined;
}

const visible = /^[\x21-\x7e]{1,4096}$/;
const filled = z.string().trim().min(1, 'must be text that is not empty');

const entry = z.strictObject({
  name: filled,
  key: z.string().trim().regex(visible, 'must be visible ASCII').optional(),
  key_env: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable')
    .optional(),
  form_code: filled,
  account_id: z.int('must be a whole number'),
  location_id: z.union([filled, z.int().transform(String)], 'must be text'),
  source_url: z.url({ protocol: /^https?$/, error: 'must be a URL' }),
});

/** Throws all problems at once, each with its path and without values. */
export function parseSites(json: unknown): Sites {
  if (!isObject(json)) throw new FileProblems(['must be an object of sites, by their slugs']);
  const problems: string[] = [];
  const bySlug = new Map<string, KnownSite>();
  const all: KnownSite[] = [];
  for (const [slug, value] of Object.entries(json)) {
    if (slug === '' || slugOf(slug) !== slug) problems.push(`${slug}: must be a slug: lower case, digits and hyphens`);
    const read = entry.safeParse(value);
    if (!read.success) {
      problems.push(...read.error.issues.map(({ path, message }) => `${[slug, ...path].join('.')}: ${message}`));
      continue;
    }
    const { key, key_env, ...rest } = read.data;
    if ((key === undefined) === (key_env === undefined)) problems.push(`${slug}: needs either key or key_env`);
    const site: KnownSite = { slug, ...rest, key: key ?? (key_env && environmentValue(key_env)), keySetting: key_env };
    if (site.key !== undefined && !visible.test(site.key)) problems.push(`${slug}.key_env: ${key_env ?? ''} must hold visible ASCII`);
    all.push(site);
    for (const name of slugsOf(site)) {
      const other = bySlug.get(name);
      if (other) problems.push(`${slug}: has the same name "${name}" as ${other.slug}`);
      bySlug.set(name, site);
    }
  }
  if (problems.length > 0) throw new FileProblems(problems);
  return { all, find: (nameOrSlug) => bySlug.get(slugOf(nameOrSlug)) };
}
