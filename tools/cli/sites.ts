/** `leadgate sites check`: validates the sites file of group C as the service does. */
import { parseSites, type KnownSite, type Sites } from '../../src/config/sites';
import { problemsOf, read } from '../../src/config/watched-file';
import { command, statuses, CommandError } from './command';
import { columns, json } from './print';
import { program } from './program';

export const sitesCheck = command({
  name: 'sites check',
  group: 'Operations',
  summary: 'Validate the sites file, and list the sites and whether each key is set',
  about: ['Status 1 if the file is invalid or a key is not set. Keys are never shown.'],
  args: [{ name: 'file', about: 'the sites file; LEADFORMS_SITES_FILE by default', optional: true, file: true }],
  examples: ['sites check', 'sites check config/sites.json'],
  run({ io, args: [given = ''], options, config }) {
    // Always load the settings, because they have the keys that the file refers to.
    const { LEADFORMS_SITES_FILE } = config();
    const file = given || LEADFORMS_SITES_FILE;
    if (!file) throw new CommandError(`LEADFORMS_SITES_FILE is not set; name a file: ${program} sites check config/sites.json`);
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
    throw new CommandError(
      `${file} is invalid:\n${problemsOf(error)
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
