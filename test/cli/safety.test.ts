import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditDir } from '../../src/audit/lines';
import { parseKeyRing } from '../../src/keys/ring';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { leadgate } from './support';

const dir = mkdtempSync(join(tmpdir(), 'leadgate-cli-safety-'));
const keysFile = join(dir, 'keys');
const written = `k1:${randomBytes(32).toString('base64')}`;
writeFileSync(keysFile, written, { mode: 0o640 });

let gateway: Gateway;
let settings: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway({ settings: { LEADGATE_KEYS: written, LEADGATE_DATA_DIR: dir } });
  settings = {
    LEADGATE_URL: gateway.url,
    LEADGATE_DATA_DIR: dir,
    LEADGATE_KEYS_FILE: keysFile,
    TEMPORAL_ADDRESS: gateway.config.TEMPORAL_ADDRESS ?? '',
    TEMPORAL_NAMESPACE: gateway.engine.namespace,
    TASK_QUEUE: gateway.config.TASK_QUEUE,
  };
});
afterAll(async () => {
  await gateway.stop();
  rmSync(dir, { recursive: true });
});

const say = (...argv: string[]) => leadgate(argv, { settings });
const noPrescreen = '/api/clinicsys/no-prescreen';

it('erase counts first, erases with --yes, and a repeat reports the same erasure', async () => {
  const { email } = newLead();
  await gateway.post(noPrescreen, newLead('comment-422', { email }));
  const person = ['erase', '--email', email, '--reason', 'asked'];
  const count = await say(...person);
  expect([count.status, count.out]).toEqual([
    0,
    expect.stringMatching(/^no-prescreen {2}\w+ {2}erg-oct {2}1\n1 lead, \d runs?; nothing was erased/),
  ]);
  expect(await say(...person, '--yes')).toMatchObject({ status: 0, out: expect.stringMatching(/1 lead, \d runs? erased; receipt e\w+/) });
  expect(JSON.parse((await say(...person, '--yes', '--json')).out)).toMatchObject({ leads: 1, runs: 1 });
  expect(await say('erase', '--reason', 'asked')).toMatchObject({ status: 2 });
});

it('an incomplete erase reports its progress and no receipt', async () => {
  const upstream = await openUpstream();
  const body = { success: false, pending: true, message: 'Not everything is gone yet', leads: 2, runs: 3, counts: [], underWay: [] };
  upstream.answerWith({ status: 202, body });
  expect(
    await leadgate(['erase', '--email', 'a@b.org', '--reason', 'asked', '--yes'], { settings: { LEADGATE_URL: upstream.url } }),
  ).toEqual({
    status: 1,
    out: '2 leads, 3 runs erased so far\n',
    err: 'Not everything is gone yet\n',
  });
  await upstream.close();
});

it('audit list shows an erasure, and audit verify verifies the trail', async () => {
  await say('erase', '--email', newLead().email, '--reason', 'asked', '--yes');
  const { out } = await say('audit', 'list', '--action', 'erase');
  expect(out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}local \(127\.0\.0\.1\) +erase +done/);
  expect((await say('audit', 'list', '--since', '2h', '--action', 'erase')).out).toBe(out);
  expect(await say('audit', 'list', '--until', '2h', '--action', 'erase')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^No entry/),
  });
  expect(await say('audit', 'list', '--since', 'June')).toMatchObject({
    status: 2,
    err: 'leadgate: --since must be a time, like 2026-11-21, 2026-11-21T14:00Z, or 90m, 2h or 3d for that long ago\n',
  });
  expect(await say('audit', 'verify')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^whole: \d+ entries in (1 file|([2-9]|\d\d+) files)$/m),
  });
  const [first = ''] = readdirSync(auditDir(dir));
  const file = join(auditDir(dir), first);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"who":"local"', '"who":"other"'));
  expect(await say('audit', 'verify')).toMatchObject({ status: 1, out: expect.stringContaining(`${first}: line 2 was changed`) });
  writeFileSync(file, text);
});

it('audit list shows why something was done, its values in clear only with --clear, and that they were erased', async () => {
  const lead = newLead('', { instanceName: 'erg-oct.key-404', lastName: 'Featherstone' });
  const { leadId } = (await gateway.post(noPrescreen, lead)).body;
  const fields = { instanceName: 'erg-oct', lastName: 'Feather' };
  await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'mistyped\nby the site', fields });
  const list = async (...more: string[]) => (await say('audit', 'list', '--lead', leadId, '--action', 'redrive', ...more)).out;
  expect(await list()).toContain('mistyped by the site; instanceName: erg-oct.key-404 → erg-oct; lastName: F… → F…');
  expect(await list('--clear')).toContain('lastName: Featherstone → Feather');
  await say('erase', '--email', lead.email, '--reason', 'asked', '--yes');
  expect(await list()).toMatch(/redrive {2}done .* evidence erased\n/);
});

it('audit list shows the order that an act started, and the number of its leads', async () => {
  const { body } = await gateway.post('/api/reconciliations', { since: new Date().toISOString() });
  const entries = (await say('audit', 'list', '--action', 'reconcile')).out;
  expect(entries).toMatch(new RegExp(`reconcile  done +${body.reconciliationId} \\d+ leads?\\n`));
});

it('keys are listed without their values, added, counted, and not retired while a run needs them', async () => {
  await gateway.post(noPrescreen, newLead());
  expect(await say('keys', 'list')).toMatchObject({ status: 0, out: expect.stringMatching(/^k1 {2}\w{8} {2}writes\n$/) });
  expect(await say('keys', 'add')).toMatchObject({ status: 0, out: expect.stringContaining(`k2, in ${keysFile}`) });
  const ring = parseKeyRing(readFileSync(keysFile, 'utf8'));
  expect([ring.current.id, ring.hash('email', 'ann'), statSync(keysFile).mode & 0o777]).toEqual([
    'k2',
    gateway.keys.hash('email', 'ann'),
    0o640,
  ]);
  expect((await say('keys', 'list')).out).toMatch(/^k2 .* writes\nk1 .* reads\n$/);
  const check = async () => JSON.parse((await say('keys', 'check', '--json')).out);
  expect(await check()).toMatchObject({ success: true, keys: [{ id: 'k2' }, { id: 'k1' }, { id: '' }] });
  await until(async () => (await check()).keys[1].open === 0, 'the index has the end of the run');
  expect(await say('keys', 'retire', 'k1')).toMatchObject({ status: 2, err: expect.stringContaining('still needed') });
  const [{ evidence = 0 } = {}] = (await check()).keys.filter(({ id }: { id: string }) => id === 'k1');
  expect(evidence).toBe(readdirSync(join(auditDir(dir), 'evidence')).length);
  expect(await say('doctor')).toMatchObject({ out: expect.not.stringContaining('needs a key that is missing') });
  const withoutOld = { ...settings, LEADGATE_KEYS_FILE: join(dir, 'other-keys') };
  writeFileSync(withoutOld.LEADGATE_KEYS_FILE, `k9:${randomBytes(32).toString('base64')}`);
  expect((await leadgate(['doctor'], { settings: withoutOld })).out).toContain('on the audit trail needs a key that is missing');
  expect((await say('audit', 'list', '--action', 'keys add')).out).toMatch(/local {2}keys add {2}done/);
  expect((await say('audit', 'verify')).status).toBe(0);
});

it('keys add prints the new value if the keys are in the environment', async () => {
  const { out } = await leadgate(['keys', 'add'], { settings: { ...settings, LEADGATE_KEYS: written } });
  const [, value = ''] = /^LEADGATE_KEYS=(.+)$/m.exec(out) ?? [];
  expect([...parseKeyRing(value).byId.keys()]).toEqual(['k2', 'k1']);
});

describe('without a data directory or keys', () => {
  const none = join(dir, 'none');
  const empty = join(dir, 'empty');
  mkdirSync(empty);
  const noDir = `There is no data directory at ${none}: see LEADGATE_DATA_DIR`;
  const noKeys = `There are no encryption keys at ${empty}/keys: see LEADGATE_DATA_DIR, LEADGATE_KEYS and LEADGATE_KEYS_FILE`;
  const noFile = `There are no encryption keys at ${none}: see LEADGATE_KEYS_FILE`;
  const needKeys = [
    'keys list',
    'keys check',
    'keys add',
    'keys retire k1',
    'audit verify',
    'backup copy',
    'what-if --campaign-template x',
  ];

  it.each(needKeys)('%s reports the missing place and its setting, and creates nothing', async (typed) => {
    const said = (more: Record<string, string>) => leadgate(typed.split(' '), { settings: more });
    expect(await said({ LEADGATE_DATA_DIR: none })).toEqual({ status: 2, out: '', err: `leadgate: ${noDir}\n` });
    expect(await said({ LEADGATE_DATA_DIR: empty })).toEqual({ status: 2, out: '', err: `leadgate: ${noKeys}\n` });
    expect(await said({ LEADGATE_DATA_DIR: empty, LEADGATE_KEYS_FILE: none })).toEqual({
      status: 2,
      out: '',
      err: `leadgate: ${noFile}\n`,
    });
    expect([existsSync(none), readdirSync(empty)]).toEqual([false, []]);
  });

  it.each(['audit verify', 'backup copy'])('%s with keys reports the missing data directory, and creates none', async (typed) => {
    const said = await leadgate(typed.split(' '), { settings: { LEADGATE_DATA_DIR: none, LEADGATE_KEYS: written } });
    expect([said, existsSync(none)]).toEqual([{ status: 2, out: '', err: `leadgate: ${noDir}\n` }, false]);
  });

  it('audit verify exits with 1 without a trail', async () => {
    const said = await leadgate(['audit', 'verify'], { settings: { LEADGATE_DATA_DIR: empty, LEADGATE_KEYS: written } });
    expect(said).toEqual({
      status: 1,
      out: '',
      err: `leadgate: There is no audit trail at ${auditDir(empty)}. The first operator action creates it; if there was one, its files were removed\n`,
    });
    expect(readdirSync(empty)).toEqual([]);
  });
});
