/** The Helm chart, as far as it can be checked without Helm. `npm run proofs -- chart` renders it. */
import { Ajv } from 'ajv';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectDir, variableNames, variables } from '../src/config/settings';
import { readExpression } from './support/promql';

const chart = join(projectDir, 'deploy/helm/leadgate');
const read = (path: string) => readFileSync(join(chart, path), 'utf8');
type Values = Readonly<Record<string, unknown>>;
const valuesIn = (path: string) => parse(read(path)) as Values;

const schema = JSON.parse(read('values.schema.json')) as { readonly properties: Readonly<Record<string, { readonly properties: Values }>> };
const accepts = new Ajv({ strict: false, allErrors: true }).compile(schema);
const problemsOf = (values: unknown) => (accepts(values) ? [] : (accepts.errors ?? []).map((error) => JSON.stringify(error)));
const namesIn = (part: string) => Object.keys(schema.properties[part]?.properties ?? {});

/** As Helm merges the values of two files, two levels deep. */
const merged = (values: Values, over: Values): Values =>
  Object.fromEntries(
    [...new Set([...Object.keys(values), ...Object.keys(over)])].map((name) => [
      name,
      { ...(values[name] as Values | undefined), ...(over[name] as Values | undefined) },
    ]),
  );

const usual = valuesIn('values.yaml');
const minimal = valuesIn('ci/minimal-values.yaml');

it('has the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
  expect(valuesIn('Chart.yaml')).toMatchObject({ version, appVersion: version });
});

describe('the schema of the values', () => {
  it.each(readdirSync(join(chart, 'ci')))('accepts ci/%s', (name) => expect(problemsOf(valuesIn(`ci/${name}`))).toEqual([]));

  it('knows every value of values.yaml, and lacks only what must be given', () => {
    const lacking = problemsOf(usual).map((problem) => (JSON.parse(problem) as { instancePath: string }).instancePath);
    expect(new Set(lacking)).toEqual(new Set(['/image/repository', '/temporal/address', '/secrets']));
  });

  const refused = JSON.parse(readFileSync(join(projectDir, 'scripts/chart/refused-values.json'), 'utf8')) as {
    readonly values: Values;
    readonly named: string;
  }[];
  it.each(refused.map(({ values, named }) => [JSON.stringify(values), named, values] as const))(
    'refuses %s, and names %s',
    (_, named, values) => expect(problemsOf(merged(minimal, values)).join('\n')).toContain(named),
  );

  it('has a place for every setting but those of the chart, the sandbox, the embedded engine, the decoder and builds', () => {
    const known = new Set(['settings', 'secrets', 'files'].flatMap(namesIn));
    expect(Object.keys(variables).filter((name) => !known.has(name))).toEqual([
      ...['PORT', 'HOST', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'TEMPORAL_CLI_PATH'],
      ...['DECODER_PORT', 'DECODER_TOKEN', 'WORKER_BUILD_ID', 'LEADGATE_DATA_DIR', 'BACKUP_DIR', 'BACKUP_EVERY_H', 'WORKER_METRICS_PORT'],
      ...['SANDBOX', 'SANDBOX_PORT', 'LEADGATE_KEYS_FILE', 'NODE_ENV', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'],
    ]);
  });
});

describe('the templates', () => {
  const templates = readdirSync(join(chart, 'templates')).map((name) => read(`templates/${name}`));
  const set = templates.flatMap((text) =>
    [...text.matchAll(/- \{ name: ([A-Z_]+), value: (.+) \}/g)].map(([, name = '', value = '']) => [name, value]),
  );

  it('set only settings, and turn the sandbox off', () => {
    expect(set.map(([name]) => name).filter((name = '') => !variableNames.includes(name))).toEqual([]);
    expect(Object.fromEntries(set)).toMatchObject({ SANDBOX: "'off'", LEADGATE_DATA_DIR: '/data' });
  });

  it('hold no manifest that could hold a secret', () =>
    expect(templates.filter((text) => /kind: (Secret|ConfigMap)/.test(text))).toEqual([]));
});

it('docs/kubernetes.md counts each lead once for the autoscaler, whose metric it names', () => {
  const page = readFileSync(join(projectDir, 'docs/kubernetes.md'), 'utf8');
  const [, query = ''] = /metricsQuery: '(.+)'/.exec(page) ?? [];
  const [, metric = ''] = /external:\n +metric:\n +name: (\w+)/.exec(read('templates/scaling.yaml')) ?? [];
  const { selectors, grouped } = readExpression(
    query.replace('<<.Series>>', metric).replace('<<.LabelMatchers>>', 'state=~"running|waiting"'),
  );
  expect(page).toContain(`seriesQuery: '${metric}{`);
  expect(selectors.map((selector) => selector.metric)).toEqual(['leadgate_leads']);
  expect(grouped.map(({ label }) => label)).toEqual(['flow', 'state']);
});
