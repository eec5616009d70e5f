/** Tests `leadgate what-if`: it shows the effect of new settings on stored leads, and no personal data. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { eraseUntilDone } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { until } from '../support/until';
import { leadgate, type CommandResult } from './support';

type Sites = Record<string, Record<string, unknown>>;
const demonstrationSites = join(projectDir, 'config/sites.json');
const sites = (): Sites => JSON.parse(readFileSync(demonstrationSites, 'utf8')) as Sites;

/** A name that no output may contain. */
const secretName = 'Xanthippe';
const lastName = 'Featherstone';
const boca = 'Skin Care - Boca Raton';
const hollywood = 'Skin Care - Hollywood';

let dir: string;
let gateway: Gateway;
let settings: Record<string, string>;
const leadIds: Record<string, string> = {};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'leadgate-what-if-'));
  gateway = await startGateway({ settings: { TEMPORAL_NAMESPACE: await ownNamespace(`what-if-${process.pid}`) } });
  const { LEADGATE_DATA_DIR, LEADGATE_KEYS = '', TEMPORAL_ADDRESS = '', TASK_QUEUE } = gateway.config;
  settings = { LEADGATE_DATA_DIR, LEADGATE_KEYS, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: gateway.engine.namespace, TASK_QUEUE };

  const toSite = (name: string, site: string, sentinel = '', more = {}) =>
    send(name, '/api/scr/send-to-leadforms', {
      site,
      ...more,
      sponsor: 'Acme',
      protocol: 'AD-301',
      first_name: secretName,
      last_name: lastName,
      email: `${secretName}.${Object.keys(leadIds).length}${sentinel}@example.org`,
    });
  await toSite('boca 1', boca);
  await toSite('boca 2', 'skin-care-boca-raton');
  await toSite('hollywood', hollywood);
  // A place that is the name of the person.
  const { name: _, ...ownFields } = sites()['skin-beauty-center'] ?? {};
  await toSite('own fields', `${secretName} ${lastName}`, '', ownFields);
  await toSite('failed', hollywood, '+leadforms-422-once');
  await gateway.post(`/api/leads/${leadIds.failed}/redrive`, { reason: 'another site', fields: { site: 'Skin & Beauty Center' } });
  await send('screening', '/api/screening/send-patient', {
    ...{ study_id: 1201, site_id: 33, first_name: secretName, last_name: lastName, email: `${secretName}.s@example.org` },
    ...{ race: 'Latino', recruitment_status: 'Maybe' },
  });
  await send('V1', '/api/clinicsys/no-prescreen', newLead('', { firstName: secretName, lastName, zipCode: '33432' }));
  await until(async () => {
    const { body } = await gateway.get('/api/leads/counts');
    return body.counts.delivered === 7;
  }, 'all leads are delivered, and listed as such');
});
afterAll(async () => {
  await gateway.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function send(name: string, path: string, body: object): Promise<void> {
  const { status, headers } = await gateway.post(path, body);
  expect([name, status]).toEqual([name, name === 'failed' ? 422 : 200]);
  leadIds[name] = String(headers.get('x-lead-id'));
}

/** Runs the command and checks that it prints no personal data. */
async function whatIf(argv: readonly string[], more: Record<string, string> = {}): Promise<CommandResult> {
  const said = await leadgate(['what-if', ...argv], { settings: { ...settings, ...more } });
  for (const secret of [secretName, lastName, 'Latino', '33432']) expect(said.out + said.err).not.toContain(secret);
  return said;
}

// eslint-disable-next-line -- a test reads into it
async function asJson(argv: readonly string[], more?: Record<string, string>): Promise<Record<string, any>> {
  const { status, out } = await whatIf([...argv, '--json'], more);
  return { status, ...(JSON.parse(out) as object) };
}

function fileOf(content: unknown): string {
  const path = join(dir, `${Math.random()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const without = (slug: string): Sites => Object.fromEntries(Object.entries(sites()).filter(([name]) => name !== slug));
const withSite = (slug: string, fields: object): Sites => ({ ...sites(), [slug]: { ...sites()[slug], ...fields } });
const one = { count: 1 };

describe('other sites', () => {
  it('without a difference change nothing', async () =>
    expect(await asJson(['--sites', demonstrationSites, '--exit-on-change'])).toMatchObject({
      status: 0,
      success: true,
      looked: 5,
      counts: { same: 5, changed: 0, becomesInvalid: 0, becomesValid: 0, staysInvalid: 0 },
      changes: [],
    }));

  it('show each changed field once for all leads of a site, with its values', async () => {
    const changed = fileOf(withSite('skin-care-boca-raton', { account_id: 1009, source_url: 'https://new.example.org' }));
    const { status, counts, changes } = await asJson(['--sites', changed]);
    expect([status, counts]).toEqual([0, expect.objectContaining({ same: 3, changed: 2, becomesInvalid: 0 })]);
    const both = { flow: 'leadforms', count: 2, leadIds: [leadIds['boca 2'], leadIds['boca 1']] };
    expect(changes).toEqual([
      { ...both, field: 'account_id', before: 1001, after: 1009 },
      { ...both, field: 'source_url', before: 'https://boca-raton.example.org/studies', after: 'https://new.example.org' },
    ]);
    const out = expect.stringMatching(/^ {2}2 {2}leadforms {2}account_id: 1001 → 1009 {2,}\S+, \S+$/m);
    expect(await whatIf(['--sites', changed])).toEqual({ status: 0, out, err: '' });
    expect(await whatIf(['--sites', changed, '--exit-on-change'])).toMatchObject({ status: 3 });
  });

  it('show that a key changed, and neither value', async () => {
    const another = fileOf(withSite('skin-care-hollywood', { key: 'another-secret-key' }));
    const { out } = await whatIf(['--sites', another, '--json']);
    expect(JSON.parse(out).changes).toEqual([
      { ...one, flow: 'leadforms', leadIds: [leadIds.hollywood], field: 'key', before: '[secret]', after: '[secret]' },
    ]);
    for (const text of [out, (await whatIf(['--sites', another])).out]) expect(text).not.toMatch(/another-secret-key|sandbox-key/);
  });

  it('without a site make its leads invalid, but not a lead that was redriven to another site', async () => {
    const removed = fileOf(without('skin-care-hollywood'));
    const { status, success, counts, problems } = await asJson(['--sites', removed]);
    expect([status, success, counts]).toEqual([1, false, expect.objectContaining({ same: 4, becomesInvalid: 1 })]);
    expect(problems.becomesInvalid).toEqual([
      {
        ...{ ...one, flow: 'leadforms', leadIds: [leadIds.hollywood], field: 'site', given: hollywood },
        message: expect.stringMatching(/^is not a known site\. The known sites are: .*Boca Raton/),
      },
    ]);
    const { out } = await whatIf(['--sites', removed, '--exit-on-change']);
    expect(out).toContain(`Leads that become invalid, because\n  1  leadforms  site (${hollywood}) is not a known site.`);
  });

  it('with a missing site make its leads valid', async () =>
    expect(await asJson(['--sites', demonstrationSites], { LEADFORMS_SITES_FILE: fileOf(without('skin-care-hollywood')) })).toMatchObject({
      status: 0,
      counts: { becomesInvalid: 0, becomesValid: 1 },
      problems: { becomesValid: [{ given: hollywood }] },
    }));

  it.each([
    ['{\n  "a": 1,\n}', 'it is not valid JSON: a name in double quotes is expected in line 3, column 1'],
    [{ boca: { ...sites()['skin-care-boca-raton'], account_id: 'x' } }, 'boca.account_id: must be a whole number'],
  ])('in an invalid file are refused before a lead is read: %j', async (content, why) => {
    const file = fileOf(content);
    expect(await whatIf(['--sites', file])).toEqual({
      status: 2,
      out: '',
      err: expect.stringContaining(`(${file}) is invalid:\n  ${why}`),
    });
  });
});

describe('other words and names', () => {
  it('for race and recruitment status show only the business term', async () => {
    const maps = fileOf({ race: { latino: 'White' }, recruitment_status: { maybe: 'Not eligible' } });
    const screening = { ...one, flow: 'screening', leadIds: [leadIds.screening] };
    expect(await asJson(['--screening-maps', maps])).toMatchObject({
      looked: 1,
      changes: [
        { ...screening, field: 'race', before: '•••', after: '•••' },
        { ...screening, field: 'recruitment_status', before: 'Referral', after: 'Not eligible' },
      ],
    });
  });

  it('for a field of V1 show the sent names', async () =>
    expect(await asJson(['--v1-field-map', '{"Zip":"PostalCode","Race":"RACE"}'])).toMatchObject({
      status: 0,
      looked: 1,
      changes: [{ ...one, flow: 'no-prescreen', leadIds: [leadIds.V1], field: 'Zip', before: 'Zip', after: 'PostalCode' }],
    }));

  it('for an unknown field of V1 are refused', async () =>
    expect(await whatIf(['--v1-field-map', '{"ZipCode":"Zip"}'])).toEqual({
      status: 2,
      out: '',
      err: expect.stringContaining('CLINICSYS_V1_FIELD_MAP: has "ZipCode", which is not a field of V1'),
    }));

  it('for the campaign show the sent value, unless it contains personal data', async () => {
    const campaign = (before: string, after: string) => expect.objectContaining({ ...one, field: 'campaign_name', before, after });
    expect((await asJson(['--campaign-template', '{protocol} {location}', '--limit', '2'])).changes).toEqual([
      campaign('Acme - Skin & Beauty Center', 'AD-301 Skin & Beauty Center'),
      campaign('•••', '•••'),
    ]);
  });
});

it.each([
  [[], 'Name at least one new setting: --sites, --campaign-template'],
  [['--sites', 'none.json'], 'there is no such file'],
  [['--sites', demonstrationSites, '--since', 'lately'], '--since must be a time'],
  [['--sites', demonstrationSites, '--limit', '0'], '--limit must be a number'],
])('%j exits with status 2 and the reason', async (argv, why) =>
  expect(await whatIf(argv)).toEqual({ status: 2, out: '', err: expect.stringContaining(why) }),
);

it('checks only leads since --since, and no erased lead', async () => {
  const since = new Date().toISOString();
  const email = 'somebody.else@example.org';
  await send('erased', '/api/clinicsys/no-prescreen', newLead('', { email }));
  const looked = async () => (await asJson(['--v1-field-map', '{}', '--since', since])).looked;
  await until(async () => (await looked()) === 1, 'the lead is looked at');
  await eraseUntilDone(gateway, { email });
  expect(await looked()).toBe(0);
});

it('starts and sends nothing, and is recorded on the audit trail with its counts', async () => {
  const { calls } = await gateway.sandbox();
  const begun = new Date().toISOString();
  await whatIf(['--sites', fileOf(without('skin-care-hollywood'))]);
  expect((await gateway.sandbox()).calls).toEqual(calls);
  expect((await gateway.client.workflow.count(`StartTime >= '${begun}'`)).count).toBe(0);
  const { body } = await gateway.get('/api/audit?action=what-if&limit=2');
  expect(body.entries).toEqual([
    expect.objectContaining({ who: 'local', outcome: 'done', same: 4, becomesInvalid: 1 }),
    expect.objectContaining({ who: 'local', outcome: 'asked' }),
  ]);
});
