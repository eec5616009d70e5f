import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvidenceStore } from '../../src/audit/evidence';
import { readTrailFiles } from '../../src/audit/lines';
import { openTrail } from '../../src/audit/trail';
import { parseConfig } from '../../src/config/config';
import { restoredFrom } from '../../src/config/restored';
import { endpoints } from '../../src/contract';
import { nobody } from '../../src/domain/evidence';
import { claimDataDir } from '../../src/engine/data-dir';
import { startEngine } from '../../src/engine/start';
import { parseKeyRing } from '../../src/keys/ring';
import { leadgate } from '../cli/support';
import { carryBatchOf } from '../support/carry-batch';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

/** `leadgate restore`: the whole copy into an empty directory, or nothing. */
describe('restore', () => {
  let dir: string;
  let copies = 0;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-restore-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const keyOf = (byte: number) => `k1:${Buffer.alloc(32, byte).toString('base64')}`;
  const restore = (from: string, into: string, key = keyOf(1)) =>
    leadgate(['restore', from, '--into', into], { settings: { LEADGATE_KEYS: key } });
  const names = (of: string) => readdirSync(of).filter((name) => name !== 'lost+found');

  /** A copy of a service that does not run. `before` adds to its data. */
  async function copied(before: (data: string) => Promise<unknown> = async () => undefined): Promise<string> {
    const data = join(dir, `data-${++copies}`);
    mkdirSync(data);
    await before(data);
    writeFileSync(join(data, 'engine.db'), 'the database');
    writeFileSync(join(data, 'engine.db-wal'), 'its log');
    const copy = join(dir, `copy-${copies}`);
    const { status, err } = await leadgate(['backup', copy], { settings: { LEADGATE_DATA_DIR: data, LEADGATE_KEYS: keyOf(1) } });
    expect([status, err]).toEqual([0, '']);
    return copy;
  }

  it('restores every file, and stores the moment of the copy', async () => {
    const copy = await copied();
    const into = join(dir, 'new');
    mkdirSync(into);
    writeFileSync(join(into, 'keys'), keyOf(1));
    const { status, out } = await restore(copy, into);
    const { copiedAt } = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
    expect([status, out]).toEqual([0, expect.stringContaining(`Leads accepted between ${copiedAt} and `)]);
    expect(names(into).toSorted()).toEqual(['audit', 'engine.db', 'engine.db-wal', 'keys', 'restored.json']);
    expect(readFileSync(join(into, 'engine.db-wal'), 'utf8')).toBe('its log');
    const trail = await leadgate(['audit', 'verify'], { settings: { LEADGATE_DATA_DIR: into } });
    expect(trail.status).toBe(0);
    const lines = (await readTrailFiles(join(into, 'audit'))).flatMap((file) => file.lines);
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(['opened', 'backup', 'opened', 'restore']);
    expect(restoredFrom(parseConfig({ LEADGATE_DATA_DIR: into }))).toBe(Date.parse(copiedAt));
  });

  it('restores the evidence of the audit trail', async () => {
    const keys = parseKeyRing(keyOf(1));
    const storeIn = (data: string) => createEvidenceStore(join(data, 'audit'), keys);
    let digest = '';
    const copy = await copied(async (data) => {
      digest = await storeIn(data).keep({ reason: 'she asked' }, nobody);
      const trail = openTrail(join(data, 'audit'), keys);
      await trail.write({ who: 'ann', action: 'discard', outcome: 'done', evidence: digest });
      await trail.close();
    });
    const into = join(dir, 'with-evidence');
    mkdirSync(into);
    writeFileSync(join(into, 'keys'), keyOf(1));
    expect((await restore(copy, into)).status).toBe(0);
    expect(await storeIn(into).read(digest)).toEqual({ reason: 'she asked' });
    expect((await leadgate(['audit', 'verify'], { settings: { LEADGATE_DATA_DIR: into } })).status).toBe(0);
  });

  /** Changes the manifest as somebody without the keys could. */
  const edit = (change: (manifest: Record<string, unknown>) => object) => (copy: string) => {
    const file = join(copy, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, ...change(manifest) }));
  };
  const outside = { path: 'audit/../../evil', bytes: 0, sha256: '' };

  it.each([
    ['another moment', edit(() => ({ copiedAt: '2020-01-01T00:00:00.000Z' })), /manifest was changed after it was written/],
    ['a file less', edit(({ files }) => ({ files: (files as object[]).slice(1) })), /manifest was changed after it was written/],
    ['a file outside', edit(({ files }) => ({ files: [...(files as object[]), outside] })), /the copy is not complete/],
    [
      'a file outside of the evidence',
      edit(() => ({ files: [{ ...outside, path: 'audit/evidence/../../evil' }] })),
      /the copy is not complete/,
    ],
    ['a file of a directory above', edit(() => ({ files: [{ ...outside, path: '../evil' }] })), /the copy is not complete/],
    ['a file that was changed', (copy: string) => appendFileSync(join(copy, 'engine.db'), '!'), /engine\.db is not as it was copied/],
    ['a file that is missing', (copy: string) => rmSync(join(copy, 'engine.db-wal')), /engine\.db-wal is missing/],
    ['no manifest', (copy: string) => rmSync(join(copy, 'manifest.json')), /holds no copy/],
    ['a manifest that was cut', (copy: string) => writeFileSync(join(copy, 'manifest.json'), '{"format": 1'), /the copy is not complete/],
  ])('refuses a copy with %s', async (_, spoil, words) => {
    const copy = await copied();
    spoil(copy);
    const into = join(dir, 'new');
    expect(await restore(copy, into)).toMatchObject({ status: 2, err: expect.stringMatching(words) });
    expect(readdirSync(dir)).not.toContain('new');
  });

  it('names one of the copies if the directory holds several', async () => {
    const copy = await copied();
    const all = join(dir, 'all');
    cpSync(copy, join(all, 'first'), { recursive: true });
    expect(await restore(all, join(dir, 'new'))).toMatchObject({ status: 2, err: expect.stringContaining(join(all, 'first')) });
  });

  it('refuses a directory that is not empty', async () => {
    const into = join(dir, 'new');
    mkdirSync(into);
    writeFileSync(join(into, 'engine.db'), 'mine');
    expect(await restore(await copied(), into)).toMatchObject({ status: 2, err: expect.stringContaining('is not empty') });
    expect(readFileSync(join(into, 'engine.db'), 'utf8')).toBe('mine');
  });

  it('refuses a directory that a service uses', async () => {
    const into = join(dir, 'new');
    const claim = await claimDataDir(into);
    expect(await restore(await copied(), into)).toMatchObject({ status: 2, err: expect.stringContaining('in use by another Leadgate') });
    claim.release();
    expect(names(into)).toEqual([]);
  });

  it('refuses keys that cannot decrypt the copy', async () => {
    const into = join(dir, 'new');
    expect(await restore(await copied(), into, keyOf(2))).toMatchObject({
      status: 2,
      err: expect.stringMatching(/needs encryption keys .*k1/),
    });
    expect(readdirSync(dir)).not.toContain('new');
  });

  it('prevents an engine from starting on an incomplete restore', async () => {
    writeFileSync(join(dir, 'restoring.json'), '{}');
    const config = parseConfig({ LEADGATE_DATA_DIR: dir, TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0' });
    await expect(startEngine(config)).rejects.toThrow('did not end');
    expect(readdirSync(dir)).toEqual(['restoring.json']);
  });
});

/** After a restore, no lead of the copy is sent by itself: it may have gone out since. */
describe('after a restore', () => {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-restored-'));
  const settings = {
    LEADGATE_DATA_DIR: dir,
    TASK_QUEUE: `test-${randomUUID()}`,
    LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  };
  const { path, example } = endpoints.sendToRecruit;
  const atOnce = { prefer: 'respond-async' };

  let gateway: Gateway;
  let copiedAt: string;
  let forwarded: string;
  let sentAgain: string;
  let atSite: string;

  beforeAll(async () => {
    const lost = await startGateway({ settings, withoutWorker: true });
    const accepted = async (route: string, body: object) => (await lost.post(route, body, atOnce)).body.leadId as string;
    forwarded = await accepted(path, { ...example, email: newLead('waits').email });
    sentAgain = await accepted(path, { ...example, email: newLead('again').email });
    atSite = await accepted('/api/clinicsys/no-prescreen', newLead('at-site'));
    await lost.stop();
    copiedAt = new Date().toISOString();
    gateway = await startGateway({ settings: { ...settings, RESTORED_FROM: copiedAt } });
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const leadNow = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body;
  const calls = async (call: string, whose: string) =>
    (await gateway.sandbox()).requests.filter((one) => one.call === call && `${one.url} ${one.body}`.includes(whose)).length;
  const parked = (leadId: string) =>
    until(async () => {
      const lead = await leadNow(leadId);
      return lead.state === 'parked' && lead;
    }, 'the lead is parked');

  it('a forwarded lead is parked with the reason', async () => {
    const { restored, steps } = await parked(forwarded);
    expect(restored).toBe(copiedAt);
    const message = `Its run was open in the copy of ${copiedAt}, which was restored: it may have been accepted, so it is not sent again automatically`;
    expect(steps).toMatchObject([{ state: 'parked', error: { code: 'OUTCOME_UNKNOWN', message } }]);
    expect(await calls('recruit', 'waits')).toBe(0);
  });

  it('a lead of the site system is looked up', async () => {
    await until(async () => (await leadNow(atSite)).state === 'verifying', 'the lead is looked up');
    expect(await calls('v1', 'at-site')).toBe(0);
  });

  it('the list marks restored leads, and filters by them', async () => {
    const body = await until(async () => {
      const list = (await gateway.get('/api/leads?restored=true')).body;
      return list.count === 3 && list;
    }, 'the leads are listed');
    expect(body.leads.map(({ leadId, restored }: Record<string, string>) => [leadId, restored])).toEqual([
      [atSite, copiedAt],
      [sentAgain, copiedAt],
      [forwarded, copiedAt],
    ]);
    const { out } = await leadgate(['lead', 'find', '--restored'], { settings: { LEADGATE_URL: gateway.url } });
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual([atSite, sentAgain, forwarded, '']);
    expect((await leadgate(['lead', 'show', forwarded], { settings: { LEADGATE_URL: gateway.url } })).out).toContain(
      `Open in the restored copy of ${copiedAt}`,
    );
  });

  it('a later lead is sent, and is not in that list', async () => {
    const { status, headers } = await gateway.post('/api/clinicsys/no-prescreen', newLead());
    expect(status).toBe(200);
    expect((await leadNow(headers.get('x-lead-id') ?? '')).restored).toBeUndefined();
  });

  it('a bulk order from before the restore is not continued', async () => {
    await parked(forwarded);
    const carryBatch = carryBatchOf(gateway, { copiedAt: Date.parse(copiedAt) });
    const order = { verb: 'resend', leadIds: [forwarded], pauseMs: 1, reason: 'looked', orderId: 'one' } as const;
    expect(await carryBatch({ ...order, startedAt: copiedAt })).toMatchObject([{ outcome: 'unknown', code: 'OUTCOME_UNKNOWN' }]);
    expect((await leadNow(forwarded)).state).toBe('parked');
  });

  it('a lead that a person resends is sent', async () => {
    await parked(sentAgain);
    expect((await gateway.post(`/api/leads/${sentAgain}/resend`, { reason: 'it is not there' })).status).toBe(200);
    expect((await gateway.get(`/api/leads/${sentAgain}?wait=60`)).body).toMatchObject({ state: 'delivered', restored: copiedAt });
    expect(await calls('recruit', 'again')).toBe(1);
  });
});
