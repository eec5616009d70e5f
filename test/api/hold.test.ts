import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpoints } from '../../src/contract';
import { holdId } from '../../src/domain/hold';
import { workflowIdOf } from '../../src/domain/ids';
import { freePort } from '../../src/config/ports';
import { eraseUntilDone } from '../support/background';
import { startWarmedGateway, stopsAfterAll } from '../support/concurrent';
import { sendFailing } from '../support/failing-leads';
import { newLead, startGateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';

const stops = stopsAfterAll();
beforeAll(async () => {
  const gateway = await startWarmedGateway(stops);
  await eraseUntilDone(gateway, { email: newLead().email });
});

/**
 * An upstream that fails for three different leads in a row holds its leads: none is lost, none is burnt, and one at a time goes and looks.
 */
describe('a hold', () => {
  const { sendPatient } = endpoints;

  /** A screening upstream that is told how to answer, and keeps who came and how many at once. */
  async function openScreening(port?: number) {
    const received: string[] = [];
    const state = { status: 200, open: 0, mostAtOnce: 0, answerAfterMs: 0 };
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      state.mostAtOnce = Math.max(state.mostAtOnce, ++state.open);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push(JSON.parse(Buffer.concat(chunks).toString()).email);
        setTimeout(() => {
          state.open--;
          response.writeHead(state.status, { 'content-type': 'application/json' });
          response.end(JSON.stringify(state.status === 200 ? { success: true, id: received.length } : { error: 'down' }));
        }, state.answerAfterMs);
      });
    });
    // A port of the range for outgoing connections could be another program's while nobody listens here.
    server.listen(port ?? (await freePort()), '127.0.0.1');
    await once(server, 'listening');
    const close = async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    };
    stops.push(close);
    return { port: (server.address() as AddressInfo).port, received, state, close };
  }

  /** A gateway of the test's own before the upstream at this address. */
  async function startBefore(url: string, more: Record<string, string> = {}) {
    const gateway = await startGateway({ settings: { SCREENING_URL: url, SCREENING_API_KEY: 'mine', ...more }, withoutWorker: true });
    stops.push(gateway.stop);
    const post = async (): Promise<string> => {
      const { body } = await gateway.post(
        sendPatient.path,
        { ...sendPatient.example, email: newLead().email },
        { prefer: 'respond-async' },
      );
      return body.leadId as string;
    };
    const postMany = (count: number) => Promise.all(Array.from({ length: count }, post));
    const stateOf = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body.state as string;
    const statesOf = async (leadIds: string[]) => (await Promise.all(leadIds.map(stateOf))).toSorted();
    const isAll = (state: string, leadIds: string[]) => async () => (await statesOf(leadIds)).every((each) => each === state);
    const held = async () =>
      (
        (await gateway.get('/api/upstreams')).body.upstreams as { upstream: string; state: string; waiting: number; leadId?: string }[]
      ).find(({ upstream }) => upstream === 'screening');
    return { gateway, postMany, statesOf, isAll, held };
  }

  async function start() {
    const screening = await openScreening();
    return { screening, ...(await startBefore(`http://127.0.0.1:${screening.port}`)) };
  }

  it.concurrent(
    'keeps all leads of an unreachable upstream, and sends each once when it is back, also after a restart of the worker',
    async () => {
      const { gateway, screening, postMany, statesOf, isAll, held } = await start();
      const stopWorker = await gateway.startWorker();
      await screening.close();
      const leads = await postMany(8);
      const line = await until(async () => {
        const hold = await held();
        return hold && hold.waiting >= 7 ? hold : undefined;
      }, 'the line');
      expect(line).toMatchObject({ state: expect.stringMatching('held|probing'), failures: expect.any(Number), since: expect.any(String) });
      expect(await statesOf(leads)).toEqual(leads.map(() => 'waiting'));
      const told = await Promise.all(
        leads.map(async (leadId) => (await gateway.get(`/api/leads/${leadId}`)).body.steps[0].error.message as string),
      );
      // Those that went to see whether the upstream is back tell what they saw.
      expect(told).toEqual(leads.map(() => expect.stringMatching(/held|could not be reached/)));
      expect(told.join()).toContain('held');
      // `keys check` counts the line for its key.
      const { client, config, keys } = gateway;
      const run = await client.workflow.getHandle(holdId(config.TASK_QUEUE, { upstream: 'screening', instance: '' })).describe();
      expect(run.searchAttributes.LeadKeyId).toEqual([...keys.fingerprints.values()]);

      await stopWorker();
      const back = await openScreening(screening.port);
      await gateway.startWorker();
      await until(isAll('delivered', leads), 'every lead delivered');
      expect(new Set(back.received).size).toBe(8);
      expect(back.received).toHaveLength(8);
      await until(async () => (await held())?.state === 'open', 'the upstream is open');
    },
  );

  it.concurrent('of a failing upstream parks leads that may have arrived, and tries the others one at a time', async () => {
    const failing = await openUpstream();
    stops.push(failing.close);
    const fails = { status: 500, body: { error: 'down' } };
    const answers = { body: { success: true, id: 7 } };
    let answer = () => {};
    const isAnswering = new Promise<void>((done) => (answer = done));
    for (const told of [fails, fails, fails, { ...fails, after: isAnswering }, ...Array.from({ length: 7 }, () => answers)])
      failing.answerWith(told);
    // One of its answers is held back until all others are in the line.
    const { gateway, postMany, statesOf, isAll, held } = await startBefore(failing.url, { SCREENING_TIMEOUT_MS: '100000' });
    await gateway.startWorker();
    await until(isAll('parked', await postMany(3)), 'three are parked');

    const later = await postMany(8);
    await until(async () => failing.received.length > 3, 'one is let through');
    await until(async () => (await held())?.waiting === 7, 'all others are in the line');
    expect(failing.received).toHaveLength(4);
    answer();
    await until(async () => (await statesOf(later)).every((state) => state === 'parked' || state === 'delivered'), 'the line is empty');
    expect((await statesOf(later)).filter((state) => state === 'parked')).toHaveLength(1);
    expect(new Set(failing.received.map(({ body }) => body.email)).size).toBe(11);
    expect(failing.received).toHaveLength(11);
  });

  it.concurrent('sends the waiting leads with increasing concurrency after the upstream has recovered', async () => {
    const { gateway, screening, postMany, isAll, held } = await start();
    await gateway.startWorker();
    await screening.close();
    const leads = await postMany(20);
    await until(async () => ((await held())?.waiting ?? 0) >= 19, 'the line');
    const back = await openScreening(screening.port);
    back.state.answerAfterMs = 50;
    await until(isAll('delivered', leads), 'every lead delivered');
    expect(back.received).toHaveLength(20);
    expect(back.state.mostAtOnce).toBeLessThanOrEqual(16);
  });

  it.concurrent('of one instance does not hold another instance', async () => {
    const { gateway } = await start();
    await gateway.startWorker();
    await sendFailing(gateway, 'erg-oct.lookup-500');
    const isHeld = async () => JSON.stringify((await gateway.get('/api/upstreams')).body).includes('ERG/erg-oct.lookup-500');
    await until(isHeld, 'the instance is held');
    const { status } = await gateway.post('/api/clinicsys/no-prescreen', newLead());
    expect(status).toBe(200);
    const { upstreams } = (await gateway.get('/api/upstreams')).body;
    expect(upstreams).not.toContainEqual(expect.objectContaining({ instance: 'ERG/erg-oct' }));
  });

  /** A lead that the upstream never takes, and one that it takes if it is up. */
  const busy = { status: 429, body: { error: 'busy' } };
  const taken = { body: { success: true, id: 7 } };

  async function openSelective(isUp = true) {
    const state = { isUp, sick: 'sick' };
    const upstream = await openUpstream();
    upstream.answerBy(({ body }) => (state.isUp && !String(body.email).startsWith(state.sick) ? taken : busy));
    stops.push(upstream.close);
    const started = await startBefore(upstream.url);
    const { gateway } = started;
    const stopWorker = await gateway.startWorker();
    const postFor = async (who: string): Promise<string> => {
      const lead = { ...sendPatient.example, email: `${who}-${newLead().email}` };
      return (await gateway.post(sendPatient.path, lead, { prefer: 'respond-async' })).body.leadId;
    };
    return {
      ...started,
      postFor,
      upstream,
      state,
      stopWorker,
      triesOf: (who: string) => upstream.received.filter(({ body }) => body.email.startsWith(who)).length,
    };
  }

  it.concurrent('does not begin while one lead alone fails, and all others pass at once', async () => {
    const { gateway, upstream, triesOf, postFor, held } = await openSelective();
    const sick = await postFor('sick');
    await until(() => triesOf('sick') >= 3, 'it has failed three times');
    const leads = await Promise.all(Array.from({ length: 6 }, () => postFor('good')));
    for (const leadId of leads) expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({ state: 'delivered' });
    expect(await held()).toMatchObject({ state: 'open', waiting: 0 });
    await until(async () => (await gateway.get(`/api/leads/${sick}`)).body.waitsFor?.what === 'retry', 'the sick lead waits for its retry');
    expect(upstream.received.length).toBe(triesOf('sick') + 6);
  });

  it.concurrent(
    'names the lead that failed last, and is over at once when the upstream answers, whatever one lead of its line does',
    async () => {
      const { gateway, state, triesOf, postFor, held, isAll } = await openSelective(false);
      const sick = await postFor('sick');
      const others = [await postFor('good'), await postFor('good')];
      const last = await until(async () => {
        const { state: now, leadId } = (await held()) ?? {};
        return now !== 'open' && leadId;
      }, 'it is held');
      expect([sick, ...others]).toContain(last);
      await until(async () => (await held())?.waiting === 3, 'all wait in its line');
      state.isUp = true;
      await until(isAll('delivered', others), 'the others are delivered');
      await until(async () => (await held())?.state === 'open', 'it is open');
      const tries = triesOf('sick');
      await until(() => triesOf('sick') > tries, 'the sick lead is tried by itself');
      expect(await held()).toMatchObject({ state: 'open', waiting: 0 });
      await until(async () => (await gateway.get(`/api/leads/${sick}`)).body.waitsFor?.what === 'retry', 'it waits for its retry');
      state.sick = 'nobody';
      expect((await gateway.get(`/api/leads/${sick}?wait=60`)).body.state).toBe('delivered');
    },
  );

  it.concurrent('of one sick lead is over when a new worker sends others past it', async () => {
    const { gateway, state, stopWorker, postFor, held } = await openSelective(false);
    const sick = await postFor('sick');
    const others = [await postFor('good'), await postFor('good')];
    await until(async () => (await held())?.waiting === 3, 'all wait in its line');
    for (const leadId of others)
      await until(async () => (await gateway.post(`/api/leads/${leadId}/discard`, { reason: 'a test' })).status === 200, 'it is ended');
    await until(async () => (await held())?.leadId === sick, 'the hold follows the sick lead');
    await stopWorker();
    state.isUp = true;
    await gateway.startWorker();
    await until(async () => {
      const { body } = await gateway.get(`/api/leads/${await postFor('good')}?wait=60`);
      expect(body.state).toBe('delivered');
      return (await held())?.state === 'open';
    }, 'it is open');
    expect((await gateway.get(`/api/leads/${sick}`)).body.state).toBe('waiting');
  });

  it.concurrent('continues after a held lead is erased', async () => {
    const { gateway, screening, held } = await start();
    await screening.close();
    await gateway.startWorker();
    const people = [newLead(), newLead(), newLead()].map(({ email }) => email);
    const leadIds: string[] = [];
    for (const email of people) {
      const { body } = await gateway.post(sendPatient.path, { ...sendPatient.example, email }, { prefer: 'respond-async' });
      leadIds.push(body.leadId);
    }
    await until(async () => (await held())?.waiting === 3, 'all are held');
    await Promise.all(people.slice(0, 2).map((email) => eraseUntilDone(gateway, { email })));
    const back = await openScreening(screening.port);
    expect((await gateway.get(`/api/leads/${leadIds[2]}?wait=60`)).body.state).toBe('delivered');
    expect(back.received).toEqual([people[2]]);
  });
});

/** A waiting lead is tried when a person says so: at once, each lead once, and on record. */
describe('a try by an operator', () => {
  const { sendPatient } = endpoints;
  /** The upstream asks for five minutes. */
  const later = { status: 429, body: { error: 'busy' }, headers: { 'retry-after': '300' } };
  const accepted = { body: { success: true, id: 7 } };

  async function start() {
    const screening = await openUpstream();
    stops.push(screening.close);
    const gateway = await startGateway({ settings: { SCREENING_URL: screening.url, SCREENING_API_KEY: 'mine' } });
    stops.push(gateway.stop);
    const post = async (): Promise<string> => {
      const lead = { ...sendPatient.example, email: newLead().email };
      return (await gateway.post(sendPatient.path, lead, { prefer: 'respond-async' })).body.leadId;
    };
    const waitsFor = (leadId: string, what: string) =>
      until(async () => (await gateway.get(`/api/leads/${leadId}`)).body.waitsFor?.what === what, `it waits for its ${what}`);
    const tryNow = (leadId: string) => gateway.post(`/api/leads/${leadId}/try`, { reason: 'the upstream is back' });
    return { gateway, screening, post, waitsFor, tryNow };
  }

  it.concurrent('ends the pause before a retry, and is recorded', async () => {
    const { gateway, screening, post, waitsFor, tryNow } = await start();
    screening.answerWith(later);
    screening.answerWith(accepted);
    const leadId = await post();
    await waitsFor(leadId, 'retry');
    const { status, body } = await tryNow(leadId);
    expect([status, body]).toEqual([200, { success: true, leadId, state: 'waiting' }]);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
    expect(screening.received).toHaveLength(2);
    const { decisions } = (await gateway.get(`/api/leads/${leadId}/exchanges`)).body;
    expect(decisions).toMatchObject([{ verb: 'try', reason: 'the upstream is back' }]);
    const { entries } = (await gateway.get(`/api/audit?leadId=${leadId}`)).body;
    expect(entries).toContainEqual(expect.objectContaining({ action: 'try', outcome: 'done' }));
  });

  it.concurrent('sends the next lead of a hold, and the others follow, each once, and nothing in their runs has failed', async () => {
    const { gateway, screening, post, waitsFor, tryNow } = await start();
    for (let sent = 0; sent < 3; sent++) screening.answerWith(later);
    const first = await Promise.all([post(), post(), post()]);
    await Promise.all(first.map((leadId) => waitsFor(leadId, 'retry')));
    const held = [await post(), await post()];
    await Promise.all(held.map((leadId) => waitsFor(leadId, 'hold')));
    for (let sent = 0; sent < 5; sent++) screening.answerWith(accepted);
    expect((await tryNow(held[1] ?? '')).status).toBe(200);
    for (const leadId of held) {
      expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({ state: 'delivered', steps: [{ attempts: 1 }] });
      const { events } = await gateway.client.workflow.getHandle(workflowIdOf(leadId)).fetchHistory();
      expect(events?.filter((event) => event.activityTaskFailedEventAttributes)).toEqual([]);
    }
    for (const leadId of first) await tryNow(leadId);
    for (const leadId of first) expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
    expect(screening.received).toHaveLength(8);
    expect(new Set(screening.received.map(({ body }) => body.email)).size).toBe(5);
  });

  it.concurrent('is rejected while the lead is being tried, and if it does not wait', async () => {
    const { gateway, screening, post, waitsFor, tryNow } = await start();
    let answer = () => {};
    screening.answerWith(later);
    screening.answerWith({ ...accepted, after: new Promise<void>((done) => (answer = done)) });
    const leadId = await post();
    await waitsFor(leadId, 'retry');
    const both = await Promise.all([tryNow(leadId), tryNow(leadId)]);
    expect(both.map(({ status }) => status)).toContain(200);
    await until(() => screening.received.length === 2, 'it is tried');
    const { status, body } = await tryNow(leadId);
    expect([status, body.message]).toEqual([409, 'The lead is being processed: try again in a moment']);
    answer();
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
    expect((await tryNow(leadId)).body).toMatchObject({
      message: 'The lead does not wait: its run has ended',
      error: { code: 'WRONG_STATE' },
    });
    expect(screening.received).toHaveLength(2);
  });
});
