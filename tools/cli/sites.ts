/** `leadgate sites check`: checks the file of group C's sites as the service reads it. */
import { parseSites, type KnownSite, type Sites } from '../../src/config/sites';
import { problemsOf, read } from '../../src/config/watched-file';
import { command, statuses, Unable } from './command';
import { columns, json } from './print';
import { program } from './program';

export const sitesCheck = command({
  name: 'sites check',
  group: 'Operations',
  summary: 'The sites file as the service reads it: names, slugs, whether each key is set, and what is wrong',
  about: ['Status 1 when something is wrong or a key is not set. Keys themselves are never shown.'],
  args: [{ name: 'file', about: 'the file; without it the one of LEADFORMS_SITES_FILE', optional: true, file: true }],
  examples: ['sites check', 'sites check config/sites.json'],
  run({ io, args: [given = ''], options, config }) {
    // Always read the settings: they load the keys that the file refers to.
    const { LEADFORMS_SITES_FILE } = config();
    const file = given || LEADFORMS_SITES_FILE;
    if (!file) throw new Unable(`LEADFORMS_SITES_FILE is not set; name a file: ${program} sites check config/sites.json`);
    const { all } = sitesIn(file);
    const keyless = all.filter(({ key }) => key === undefined);
    if (options.json) io.out(json({ success: keyless.length === 0, file, count: all.length, sites: all.map(outline) }));
    else
      io.out(
        `${columns(all.map(row))}\n\n${all.length} sites in ${file}${keyless.length > 0 ? `; ${keyless.length} without a key` : ', each with its key'}\n`,
      );
    return Promise.resolve(keyless.length === 0 ? statuses.done : statuses.no);
  },
});

function sitesIn(file: string): Sites {
  try {
    return read(file, parseSites);
  } catch (error) {
    throw new Unable(
      `${file} is not right:\n${problemsOf(error)
        .map((problem) => `  ${problem}`)
        .join('\n')}`,
      statuses.no,
    );
  }
}

const keyWords = ({ key, keySetting }: KnownSite): string =>
  key === undefined ? `key NOT SET: ${keySetting ?? ''}` : `key set${keySetting ? ` by ${keySetting}` : ' in the file'}`;

const outline = (site: KnownSite) => {
  const { slug, name, form_code, account_id, location_id, source_url, key, keySetting } = site;
  return { slug, name, key: key === undefined ? 'unset' : 'set', keySetting, form_code, account_id, location_id, source_url };
};

const row = (site: KnownSite): string[] => [
  site.slug,
  site.name,
  site.form_code,
  `account ${site.account_id}`,
  `location ${site.location_id}`,
  keyWords(site),
];
