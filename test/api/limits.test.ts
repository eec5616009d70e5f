import { Connection } from '@temporalio/client';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseConfig } from '../../src/config/config';
import { endpoints } from '../../src/contract';
import { limitedQueue } from '../../src/domain/limits';
import { prepareNamespace } from '../../src/temporal/namespace';
import { startEngine } from '../../src/engine/start';
import { searchAttributes } from '../../src/temporal/engine';
import { startWarmedGateway, stopsAfterAll } from '../support/concurrent';
import { csvOf } from '../support/csv';
import { testEngine } from '../support/engine';
import { newLead, sameInstallation, startGateway, type Gateway, type GatewayOptions } from '../support/gateway';
import { ofRows, ofSingleLeads, queueAt, queueOf } from '../support/queue';
import { until, untilHolds } from '../support/until';
import { openUpstream } from '../support/upstream';
import { callers, keyOf } from '../support/keys';

const stops = stopsAfterAll();
beforeAll(() => startWarmedGateway(stops));

/** An upstream with a limit gets no more than that over all workers: every lead arrives once, and what waits is not counted as sent. */
describe('limits', () => {
  const { sendPatient, noPrescreen, listSites } = endpoints;

  /** Keeps who came when, and how many were there at once. */
  async function openScreening(mayAnswer: () => Promise<unknown>) {
    const arrived: { readonly email: string; readonly at: number }[] = [];
    const seen = { open: 0, mostAtOnce: 0 };
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      seen.mostAtOnce = Math.max(seen.mostAtOnce, ++seen.open);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      const answer = () => {
        seen.open--;
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, id: arrived.length }));
      };
      request.on('end', () => {
        arrived.push({ email: JSON.parse(Buffer.concat(chunks).toString()).email, at: Date.now() });
        void mayAnswer().then(answer);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const close = async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    };
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived, seen, close };
  }

  const { questions: _, ...flat } = sendPatient.example;
  const lead = () => ({ ...flat, email: newLead().email });
  const emails = (count: number) => Array.from({ length: count }, () => lead().email);

  /** A gateway of the test's own, and its screening platform. */
  async function start(limits: string, mayAnswer = async () => {}) {
    const screening = await openScreening(mayAnswer);
    stops.push(screening.close);
    const settingsOf = (limited: string) => ({
      SCREENING_URL: screening.url,
      SCREENING_API_KEY: 'mine',
      ...(limited && { UPSTREAM_LIMITS: limited }),
    });
    const gateway = await startGateway({ settings: settingsOf(limits) });
    stops.push(gateway.stop);
    /** One more of the same installation. A connection has one worker of a queue at most, so the second one is a gateway's of its own. */
    const startOther = async (settings = {}, options: Pick<GatewayOptions, 'withoutWorker'> = {}): Promise<Gateway> => {
      const other = await startGateway({ settings: { ...settingsOf(limits), ...sameInstallation(gateway), ...settings }, ...options });
      stops.push(other.stop);
      return other;
    };
    const post = (email: string) => gateway.post(sendPatient.path, { ...lead(), email }, { prefer: 'respond-async' });
    const arrivals = () => screening.arrived.map(({ email }) => email);
    return { gateway, screening, startOther, post, arrivals };
  }

  it.concurrent('holds 5 requests per second and one at a time over two workers, and each lead arrives once', async () => {
    const perS = 5;
    const limits = `screening=${perS}/s*1`;
    const { gateway, screening, startOther, post, arrivals } = await start(limits, () => pause(150));
    await startOther();
    const wave = async () => {
      const before = screening.arrived.length;
      const people = emails(20);
      const startedAt = Date.now();
      const leadIds = (await Promise.all(people.map(post))).map(({ body }) => body.leadId as string);
      const leads = await Promise.all(leadIds.map((leadId) => gateway.get(`/api/leads/${leadId}?wait=60`)));
      const notDelivered = leads.map(({ body }) => body).filter(({ state }) => state !== 'delivered');
      return { people, startedAt, arrived: screening.arrived.slice(before), notDelivered };
    };
    const waves: Awaited<ReturnType<typeof wave>>[] = [];
    // On a busy machine the engine may start a task that no worker gets. Its lead is parked, and the test sends another wave.
    await untilHolds(async () => {
      const { notDelivered } = waves[waves.push(await wave()) - 1]!;
      // The failure shows all that is known of such a lead.
      expect(notDelivered).toEqual([]);
    }, 'all are delivered');
    const { people, arrived } = waves.at(-1)!;
    expect(arrived.map(({ email }) => email).toSorted()).toEqual(people.toSorted());
    expect(new Set(arrivals()).size).toBe(arrivals().length);
    expect(screening.seen.mostAtOnce).toBeLessThanOrEqual(2);
    // What was not used in the second before may be used at once. A stall makes arrivals later, and never sooner.
    const tooSoon = waves.flatMap(({ startedAt, arrived: all }) =>
      all.filter(({ at }, before) => at - startedAt < ((before - perS - 1) / perS) * 1000),
    );
    expect(tooSoon).toEqual([]);
  });

  it.concurrent('sends a single lead before the waiting leads of a file', async () => {
    let pass = () => {};
    const isPassing = new Promise<void>((done) => (pass = done));
    const { gateway, post, arrivals } = await start('screening=*1', () => isPassing);
    const rows = emails(8).map((email) => ({ ...lead(), email }));
    const file = fetch(`${gateway.url}/api/imports?flow=screening&ratePerS=50`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: csvOf(rows),
    }).then((answer) => answer.text());
    await untilHolds(async () => {
      expect(arrivals()).toHaveLength(1);
      expect((await queueAt(gateway, 'screening')).waitingAt(ofRows)).toBeGreaterThan(4);
    }, 'one has arrived, and most of the others wait');
    const alone = lead().email;
    await post(alone);
    await until(async () => (await queueAt(gateway, 'screening')).waitingAt(ofSingleLeads) > 0, 'it waits, too');
    pass();
    expect(await file).toContain('"complete":true');
    expect(arrivals().indexOf(alone)).toBe(1);
    expect(arrivals().toSorted()).toEqual([alone, ...rows.map(({ email }) => email)].toSorted());
  });

  it.concurrent('parks a lead unsent if its turn does not come in time', async () => {
    const { gateway, screening, startOther } = await start('screening=1/min');
    expect((await gateway.post(sendPatient.path, lead())).status).toBe(200);
    const hasty = await startOther({ LEAD_TTL_H: '0.001' }, { withoutWorker: true });
    const late = lead();
    const key = { 'idempotency-key': 'late' };
    const { body } = await hasty.post(sendPatient.path, late, { prefer: 'respond-async', ...key });
    const { body: parked } = await hasty.get(`/api/leads/${body.leadId}?wait=60`);
    expect([parked.state, parked.steps[0].error]).toMatchObject([
      'parked',
      { code: 'RATE_LIMITED', message: expect.stringContaining('waited too long for its turn') },
    ]);
    // Neither answer invites a tool to send again, and the key stays with the lead.
    const repeat = () =>
      until(async () => {
        const { status, body: answer, headers } = await hasty.post(sendPatient.path, late, key);
        // On a busy machine the worker may not say in time why the lead is parked.
        return status === 202 ? undefined : [status, answer.error, answer.leadId, headers.get('retry-after')];
      }, 'the worker says why');
    const final = [502, expect.objectContaining({ code: 'UPSTREAM_ERROR', retryable: false }), body.leadId, null];
    expect(await repeat()).toEqual(final);
    expect(parked.attempts[0].error.code).toBe('UPSTREAM_ERROR');
    expect((await hasty.post(`/api/leads/${body.leadId}/discard`, { reason: 'a test' })).status).toBe(200);
    expect(await repeat()).toEqual(final);
    expect(screening.arrived).toHaveLength(1);
  });

  it.concurrent('queues every request to a limited upstream, including reads, and no other', async () => {
    const { gateway } = await start('V1=50/s, V2=50/s');
    const { status, headers } = await gateway.post(noPrescreen.path, newLead());
    expect(status).toBe(200);
    const { events } = await gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').fetchHistory();
    const queues = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled ? [[scheduled.activityType?.name, scheduled.taskQueue?.name]] : [],
    );
    const { TASK_QUEUE } = gateway.config;
    expect(queues).toEqual([
      ['checkEmail', limitedQueue(TASK_QUEUE, 'V2')],
      ['sendToRt', limitedQueue(TASK_QUEUE, 'V1')],
      ['sendComments', limitedQueue(TASK_QUEUE, 'V2')],
    ]);
  });

  it.concurrent('ends a look-up before its request if the first step used all of its time', async () => {
    const { gateway } = await start('key-service=*1');
    const look = (instanceName: string) => gateway.get(`${listSites.path}?instanceName=${instanceName}`);
    // Two instances need two keys, one after the other. Together the keys take longer than a look-up may, so at least one look-up is late.
    const answers = await Promise.all([look('erg-oct.key-slow-7000'), look('erg-oct.key-slow-6999')]);
    const late = answers.filter(({ status }) => status !== 200);
    expect(late).not.toEqual([]);
    for (const { status } of late) expect([502, 429]).toContain(status);
    const runs = answers.map(({ headers }) => gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? ''));
    const ends = await Promise.all(
      runs.map((run) =>
        run.result().then(
          ({ state }) => state,
          ({ cause }) => cause.message,
        ),
      ),
    );
    // On a busy machine the second key may come too late, or the turn for it.
    expect(ends).toContainEqual(expect.stringMatching(/^(No time was left|The key service did not answer in time|Its turn did not come)/));
  });

  it.concurrent.each([
    ['', 0],
    ['screening=5/s', 1],
    ['screening=off', 1],
  ])('with the limits "%s" %i further worker asks for work', async (limits, further) => {
    const { gateway } = await start(limits);
    const { TASK_QUEUE } = gateway.config;
    const pollersOf = async (taskQueue: string) => (await queueOf(gateway, taskQueue)).pollers;
    await until(async () => (await pollersOf(TASK_QUEUE)) > 0, 'the worker asks');
    if (further > 0) await until(async () => (await pollersOf(limitedQueue(TASK_QUEUE, 'screening'))) > 0, 'the limited one asks');
    const asking = await Promise.all(['screening', 'V1'].map((name) => pollersOf(`${TASK_QUEUE}:${name}`)));
    expect(asking.map(Boolean)).toEqual([further > 0, false]);
  });

  it.each(['V1', 'V1=', 'V3=5/s', 'V1=5', 'V1=0/s', 'V1=5/s*0', 'V1=-1/s', 'V1=5/h', 'V1=5/s,V1=6/s', 'V1=5/s=6'])(
    'refuses the limits "%s" in words',
    (limits) => expect(() => parseConfig({ UPSTREAM_LIMITS: limits })).toThrow('UPSTREAM_LIMITS: must be name=limit entries'),
  );
});

/** Callers take turns before a limit: whoever sends a large file first does not keep the others waiting for all of it. */
describe('turns', () => {
  const limits = { UPSTREAM_LIMITS: 'screening=*1' };
  const { questions: _, ...flat } = endpoints.sendPatient.example;

  const file = (who: string, count: number) =>
    csvOf(Array.from({ length: count }, () => ({ ...flat, first_name: who, email: newLead().email })));

  const imported = async ({ url }: Gateway, who: string, count: number) => {
    const headers = { 'content-type': 'text/csv', authorization: `Bearer ${keyOf(who)}` };
    const answer = await fetch(`${url}/api/imports?flow=screening&ratePerS=50`, { method: 'POST', headers, body: file(who, count) });
    expect(await answer.text()).toContain('"complete":true');
  };

  it('finishes a small file before a large one of another caller', async () => {
    const settings = parseConfig({ TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0', LEADGATE_DATA_DIR: '', ...limits });
    const engine = await startEngine(settings, { isInMemory: true, executable: testEngine().executable });
    const screening = await openUpstream();
    let gateway: Gateway | undefined;
    try {
      const connection = await Connection.connect({ address: engine.address });
      await prepareNamespace(connection, { namespace: 'turns', retentionH: 24, searchAttributes });
      await connection.close();
      const running = (gateway = await startGateway({
        settings: {
          ...{ TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: 'turns', GATEWAY_API_KEYS: callers('large', 'small') },
          // The first lead is at the upstream until all others wait.
          ...{ SCREENING_URL: screening.url, SCREENING_API_KEY: 'mine', SCREENING_TIMEOUT_MS: '100000', ...limits },
        },
      }));
      let pass = () => {};
      const isPassing = new Promise<void>((done) => (pass = done));
      for (let id = 1; id < 100; id++) screening.answerWith({ body: { success: true, id }, after: isPassing });
      const large = imported(running, 'large', 40);
      await until(async () => (await queueAt(running, 'screening')).waiting >= 39, 'the large file waits');
      const small = imported(running, 'small', 4);
      await until(async () => (await queueAt(running, 'screening')).waiting >= 43, 'the small file waits, too');
      pass();
      await Promise.all([small, large]);
      await until(() => screening.received.length >= 44, 'all are sent');
      const order = screening.received.map(({ body }) => body.first_name as string);
      // In turns the four are of the next eight or so; one after the other all forty would be first.
      expect(order.slice(0, 36).filter((who) => who === 'small')).toHaveLength(4);
      expect(new Set(screening.received.map(({ body }) => body.email)).size).toBe(44);
      expect(screening.received).toHaveLength(44);
    } finally {
      await gateway?.stop();
      await engine.stop();
      await screening.close();
    }
  });
});
