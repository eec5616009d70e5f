import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { parseConfig } from '../../src/config/config';
import { upstreamsOf } from '../../src/config/upstreams';
import { endpoints } from '../../src/contract';
import { createAdmission, NotAdmitted } from '../../src/intake/admission';
import { createRateLimit } from '../../src/intake/rate-limit';
import { createPreparation } from '../../src/intake/intake';
import type { StartRequest } from '../../src/intake/run-options';
import { createStarter, type RequestRun } from '../../src/intake/start';
import { createSearch } from '../../src/leads/search';
import { startedLate, startedWithoutAnswer, withFailingStarts, lost } from '../support/failing-starts';
import { newLead, sameInstallation, startGateway, type GatewayAnswer, type Gateway } from '../support/gateway';
import { callers, keyOf } from '../support/keys';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';

/** A start whose call broke off: what the caller is told must be what the engine does. */
describe('a start', () => {
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway({ withoutWorker: true })));
  afterAll(() => gateway.stop());

  const starter = (client: Client, config = gateway.config) =>
    createStarter({ client, config, keys: gateway.keys, search: createSearch(client) });

  it('marks a repeat of a sandbox lead as sandbox, even if the settings have changed', async () => {
    const asked = request(randomUUID());
    const start = (isSandbox: boolean) => starter(gateway.client).start({ ...asked, binding: { CLINICSYS_V2_URL: isSandbox } });
    const { leadId } = await start(true);
    expect(await start(false)).toMatchObject({ leadId, replayed: true, isSandbox: true });
  });

  function request(idempotencyKey?: string): StartRequest {
    const body = newLead();
    return {
      name: 'noPrescreen',
      carried: 'lead',
      body,
      given: body,
      dryRun: false,
      binding: {},
      idempotencyKey,
      flow: 'no-prescreen',
    };
  }

  /** The engine lists a run a moment after it was started. */
  const runsOf = (workflowId: string) =>
    until(async () => {
      const runs = [];
      for await (const run of gateway.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run.runId);
      return runs.length > 0 ? runs : undefined;
    }, 'the runs are listed');

  describe.each([
    ['with', () => randomUUID()],
    ['without', () => undefined],
  ])('%s an Idempotency-Key', (_, key) => {
    it('finds a start that succeeded although its call failed, and does not repeat it', async () => {
      const run = await starter(withFailingStarts(gateway.client, startedWithoutAnswer)).start(request(key()));
      expect(run.isNew).toBe(true);
      expect(await runsOf(run.workflowId)).toEqual([run.runId]);
    });

    it('retries a start that failed, with the same lead id', async () => {
      const run = await starter(withFailingStarts(gateway.client, lost)).start(request(key()));
      expect(run).toMatchObject({ isNew: true, replayed: false });
      expect(await runsOf(run.workflowId)).toEqual([run.runId]);
    });

    it('starts only one run if the engine carries out the first start after the look-up', async () => {
      const run = await starter(withFailingStarts(gateway.client, ...startedLate())).start(request(key()));
      expect(run.isNew).toBe(true);
      expect(await runsOf(run.workflowId)).toEqual([run.runId]);
    });

    it('attaches to the first run if another request started it', async () => {
      const asked = request(key());
      const { leadId } = await starter(gateway.client).start(asked);
      expect(await starter(withFailingStarts(gateway.client, lost)).start(asked)).toMatchObject({ leadId, isNew: false });
    });

    it('reports an unknown outcome if the retry fails, too', async () => {
      await expect(starter(withFailingStarts(gateway.client, lost, lost)).start(request(key()))).rejects.toMatchObject({
        code: 'OUTCOME_UNKNOWN',
      });
    });
  });

  it('refuses an Idempotency-Key that another lead has used, also after a failed call', async () => {
    const [key, { start }] = [randomUUID(), starter(gateway.client)];
    await start(request(key));
    const second = starter(withFailingStarts(gateway.client, lost)).start(request(key));
    await expect(second).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('retries the start although another lead of the same person is open', async () => {
    const first = request();
    const body = { ...first.body, lastName: 'Other' };
    await starter(gateway.client).start(first);
    expect(await starter(withFailingStarts(gateway.client, lost)).start({ ...first, body, given: body })).toMatchObject({ isNew: true });
  });

  it('reports an unknown outcome if a later run has the key', async () => {
    const asked = request(randomUUID());
    const shortly = { ...gateway.config, IDEMPOTENCY_WINDOW_H: 0 };
    const first = await starter(gateway.client, shortly).start(asked);
    await gateway.client.workflow.getHandle(first.workflowId).terminate();
    const second = await starter(gateway.client, shortly).start(asked);
    expect([second.isNew, second.runId === first.runId]).toEqual([true, false]);
    await expect(starter(withFailingStarts(gateway.client, lost)).start(asked)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  it('a body with a key and the same body without one are two leads', async () => {
    const keyless = request();
    const [first, second] = [
      await starter(gateway.client).start({ ...keyless, idempotencyKey: randomUUID() }),
      await starter(gateway.client).start(keyless),
    ];
    expect(second).toMatchObject({ isNew: true });
    expect(second.leadId).not.toBe(first.leadId);
  });
});

function ready(settings: Record<string, string>, body: Record<string, unknown> = endpoints.sendToLeadforms.example) {
  const config = parseConfig(settings);
  return createPreparation(config, upstreamsOf(config)).prepare(endpoints.sendToLeadforms, body);
}

describe('a lead form', () => {
  it.each([
    ['all of them', {}, 'LEADFORMS_URL, LEADFORMS_SITES_FILE'],
    ['the sites', { LEADFORMS_URL: 'http://127.0.0.1:9' }, 'LEADFORMS_SITES_FILE'],
  ])('names the missing settings: %s', (_, settings, missing) =>
    expect(() => ready(settings)).toThrow(expect.objectContaining({ code: 'CONFIG_ERROR', message: `Not set on the server: ${missing}` })),
  );

  it('needs no sites file if the caller sends the site’s values', () => {
    const given = { key: 'k', form_code: 'F1', account_id: 1, location_id: 'L1', source_url: 'https://a.example.org' };
    expect(() => ready({}, { ...endpoints.sendToLeadforms.example, ...given })).toThrow('Not set on the server: LEADFORMS_URL');
  });
});

describe('admission', () => {
  const path = '/api/clinicsys/no-prescreen';

  it('above the rate of a caller: 429 with Retry-After, and nothing is started', async () => {
    const gateway = await startGateway({ settings: { STARTS_PER_S_PER_CALLER: '1' } });
    try {
      const answers = await Promise.all(Array.from({ length: 12 }, () => gateway.post(path, newLead())));
      const taken = answers.filter(({ status }) => status === 200);
      expect(taken.length).toBeGreaterThan(0);
      const limited = answers.find(({ status }) => status === 429);
      expect([limited?.body.error, limited?.headers.get('retry-after')]).toEqual([{ code: 'RATE_LIMITED', retryable: true }, '1']);
      const rate = (answer: GatewayAnswer | undefined) => ['ratelimit-policy', 'ratelimit'].map((name) => answer?.headers.get(name));
      expect(rate(limited)).toEqual(['"caller";q=1;w=1', '"caller";r=0;t=1']);
      expect((await gateway.sandbox()).calls.v1).toBe(taken.length);
    } finally {
      await gateway.stop();
    }
  });

  /** Its first step is not answered before the sandbox is told to. */
  const staying = () => newLead('', { instanceName: 'erg-oct.key-hold' });
  const later = { prefer: 'respond-async' };
  /** The index's own number: all tests share the engine. */
  const listedIn = async ({ client, config }: Gateway, state: string) =>
    (await client.workflow.count(`TaskQueue = '${config.TASK_QUEUE}' AND LeadState = '${state}' AND ExecutionStatus = 'Running'`)).count;
  const reasonOf = ({ status, body }: GatewayAnswer) => [status, body.error?.code, body.message];
  const full = [503, 'NOT_ACCEPTED', 'Too many leads are open: nothing was started'];

  it('at OPEN_LEADS_MAX: 503 with Retry-After, nothing is started, and not ready; calls and dry runs still work', async () => {
    const gateway = await startGateway({ settings: { OPEN_LEADS_MAX: '2' } });
    try {
      const leadIds: string[] = [];
      for (let lead = 0; lead < 2; lead++) {
        await gateway.untilReady();
        leadIds.push((await gateway.post(path, staying(), later)).body.leadId);
      }
      const refused = await gateway.post(path, newLead());
      expect([...reasonOf(refused), refused.headers.get('retry-after'), refused.body.error.retryable]).toEqual([...full, '5', true]);
      expect(reasonOf(await gateway.get('/health/ready'))).toEqual([503, 'NOT_ACCEPTED', 'Too many leads are open']);
      expect((await gateway.sandbox()).calls.v1 ?? 0).toBe(0);
      expect((await gateway.get('/api/taskboard/projects')).status).toBe(200);
      expect((await gateway.post(path, newLead(), { 'x-dry-run': 'true' })).status).toBe(200);
      await until(async () => {
        await gateway.release();
        return (await gateway.get(`/api/leads/${leadIds[0]}`)).body.state === 'delivered';
      }, 'a lead ends');
      await gateway.untilReady();
    } finally {
      await gateway.release();
      await gateway.stop();
    }
  });

  it('parked leads do not count towards OPEN_LEADS_MAX', async () => {
    const gateway = await startGateway({ settings: { OPEN_LEADS_MAX: '2' } });
    try {
      for (let lead = 0; lead < 4; lead++) expect((await gateway.post(path, newLead('comment-422'))).body.state).toBe('parked');
      expect((await gateway.post(path, newLead())).status).toBe(200);
      await gateway.untilReady();
    } finally {
      await gateway.stop();
    }
  });

  describe('with one upstream held or paused', () => {
    const { sendPatient } = endpoints;
    const most = 8;
    const toScreening = (gateway: Gateway, headers = {}) =>
      gateway.post(sendPatient.path, { ...sendPatient.example, email: newLead().email }, { ...later, ...headers });
    const standing = [503, 'NOT_ACCEPTED', expect.stringMatching(/^screening is held or paused/)];
    const screening = (url: string) => ({ OPEN_LEADS_MAX: String(most), SCREENING_URL: url, SCREENING_API_KEY: 'mine' });

    it('its leads use at most half of OPEN_LEADS_MAX, other leads are accepted, and after the resume each is sent once', async () => {
      const upstream = await openUpstream();
      upstream.answerAlways({ body: { success: true, id: 1 } });
      const gateway = await startGateway({ settings: screening(upstream.url) });
      try {
        const order = (verb: string) => gateway.post(`/api/upstreams/${verb}`, { upstream: 'screening', reason: 'a test' });
        expect((await order('pause')).status).toBe(200);
        const answers = await Promise.all(Array.from({ length: most }, () => toScreening(gateway)));
        const taken = answers.filter(({ status }) => status === 202);
        expect(taken).toHaveLength(most / 2);
        expect(answers.filter(({ status }) => status !== 202).map(reasonOf)).toEqual(Array.from({ length: most / 2 }, () => standing));
        // Long after, when the index alone counts them, it is still so.
        await until(async () => (await listedIn(gateway, 'waiting')) === most / 2, 'all that were taken wait');
        for (let lead = 0; lead < most; lead++) expect((await gateway.post(path, newLead())).status).toBe(200);
        expect(reasonOf(await toScreening(gateway))).toEqual(standing);
        expect((await gateway.get('/health/ready')).status).toBe(200);
        expect((await order('resume')).status).toBe(200);
        for (const { body } of taken) expect((await gateway.get(`/api/leads/${body.leadId}?wait=60`)).body.state).toBe('delivered');
        expect(upstream.received).toHaveLength(most / 2);
        await until(async () => (await toScreening(gateway)).status === 202, 'there is room again');
      } finally {
        await gateway.stop();
        await upstream.close();
      }
    });

    it('leads that were accepted before the hold may exceed their half, and block no other leads', async () => {
      const closed = await openUpstream();
      await closed.close();
      const gateway = await startGateway({ settings: screening(closed.url) });
      try {
        const answers = await Promise.all(Array.from({ length: most }, () => toScreening(gateway)));
        expect(answers.map(({ status }) => status)).toEqual(Array(most).fill(202));
        await until(async () => (await listedIn(gateway, 'waiting')) === most, 'all of them wait');
        await until(async () => (await gateway.post(path, newLead())).status === 200, 'another upstream is served');
        expect(reasonOf(await toScreening(gateway))).toEqual(standing);
        await gateway.untilReady();
        expect(await listedIn(gateway, 'waiting')).toBe(most);
      } finally {
        await gateway.stop();
      }
    });
  });

  it('one caller uses at most half of OPEN_LEADS_MAX over all processes, and another caller is served', async () => {
    const settings = { OPEN_LEADS_MAX: '4', GATEWAY_API_KEYS: callers('form', 'desk').replace(',', '\n') };
    const gateway = await startGateway({ settings });
    const other = await startGateway({ settings: { ...settings, ...sameInstallation(gateway) }, withoutWorker: true });
    const [form, desk] = ['form', 'desk'].map(keyOf).map((key) => ({ authorization: `Bearer ${key}` }));
    const filled = [503, 'NOT_ACCEPTED', 'Too many leads of this caller are open: nothing was started'];
    try {
      const answers = await Promise.all(Array.from({ length: 4 }, () => gateway.post(path, staying(), { ...later, ...form })));
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(2);
      expect(answers.filter(({ status }) => status !== 202).map(reasonOf)).toEqual([filled, filled]);
      await until(async () => (await listedIn(gateway, 'running')) === 2, 'the index lists them');
      expect(reasonOf(await other.post(path, newLead(), { ...later, ...form }))).toEqual(filled);
      expect((await gateway.post(path, newLead(), desk)).status).toBe(200);
      await gateway.untilReady();
    } finally {
      await gateway.release();
      await other.stop();
      await gateway.stop();
    }
  });

  it('above the limits, a repeat gets its first answer, and another body with its key is refused', async () => {
    const gateway = await startGateway({ settings: { OPEN_LEADS_MAX: '1', STARTS_PER_S: '2' } });
    try {
      const lead = staying();
      const key = { 'idempotency-key': 'same', ...later };
      const first = await gateway.post(path, lead, key);
      const isFull = async () => [429, 503].includes((await gateway.post(path, newLead())).status);
      await until(isFull, 'the door closes');
      for (let repeat = 0; repeat < 5; repeat++) {
        const again = await gateway.post(path, lead, key);
        expect([again.status, again.body.leadId]).toEqual([202, first.body.leadId]);
      }
      expect((await gateway.post(path, newLead(), key)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
      await until(async () => {
        await gateway.release();
        return (await gateway.get(`/api/leads/${first.body.leadId}`)).body.state === 'delivered';
      }, 'it is delivered');
      const sent = (await gateway.sandbox()).requests.filter(
        ({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(lead.email)),
      );
      expect(sent).toHaveLength(1);
    } finally {
      await gateway.stop();
    }
  });

  it('an ended lead makes room for the next one at once', async () => {
    const gateway = await startGateway({ settings: { OPEN_LEADS_MAX: '1' } });
    try {
      const statuses: number[] = [];
      for (let lead = 0; lead < 4; lead++) statuses.push((await gateway.post(path, newLead())).status);
      expect(statuses).toEqual([200, 200, 200, 200]);
    } finally {
      await gateway.stop();
    }
  });

  it('one rate limit counts leads, redrives and the leads of bulk redrives', async () => {
    const admitted: string[] = [];
    let isClosed = false;
    const gateway = await startGateway({
      observed: ({ admit, ...others }) => ({
        ...others,
        admit: (caller, entrant, start) => {
          if (isClosed) throw new NotAdmitted('RATE_LIMITED', 'closed', { headers: { 'Retry-After': '1' } });
          admitted.push(entrant);
          return admit(caller, entrant, start);
        },
      }),
    });
    try {
      const protocol = `P-${Date.now()}`;
      const wrong = { protocol, instanceName: 'erg-oct.key-404' };
      const { body } = await gateway.post(path, newLead('', wrong));
      expect([body.state, admitted.splice(0)]).toEqual(['failed', ['lead']]);
      const redrive = () => gateway.post(`/api/leads/${body.leadId}/redrive`, { reason: 'tried again' });
      isClosed = true;
      const refused = await redrive();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect((await gateway.get(`/api/leads/${body.leadId}`)).body.state).toBe('failed');
      isClosed = false;
      expect((await redrive()).status).toBe(200);
      expect(admitted.splice(0)).toEqual(['lead']);
      expect((await gateway.get(`/api/leads/${body.leadId}?wait=60`)).body.state).toBe('failed');
      const order = { filter: { protocol }, reason: 'tried again', count: 1 };
      await until(async () => (await gateway.post('/api/redrives', order)).status === 202, 'the redrive of many is started');
      await until(() => admitted.length > 0, 'a lead of it is admitted');
      expect(admitted).toEqual(['bulk']);
    } finally {
      await gateway.stop();
    }
  });

  describe('the count of open leads', () => {
    let runs = 0;
    const newRun = async (): Promise<RequestRun> => ({
      runId: `run-${++runs}`,
      workflowId: 'w',
      leadId: 'l',
      isNew: true,
      replayed: false,
      isSandbox: false,
    });
    /** Its index is told only what it has, and leaves out what it is asked to. */
    const createDoor = (most: number) => {
      const index = new Set<string>();
      let isAway = false;
      const count = async (query: string) => {
        if (isAway) throw new Error('away');
        return { count: [...index].filter((runId) => !query.includes(`'${runId}'`)).length };
      };
      const client = { withDeadline: (_: number, call: () => unknown) => call(), workflow: { count } } as unknown as Client;
      const away = () => void (isAway = true);
      return { index, away, admission: createAdmission(client, parseConfig({ OPEN_LEADS_MAX: String(most) }), { hash: () => 'sender' }) };
    };
    beforeEach(() => void jest.useFakeTimers());
    afterEach(() => void jest.useRealTimers());

    it('excludes an ended lead that the index still lists as open', async () => {
      const { admission, index } = createDoor(1);
      const { run, release } = await admission.admit('caller', 'lead', newRun);
      index.add(run.runId);
      release();
      jest.advanceTimersByTime(2_000);
      await expect(admission.admit('caller', 'lead', newRun)).resolves.toMatchObject({ run: { isNew: true } });
    });

    it('counts a started lead once, before and after the index lists it', async () => {
      const { admission, index } = createDoor(2);
      const { run } = await admission.admit('caller', 'lead', newRun);
      jest.advanceTimersByTime(2_000);
      index.add(run.runId);
      await admission.admit('caller', 'lead', newRun);
      await expect(admission.admit('caller', 'lead', newRun)).rejects.toThrow(NotAdmitted);
    });

    it('counts leads of other processes and older leads, however many have ended here', async () => {
      const { admission, index } = createDoor(2);
      index.add('of another process');
      const { run, release } = await admission.admit('caller', 'lead', newRun);
      index.add(run.runId);
      for (let lead = 0; lead < 9; lead++) {
        jest.advanceTimersByTime(2_000);
        await expect(admission.admit('caller', 'lead', newRun)).rejects.toThrow(NotAdmitted);
      }
      release();
      const next = await admission.admit('caller', 'lead', newRun);
      next.release();
      await admission.admit('caller', 'lead', newRun);
      await expect(admission.admit('caller', 'lead', newRun)).rejects.toThrow(NotAdmitted);
    });

    it('counts the leads of this process if the index does not answer', async () => {
      const { admission, away } = createDoor(1);
      const { release } = await admission.admit('caller', 'lead', newRun);
      away();
      jest.advanceTimersByTime(20_000);
      await expect(admission.admit('caller', 'lead', newRun)).rejects.toThrow(NotAdmitted);
      jest.advanceTimersByTime(20_000);
      await expect(admission.admit('caller', 'lead', newRun)).rejects.toThrow(NotAdmitted);
      release();
      await admission.admit('caller', 'lead', newRun);
      await expect(admission.admit('caller', 'lead', newRun)).rejects.toThrow(NotAdmitted);
    });

    it('does not count failed starts, calls and existing runs, and never refuses a call', async () => {
      const { admission } = createDoor(1);
      const broken = admission.admit('caller', 'lead', () => Promise.reject(new Error('away')));
      await expect(broken).rejects.toThrow('away');
      await admission.admit('caller', 'call', async () => ({ ...(await newRun()), leadId: '' }));
      await admission.admit('caller', 'lead', async () => ({ ...(await newRun()), isNew: false }));
      await admission.admit('caller', 'lead', newRun);
      await expect(admission.admit('caller', 'lead', newRun)).rejects.toThrow(NotAdmitted);
      await expect(admission.admit('caller', 'call', newRun)).resolves.toMatchObject({ run: { isNew: true } });
    });
  });

  describe('a rate limit', () => {
    it('allows its number of starts per second', () => {
      let now = 0;
      const limit = createRateLimit(2, () => now);
      expect([limit.take(), limit.take(), limit.take()]).toEqual([true, true, false]);
      now = 500;
      expect(limit.now()).toEqual({ perS: 2, left: 1 });
      expect([limit.take(), limit.take()]).toEqual([true, false]);
    });
  });
});
