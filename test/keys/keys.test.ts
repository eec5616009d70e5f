import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseConfig } from '../../src/config/config';
import { pausesId } from '../../src/domain/pauses';
import { workflowIdOf } from '../../src/domain/ids';
import { withNewKey, withoutKey } from '../../src/keys/key-change';
import { loadKeyRing, parseKeyEntries, parseKeyRing, writeKeyEntries } from '../../src/keys/ring';
import { assertKeysFit, keyUse } from '../../src/runtime/key-use';
import { describe as find } from '../../src/temporal/ask';
import { eraseUntilDone } from '../support/background';
import { newLead, startGateway, type GatewayAnswer, type Gateway } from '../support/gateway';
import { until } from '../support/until';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const unused = (...ids: string[]) => [...ids, ''].map((id) => ({ id, open: 0, closed: 0 }));

describe('the key ring', () => {
  const k1 = key('k1');

  it('encrypts with the first key and hashes with the oldest, so that a new key in front changes no id and no search', () => {
    const before = parseKeyRing(k1);
    const after = parseKeyRing(`${key('k2')},${k1}`);
    expect([before.current.id, after.current.id]).toEqual(['k1', 'k2']);
    expect(after.hash('email', 'ann')).toBe(before.hash('email', 'ann'));
  });

  it('keeps its hashes when the oldest key is retired, but not the key', () => {
    const { written } = withNewKey(k1);
    const retired = withoutKey(written, 'k1', unused('k1', 'k2'));
    const ring = parseKeyRing(retired.written);
    expect([...ring.byId.keys()]).toEqual(['k2']);
    expect(ring.hash('email', 'ann')).toBe(parseKeyRing(k1).hash('email', 'ann'));
    expect(retired.written).not.toContain(k1.slice(3));
    const again = withoutKey(withNewKey(retired.written).written, 'k2', unused('k2', 'k3'));
    expect(parseKeyRing(again.written).hash('email', 'ann')).toBe(ring.hash('email', 'ann'));
  });

  it.each([
    ['the key that writes', 'k3', unused('k1', 'k2', 'k3'), /encrypts: add a new key first/],
    ['a key that is not there', 'k9', unused('k1', 'k2', 'k3'), /There is no key "k9"/],
    ['a key that open runs need', 'k1', [{ id: 'k1', open: 2, closed: 0 }], /still needed.*2 open/],
    ['a key that evidence needs', 'k1', [{ id: 'k1', open: 0, closed: 0, evidence: 1 }], /evidence of 1 action on the audit trail/],
    ['a key that kept runs need', 'k1', [{ id: 'k1', open: 0, closed: 3 }], /3 closed/],
    [
      'a key while runs of an older one are stored: it may have written into them',
      'k2',
      [{ id: 'k1', open: 1, closed: 0 }],
      /of the key "k1"/,
    ],
  ])('does not retire %s', (_, id, use, message) => expect(() => withoutKey([key('k3'), key('k2'), k1].join(), id, use)).toThrow(message));

  it('refuses a duplicate id and an invalid one', () => {
    expect(() => withNewKey(k1, 'k1')).toThrow('There is a key "k1" already');
    expect(() => withNewKey(k1, 'a b')).toThrow('must be id:base64');
    expect(withNewKey(key('k2')).id).toBe('k3');
  });

  it('distinguishes two keys with the same id', () =>
    expect(parseKeyRing(key('k1')).fingerprints.get('k1')).not.toBe(parseKeyRing(key('k1')).fingerprints.get('k1')));
});

describe('without configured keys', () => {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-keys-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  const settings = { LEADGATE_DATA_DIR: dir };

  it('generates a key once, for the engine of this machine', () =>
    expect(loadKeyRing(parseConfig(settings)).fingerprints).toEqual(loadKeyRing(parseConfig(settings)).fingerprints));

  it('generates none in production, and says how to create one', () => {
    const production = { ...settings, NODE_ENV: 'production' };
    const load = () => loadKeyRing(parseConfig(production));
    expect(load).toThrow(/LEADGATE_KEYS_FILE or LEADGATE_KEYS/);
    expect(load).toThrow(/openssl rand -base64 32/);
    expect(loadKeyRing(parseConfig({ ...production, LEADGATE_KEYS: key('k1') })).current.id).toBe('k1');
  });
});

describe('a rotation', () => {
  const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
  const noPrescreen = '/api/clinicsys/no-prescreen';
  const old = key('k1');
  const { written: rotated } = withNewKey(old);

  let before: Gateway;
  let after: Gateway;
  let parked: string;
  let lead: ReturnType<typeof newLead>;
  /** The answer to a lead under the new key. */
  let written: GatewayAnswer;
  const use = () => keyUse(after.engine, after.keys, after.config.TASK_QUEUE);
  const idempotencyKey = { 'idempotency-key': randomBytes(8).toString('hex') };

  /** A lead waits for a person under the old key; then everything is started again with a new key in front. */
  beforeAll(async () => {
    before = await startGateway({ settings: { LEADGATE_KEYS: old } });
    lead = newLead();
    await before.post(noPrescreen, lead, idempotencyKey);
    ({
      body: { leadId: parked },
    } = await before.post(noPrescreen, newLead('comment-422')));
    await before.stop();
    after = await startGateway({ settings: { LEADGATE_KEYS: rotated, TASK_QUEUE: before.config.TASK_QUEUE } });
    written = await after.post(noPrescreen, newLead());
    const isCounted = async () => (await use()).some(({ id, closed }) => id === 'k2' && closed > 0);
    await until(isCounted, 'the run is counted for its key');
  });
  afterAll(async () => {
    await before.stop();
    await after.stop();
  });

  describe('with a new key in front', () => {
    it('open runs continue, repeats are recognised and leads are found', async () => {
      const replayed = await after.post(noPrescreen, lead, idempotencyKey);
      expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect((await after.get(`/api/leads?email=${encodeURIComponent(lead.email)}`)).body.count).toBe(1);
      expect((await after.get(`/api/leads/${parked}`)).body.state).toBe('parked');
    });

    it('new runs are encrypted with it', async () => {
      const history = await after.client.workflow.getHandle(written.headers.get('x-workflow-id') ?? '').fetchHistory();
      const used = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.metadata?.['encryption-key-id'];
      expect(Buffer.from(used ?? []).toString()).toBe('k2');
      expect(await use()).toMatchObject([
        { id: 'k2', open: 0 },
        { id: 'k1', open: 2 },
        { id: '', open: 0, closed: 0 },
      ]);
    });
  });

  it('every kind of run stores the fingerprint of its key', async () => {
    const ofQueue = `TaskQueue = '${after.config.TASK_QUEUE}'`;
    const failing = { instanceName: 'erg-oct.key-404', protocol: 'mistyped' };
    await after.post(noPrescreen, newLead('', failing));
    const order = { filter: { protocol: 'mistyped' }, reason: 'mistyped', fields: { instanceName: 'erg-oct' } };
    await until(async () => (await after.post('/api/redrives', order)).body.count === 1, 'it is counted');
    const { redriveId } = (await after.post('/api/redrives', { ...order, count: 1 })).body;
    await until(async () => (await after.get(`/api/redrives/${redriveId}`)).body.state === 'done', 'it is redriven');
    await eraseUntilDone(after, { email: newLead().email });
    const count = async (query: string) => (await after.client.workflow.count(query)).count;
    const lists = async () => (await count(`${ofQueue} AND WorkflowType IN ('carryOrder', 'erasePerson')`)) === 2;
    await until(lists, 'the order and the erasure are listed');
    expect(await count(`${ofQueue} AND LeadKeyId IS NULL`)).toBe(0);
  });

  describe('a start', () => {
    const fits = (keys: string) => assertKeysFit(after.engine, parseKeyRing(keys), after.config.TASK_QUEUE);

    // The engine's index lags: runs that other tests made count as open until it knows of their end.
    beforeAll(async () => {
      const open = async () => (await use()).reduce((sum, key) => sum + key.open, 0);
      await until(async () => (await open()) === 2, 'only the parked lead and its lock are open');
    });

    it('is accepted with the whole ring, and with any ring if nothing is stored', async () => {
      await expect(fits(rotated)).resolves.toBeUndefined();
      await expect(assertKeysFit(after.engine, parseKeyRing(key('k1')), 'nothing-here')).resolves.toBeUndefined();
      const unmade = { ...after.engine, namespace: 'nobody-made-it' };
      await expect(assertKeysFit(unmade, parseKeyRing(key('k1')), 'any')).resolves.toBeUndefined();
    });

    it.each<[string, () => string, RegExp]>([
      [
        'without the key that an open run needs',
        () => key('k2'),
        /for 2 open runs the encryption key "k1" is needed, which is not in LEADGATE_KEYS/,
      ],
      ['with another key of that name', () => key('k1'), /"k1" with the fingerprint \w+ is needed; the "k1" of this ring is another key/],
      ['with another key at the end, which would change the hashes', () => `${old},${key('k0')}`, /so repeats would not be recognised/],
      ['without a key that wrote while the run was open', () => old, /"k2" is needed, which is not in LEADGATE_KEYS/],
    ])('%s is refused, and says what to do', async (_, keys, message) => {
      await expect(fits(keys())).rejects.toThrow(message);
      await expect(fits(keys())).rejects.toThrow(/Nothing was changed or deleted/);
    });

    it.each(['worker', 'api/server'])('of the part %s ends with status 1 and these words', async (part) => {
      const env = {
        PATH: process.env.PATH,
        TEMPORAL_ADDRESS: after.config.TEMPORAL_ADDRESS,
        TEMPORAL_NAMESPACE: after.engine.namespace,
        TASK_QUEUE: after.config.TASK_QUEUE,
        LEADGATE_DATA_DIR: after.config.LEADGATE_DATA_DIR,
        LEADGATE_KEYS: key('k9'),
        RETENTION_H: '24',
        IDEMPOTENCY_WINDOW_H: '24',
        PORT: '0',
      };
      const args = [join(__dirname, '../support/run-ts.js'), join(__dirname, `../../src/${part}.ts`)];
      const failed = await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 }).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('This start is refused: ') });
      expect((await after.get(`/api/leads/${parked}`)).body.state).toBe('parked');
    });
  });

  it('the old key is retired once no run needs it, and ids and searches stay', async () => {
    const gateway = await startGateway({ settings: { LEADGATE_KEYS: old } });
    try {
      const { engine, config, keys, client } = gateway;
      await gateway.post(noPrescreen, newLead());
      const oldKey = async () => (await keyUse(engine, parseKeyRing(rotated), config.TASK_QUEUE)).find(({ id }) => id === 'k1');
      await until(async () => ((await oldKey())?.closed ?? 0) > 0, 'the run is counted for its key');
      expect(() => withoutKey(rotated, 'k1', [{ id: 'k1', open: 1, closed: 0 }])).toThrow('still needed');
      const query = `TaskQueue = '${config.TASK_QUEUE}' AND LeadKeyId STARTS_WITH 'k1:'`;
      for await (const { workflowId, runId } of client.workflow.list({ query }))
        await client.workflowService.deleteWorkflowExecution({ namespace: engine.namespace, workflowExecution: { workflowId, runId } });
      const isUnused = async () => ((await oldKey())?.open ?? 1) + ((await oldKey())?.closed ?? 1) === 0;
      await until(isUnused, 'no run of the old key is stored');
      const { written: kept } = withoutKey(rotated, 'k1', await keyUse(engine, parseKeyRing(rotated), config.TASK_QUEUE));
      await assertKeysFit(engine, parseKeyRing(kept), config.TASK_QUEUE);
      expect(parseKeyRing(kept).hash('email', lead.email)).toBe(keys.hash('email', lead.email));
    } finally {
      await gateway.stop();
    }
  });

  describe('closed runs', () => {
    let stored: Gateway;
    let written: ReturnType<typeof newLead>;
    let erased: ReturnType<typeof newLead>;
    let lost: string;
    const again = { 'idempotency-key': randomBytes(8).toString('hex') };

    /** A gateway whose runs have ended: the first lead's with these headers, and those of others. */
    async function withClosedRuns(first: object, headers = {}, ...others: object[]): Promise<Gateway> {
      const gateway = await startGateway({ settings: { LEADGATE_KEYS: old } });
      await gateway.post(noPrescreen, first, headers);
      for (const other of others) await gateway.post(noPrescreen, other);
      const query = `TaskQueue = '${gateway.config.TASK_QUEUE}' AND LeadFlow IS NOT NULL AND ExecutionStatus = 'Completed'`;
      await until(async () => (await gateway.client.workflow.count(query)).count === 1 + others.length, 'the closed runs are listed');
      return gateway;
    }

    beforeAll(async () => {
      written = newLead();
      erased = newLead();
      const first = await withClosedRuns(written, again, erased);
      await first.stop();
      // As if the old key was lost, and only the key of the hashes was kept.
      lost = writeKeyEntries({ ...parseKeyEntries(old), keys: [{ id: 'k9', key: randomBytes(32) }], hasHashEntry: true });
      stored = await startGateway({ settings: { LEADGATE_KEYS: lost, TASK_QUEUE: first.config.TASK_QUEUE } });
    });
    afterAll(() => stored.stop());

    it('a ring that would not recognise the repeats of closed runs is refused', async () => {
      const { engine, config, stop } = await withClosedRuns(newLead());
      try {
        const fits = (keys: string) => assertKeysFit(engine, parseKeyRing(keys), config.TASK_QUEUE);
        await fits(old);
        await fits(`${key('k0')},${old}`);
        await expect(fits(`${old},${key('k0')}`)).rejects.toThrow(/for the runs that are stored .* repeats would not be recognised/);
      } finally {
        await stop();
      }
    });

    it('with a lost key hide no other runs, and their repeats are not sent again', async () => {
      const repeat = await stored.post(noPrescreen, written, again);
      expect([repeat.status, repeat.body.error.code, repeat.body.error.retryable]).toEqual([502, 'OUTCOME_UNKNOWN', false]);
      const sent = await stored.post(noPrescreen, newLead());
      const leadId = sent.headers.get('x-lead-id');
      await until(async () => {
        const { status, body } = await stored.get('/api/leads');
        expect(status).toBe(200);
        return body.leads.some((lead: { leadId: string }) => lead.leadId === leadId);
      }, 'the new lead is listed');
    });

    it('with a lost key get the same answer when the intake is full', async () => {
      const full = await startGateway({
        settings: { LEADGATE_KEYS: lost, TASK_QUEUE: stored.config.TASK_QUEUE, OPEN_LEADS_MAX: '0' },
        withoutWorker: true,
      });
      try {
        const repeat = await full.post(noPrescreen, written, again);
        expect([repeat.status, repeat.body.error.code]).toEqual([502, 'OUTCOME_UNKNOWN']);
        expect((await full.post(noPrescreen, newLead())).status).toBe(503);
      } finally {
        await full.stop();
      }
    });

    it('with a lost key are counted and erased with the person', async () => {
      const { email } = erased;
      const counted = await stored.post('/api/erase', { email, dryRun: true });
      expect([counted.status, counted.body.leads]).toEqual([200, 1]);
      const receipt = (await eraseUntilDone(stored, { email })).at(-1)?.body;
      expect(receipt).toMatchObject({ leads: 1, counts: [{ flow: 'no-prescreen', state: 'delivered' }] });
      expect(await find(stored.client, workflowIdOf(receipt.leadIds[0]))).toBeUndefined();
    });
  });

  it('the run of the pauses moves to a new key with its next change, and keeps all pauses and reasons', async () => {
    const first = await startGateway({ settings: { LEADGATE_KEYS: old } });
    const { TASK_QUEUE } = first.config;
    const pause = (gateway: Gateway, upstream: string) =>
      gateway.post('/api/upstreams/pause', { upstream, reason: `${upstream} is updated` });
    expect((await pause(first, 'V1')).status).toBe(200);
    await first.stop();
    const next = await startGateway({ settings: { LEADGATE_KEYS: rotated, TASK_QUEUE } });
    try {
      expect((await pause(next, 'V2')).status).toBe(200);
      const mark = async () => (await next.client.workflow.getHandle(pausesId(TASK_QUEUE)).describe()).searchAttributes.LeadKeyId;
      await until(async () => String(await mark()).startsWith('k2:'), 'the run is marked with the new key');
      const { changes, upstreams } = (await next.get('/api/upstreams')).body;
      expect(changes).toMatchObject([
        { upstream: 'V2', reason: 'V2 is updated' },
        { upstream: 'V1', reason: 'V1 is updated' },
      ]);
      const paused = (upstreams as { upstream: string; state: string }[]).filter(({ state }) => state === 'paused');
      expect(paused.map(({ upstream }) => upstream)).toEqual(['V1', 'V2']);
    } finally {
      await next.stop();
    }
  });
});
