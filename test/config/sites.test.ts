import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, parseConfig, projectDir } from '../../src/config/config';
import { parseMaps } from '../../src/config/maps';
import { parseSites } from '../../src/config/sites';
import { upstreamsOf } from '../../src/config/upstreams';
import { Problems, watchedFile } from '../../src/config/watched-file';
import { logged } from '../support/logged';

const site = {
  name: 'Skin & Beauty Center',
  key: 'k1',
  form_code: 'F',
  account_id: 1,
  location_id: 'L',
  source_url: 'https://a.example.org',
};
const problemsOf = (parse: () => unknown): readonly string[] => {
  try {
    parse();
    return [];
  } catch (error) {
    if (error instanceof Problems) return error.list;
    throw error;
  }
};

let dir: string;
beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-sites-'))));
afterAll(() => rmSync(dir, { recursive: true }));

describe('the sites file', () => {
  it('knows a site by name, by slug and with the ampersand said', () => {
    const sites = parseSites({ 'skin-beauty-center': site });
    for (const name of [
      'Skin & Beauty Center',
      ' skin & BEAUTY center ',
      'skin-beauty-center',
      'skin-and-beauty-center',
      'Skin and Beauty Center',
    ])
      expect(sites.find(name)?.key).toBe('k1');
    for (const name of ['skin', '', '__proto__', 'constructor']) expect(sites.find(name)).toBeUndefined();
  });

  it('takes a key from the environment, and knows when it is not there', () => {
    process.env.SITES_TEST_KEY = ' from-env ';
    const { key: _, ...rest } = site;
    const sites = parseSites({
      a: { ...rest, name: 'A', key_env: 'SITES_TEST_KEY' },
      b: { ...rest, name: 'B', key_env: 'SITES_TEST_NONE' },
    });
    delete process.env.SITES_TEST_KEY;
    expect(sites.all.map(({ key }) => key)).toEqual(['from-env', undefined]);
  });

  it('tells all problems at once, each with its path and without a value', () => {
    const secret = 'böse-secret';
    const problems = problemsOf(() =>
      parseSites({
        'Not A Slug': site,
        one: { ...site, name: 'One', account_id: 'x', source_url: 'nowhere', formcode: 1 },
        two: { ...site, name: 'Two', key: secret },
        three: { ...site, name: 'Three', key_env: 'ALSO' },
        four: { ...site, name: 'Skin and Beauty Center' },
        five: 'text',
      }),
    );
    expect(problems).toEqual([
      'Not A Slug: must be a slug: lower case, digits and hyphens',
      'one.account_id: must be a whole number',
      'one.source_url: must be a URL',
      expect.stringMatching(/^one: .*formcode/),
      'two.key: must be visible ASCII',
      'three: needs either key or key_env',
      'four: is found by "skin-and-beauty-center" like Not A Slug',
      expect.stringMatching(/^five: /),
    ]);
    expect(problems.join()).not.toContain(secret);
  });

  it.each([[[]], ['text'], [null]])('is an object: %j', (json) => expect(problemsOf(() => parseSites(json))).toHaveLength(1));

  it('comes with the five named sites', () => {
    const { all } = parseSites(JSON.parse(readFileSync(join(projectDir, 'config/sites.json'), 'utf8')));
    expect(all.map(({ name }) => name)).toEqual([
      'Skin Care - Boca Raton',
      'Skin Care - Hollywood',
      'Skin & Beauty Center',
      'Dermatology Treatment and Research Center',
      'First OC Dermatology Research',
    ]);
  });
});

describe('the maps file', () => {
  it('reads words in any case', () =>
    expect(parseMaps({ race: { ' Latino ': 'White' } })).toEqual({ race: { latino: 'White' }, recruitment_status: {} }));
  it('tells what is wrong', () => expect(problemsOf(() => parseMaps({ race: { a: 1, b: '' }, races: {} }))).toHaveLength(3));
});

describe('a watched file', () => {
  const parse = (json: unknown) => {
    if (typeof json !== 'number') throw new Problems(['must be a number']);
    return json;
  };
  const open = (text: string) => {
    const path = join(dir, `${Math.random()}.json`);
    writeFileSync(path, text);
    return { path, look: () => watchedFile('SOME_FILE', path, parse) };
  };

  it('is read again when it is written, and when another takes its name', () => {
    const { path, look } = open('1');
    const content = look();
    expect(content()).toBe(1);
    writeFileSync(path, '2');
    expect(content()).toBe(2);
    writeFileSync(`${path}.new`, '3');
    renameSync(`${path}.new`, path);
    expect(content()).toBe(3);
  });

  it('stays as it was when the new one is bad or gone, which is logged once without its content', () => {
    const { path, look } = open('1');
    const content = look();
    for (const bad of ['"sekret"', '{"sekret', undefined]) {
      logged.length = 0;
      if (bad === undefined) rmSync(path);
      else writeFileSync(path, bad);
      expect([content(), content()]).toEqual([1, 1]);
      expect(logged).toHaveLength(1);
      expect(logged[0]).toContain('configuration refused');
      expect(logged[0]).not.toContain('sekret');
    }
    writeFileSync(path, '4');
    expect(content()).toBe(4);
  });

  it.each(['"x"', '{', ''])('that is bad at the start is refused: %s', (text) => expect(open(text).look).toThrow(ConfigError));
  it('that is no JSON is refused with the place', () =>
    expect(open('{\n  "a": 1,\n}').look).toThrow('it is not valid JSON: a name in double quotes is expected in line 3, column 1'));
  it('that is not there is refused', () =>
    expect(() => watchedFile('SOME_FILE', join(dir, 'none'), parse)).toThrow(/SOME_FILE .*there is no such file/s));
});

describe('the demonstration values', () => {
  const url = 'https://real.example.org';
  it('go to the sandbox only', () => {
    const upstreams = upstreamsOf(parseConfig({ LEADFORMS_SANDBOX_URL: url, SCREENING_URL: url }), 8090);
    expect(upstreams.sites(['LEADFORMS_URL'])?.all).toHaveLength(5);
    expect(upstreams.sites(['LEADFORMS_SANDBOX_URL', 'LEADFORMS_URL'])).toBeUndefined();
    expect(upstreams.find(['SCREENING_API_KEY'])).toBeUndefined();
    expect(upstreamsOf(parseConfig({}), 8090).find(['SCREENING_API_KEY'])).toMatchObject({ sandbox: true });
    expect(upstreamsOf(parseConfig({})).sites(['LEADFORMS_URL'])).toBeUndefined();
  });
});
