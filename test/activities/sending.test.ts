/** Whether a request goes out, and what is known of it after that. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { getEventListeners, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { createCircuitBreaker } from '../../src/activities/circuit-breaker';
import { read as readInActivity, send, send as sendInActivity, type Call, type LastCheck } from '../../src/activities/http';
import { attemptFailure } from '../../src/activities/outcome';
import { cachePauses, stopAtPauses } from '../../src/activities/pauses';
import type { BypassHold } from '../../src/domain/hold';
import { pausesCachedMs, type Pause } from '../../src/domain/pauses';
import type { Destination } from '../../src/domain/upstreams';
import { outcomeOf, type HttpResult, type Outcome } from '../../src/domain/outcome';
import { freePort } from '../../src/config/ports';

describe('an answer that was not understood', () => {
  const raw = { bytes: 60_000, text: 'ä'.repeat(30_000) };
  const detailsWith = async (maximumAttempts?: number): Promise<unknown> => {
    const environment = new MockActivityEnvironment({ retryPolicy: { maximumAttempts } });
    const fail = () => Promise.resolve(attemptFailure('UNKNOWN', { message: 'answered 200', raw }).details?.[0]);
    return environment.run(fail as () => Promise<never>);
  };

  it('is kept whole by an attempt that the engine makes once', async () => expect(await detailsWith(1)).toMatchObject({ raw }));
  it('is shortened by one that the engine retries', async () =>
    expect(await detailsWith()).toMatchObject({ message: 'answered 200', raw: { bytes: 60_000, isCut: true, text: 'ä'.repeat(256) } }));
});

describe('a circuit breaker', () => {
  const V1: Destination = { upstream: 'V1', instance: 'ERG/erg-oct' };
  const unknown: Outcome<string> = { outcome: 'unknown', reason: 'answered 500' };
  const limited: Outcome<string> = { outcome: 'not-sent', reason: 'rate-limited the request (429)', limited: true, retryAfterMs: 7_000 };
  const delivered: Outcome<string> = { outcome: 'delivered', value: 'yes' };
  const refused: Outcome<string> = { outcome: 'refused', status: 422, body: {} };

  /** A breaker and its worker. Each request is another lead's, unless `lead` names it. */
  function gateAt() {
    let nowMs = 1_000_000;
    let workflowId = '';
    const asked: Outcome<string>[] = [];
    const answered: Destination[] = [];
    const breaker = createCircuitBreaker({
      ownRun: () => ({ workflowId, runId: `run ${asked.length}` }),
      reportAnswer: (destination) => void answered.push(destination),
      now: () => nowMs,
    });
    const ask = (
      outcome: Outcome<string>,
      {
        bypass = false,
        lead = `lead-${asked.length}`,
        destination = V1,
      }: { bypass?: BypassHold; lead?: string; destination?: Destination } = {},
    ) => {
      workflowId = lead;
      return breaker({ ...destination, who: 'The V1 apply endpoint' }, bypass, () => {
        asked.push(outcome);
        return Promise.resolve(outcome);
      });
    };
    return { ask, asked, answered, later: (ms: number) => void (nowMs += ms) };
  }

  it('stops leads after three different ones failed in a row, and reports since when, why and which', async () => {
    const { ask, asked } = gateAt();
    for (const outcome of [unknown, limited, limited]) await ask(outcome);
    expect(await ask(delivered)).toEqual({
      outcome: 'not-sent',
      reason: expect.stringContaining('(the last error: the V1 apply endpoint rate-limited the request (429)) and is held'),
      held: {
        ...V1,
        failures: 3,
        leads: [0, 1, 2].map((at) => ({ workflowId: `lead-${at}`, runId: `run ${at + 1}` })),
        failedAt: 1_000_000,
        reason: 'The V1 apply endpoint rate-limited the request (429)',
        retryAfterMs: 7_000,
      },
    });
    expect(asked).toHaveLength(3);
  });

  it('stops no lead because one or two others fail again and again', async () => {
    const { ask } = gateAt();
    for (const lead of ['sick', 'ill', 'sick', 'sick', 'ill', 'sick']) await ask(unknown, { lead });
    expect(await ask(delivered)).toBe(delivered);
  });

  it.each([
    ['a delivery', delivered],
    ['a refusal', refused],
  ])('%s in between restarts the count', async (_name, answer) => {
    const { ask } = gateAt();
    for (const outcome of [unknown, unknown, answer, unknown, unknown]) await ask(outcome);
    expect(await ask(delivered)).toBe(delivered);
  });

  it('lets a lead through that the hold let through, and all leads once that one was answered', async () => {
    const { ask } = gateAt();
    for (const outcome of [unknown, unknown, unknown]) await ask(outcome);
    expect(await ask(unknown, { bypass: true })).toBe(unknown);
    expect(await ask(delivered)).toMatchObject({ held: { failures: 4 } });
    expect(await ask(delivered, { bypass: true })).toBe(delivered);
    expect(await ask(delivered)).toBe(delivered);
  });

  it('tells the hold of an answer that did not come through it, once', async () => {
    const { ask, answered } = gateAt();
    for (const outcome of [unknown, unknown, unknown]) await ask(outcome);
    await ask(delivered, { bypass: true });
    await ask(unknown);
    await ask(delivered);
    expect(answered).toEqual([]);
    await ask(unknown, { bypass: true });
    await ask(delivered);
    for (const outcome of [unknown, unknown, unknown]) await ask(outcome);
    await ask(delivered, { bypass: 'pause-too' });
    await ask(delivered);
    expect(answered).toEqual([V1, V1]);
  });

  it('holds each instance separately', async () => {
    const { ask } = gateAt();
    for (const outcome of [unknown, unknown, unknown]) await ask(outcome);
    expect(await ask(delivered, { destination: { ...V1, instance: 'ERG/erg-nov' } })).toBe(delivered);
  });

  it('lets one lead through a minute after the last failure, in case the hold has ended on another worker', async () => {
    const { ask, later } = gateAt();
    for (const outcome of [unknown, unknown, unknown]) await ask(outcome);
    later(60_000);
    expect(await ask(unknown)).toBe(unknown);
    expect(await ask(delivered)).toHaveProperty('held');
  });
});

/** A worker sends to an upstream only if it has checked within the last seconds that no person has paused it. */
describe('a pause', () => {
  const V1: Destination = { upstream: 'V1', instance: 'ERG/erg-oct' };
  const pauseOf = (upstream: Pause['upstream'], instance = ''): Pause => ({
    upstream,
    instance,
    since: '2026-11-23T12:00:00Z',
    by: 'ops',
    reason: 'a test',
  });

  function workerAt() {
    const state = { nowMs: 0, slowMs: 0, isAway: false, pauses: [] as readonly Pause[], reads: 0 };
    const read = async () => {
      state.reads++;
      if (state.isAway) throw new Error('the engine is away');
      const { pauses } = state;
      state.nowMs += state.slowMs;
      return pauses;
    };
    const breaker = stopAtPauses(
      (_destination, _bypassHold, exchange) => exchange(),
      cachePauses(read, () => state.nowMs),
    );
    const send = (bypassHold: BypassHold = false, destination = V1) =>
      breaker({ ...destination, who: 'It' }, bypassHold, async () => ({ outcome: 'delivered', value: 'yes' }));
    return { state, breaker, send };
  }

  it.each([
    ['its instance', pauseOf('V1', 'ERG/erg-oct'), 'not-sent'],
    ['its whole upstream', pauseOf('V1'), 'not-sent'],
    ['another instance', pauseOf('V1', 'ERG/other'), 'delivered'],
    ['another upstream', pauseOf('V2'), 'delivered'],
  ])('%s is paused', async (_name, pause, outcome) => {
    const { state, send } = workerAt();
    state.pauses = [pause];
    expect((await send()).outcome).toBe(outcome);
  });

  it('stops a lead that its hold has let through, too, but no call and no look-up', async () => {
    const { state, send } = workerAt();
    state.pauses = [pauseOf('V1')];
    expect(await send(true)).toMatchObject({
      outcome: 'not-sent',
      reason: expect.stringContaining('is paused by ops'),
      held: { pause: pauseOf('V1') },
    });
    expect((await send('pause-too')).outcome).toBe('delivered');
  });

  it('is read from the engine again once the cached answer has expired', async () => {
    const { state, send } = workerAt();
    for (let sent = 0; sent < 3; sent++) await send();
    state.pauses = [pauseOf('V1')];
    state.nowMs = pausesCachedMs - 1;
    expect([(await send()).outcome, state.reads]).toEqual(['delivered', 1]);
    state.nowMs = pausesCachedMs;
    expect([(await send()).outcome, state.reads]).toEqual(['not-sent', 2]);
  });

  it('stops a lead that is still connecting', async () => {
    const { state, breaker } = workerAt();
    let requests = 0;
    const server = createServer((_, response) => response.end(String(++requests))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const outcome = await breaker({ ...V1, who: 'It' }, false, async (lastLook) => {
      state.pauses = [pauseOf('V1')];
      state.nowMs = pausesCachedMs;
      const call = { method: 'POST', url, headers: {}, timeoutMs: 10_000 } as const;
      const sent = new MockActivityEnvironment().run<[], HttpResult, () => Promise<HttpResult>>(() => send(call, lastLook));
      return outcomeOf(await sent, () => ({ accepted: 'yes' }));
    });
    server.close();
    expect([outcome, requests]).toMatchObject([{ outcome: 'not-sent', held: { pause: pauseOf('V1') } }, 0]);
  });

  it('lets nothing be sent while the engine does not answer, or answers too late', async () => {
    const { state, send } = workerAt();
    state.isAway = true;
    expect(await send()).toMatchObject({ outcome: 'not-sent', reason: expect.stringContaining('the engine did not report') });
    state.isAway = false;
    state.slowMs = pausesCachedMs;
    expect((await send()).outcome).toBe('not-sent');
    state.slowMs = 0;
    expect((await send()).outcome).toBe('delivered');
  });

  it('is read once for leads that arrive at the same time', async () => {
    const { state, send } = workerAt();
    await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(state.reads).toBe(1);
  });
});

describe('a request', () => {
  const call = (url: string, more: Partial<Call> = {}): Call => ({
    method: 'POST',
    url,
    headers: {},
    body: '{}',
    timeoutMs: 20_000,
    ...more,
  });

  const send = (one: Call, lastLook?: LastCheck, activity = new MockActivityEnvironment()) =>
    activity.run(() => sendInActivity(one, lastLook));

  const read = (one: Call) => new MockActivityEnvironment().run(() => readInActivity(one));

  async function listening<S extends Server | TcpServer>(server: S): Promise<{ port: number; server: S }> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, server };
  }

  describe('a send is known not to have arrived', () => {
    it('when the port is closed', async () =>
      expect(await send(call(`http://127.0.0.1:${await freePort()}`))).toMatchObject({ saw: 'no-connection' }));
    it('when the host name does not exist', async () =>
      expect(await send(call('http://nowhere.invalid/'))).toMatchObject({ saw: 'no-connection' }));

    it('when the server does not speak TLS', async () => {
      const { port, server } = await listening(createTcpServer((socket) => void socket.on('error', () => undefined).end('plain\r\n')));
      expect(await send(call(`https://127.0.0.1:${port}/`))).toMatchObject({ saw: 'no-connection' });
      server.close();
    });

    it('when the TLS handshake gets no answer', async () => {
      const sockets: { destroy(): void }[] = [];
      const { port, server } = await listening(createTcpServer((socket) => void sockets.push(socket)));
      expect(await send(call(`https://127.0.0.1:${port}/`, { timeoutMs: 300 }))).toMatchObject({ saw: 'no-connection' });
      for (const socket of sockets) socket.destroy();
      server.close();
      // The limit of a connection is ten seconds: only the send's own deadline ends it sooner.
    }, 8_000);
  });

  describe('a send may have arrived', () => {
    it('when the connection is cut after the request', async () => {
      const { port, server } = await listening(createTcpServer((socket) => void socket.on('data', () => socket.resetAndDestroy())));
      expect(await send(call(`http://127.0.0.1:${port}/`))).toMatchObject({ saw: 'no-answer' });
      server.close();
    });

    it('when no complete answer arrives in time', async () => {
      const { port, server } = await listening(createServer((_request, response) => void response.writeHead(200).write('{"a":')));
      // The connection must stand by then.
      expect(await send(call(`http://127.0.0.1:${port}/`, { timeoutMs: 1_500 }))).toMatchObject({
        saw: 'no-answer',
        reason: 'did not answer in time',
      });
      server.closeAllConnections();
      server.close();
    });
  });

  describe('an answer', () => {
    const serve = (status: number, body: string, headers = {}) =>
      listening(createServer((_request, response) => void response.writeHead(status, headers).end(body)));

    it.each([
      ['that is no JSON has no body', 200, '<html></html>', undefined],
      ['that is too large has no body', 200, JSON.stringify({ a: 'x'.repeat(300_000) }), undefined],
      ['that is a redirect is not followed', 302, '{}', {}],
      ['keeps its status and its JSON', 422, '{"message":"no"}', { message: 'no' }],
    ])('%s', async (_name, status, text, body) => {
      const { port, server } = await serve(status, text, { location: 'http://127.0.0.1:1/' });
      expect(await read(call(`http://127.0.0.1:${port}/`))).toMatchObject({ saw: 'answer', status, body });
      server.closeAllConnections();
      server.close();
    });

    it('never contains a secret, in any encoding', async () => {
      const { port, server } = await serve(400, '{"message":"key \\u0073ecret-1 is bad","list":["secret-1"]}');
      const answer = await read(call(`http://127.0.0.1:${port}/`, { secrets: ['secret-1'] }));
      expect(JSON.stringify(answer)).not.toContain('secret-1');
      server.closeAllConnections();
      server.close();
    });

    it('stays readable if a short secret is part of its words', async () => {
      const { port, server } = await serve(200, '{"patientId":"900001","message":"added","token":"a"}');
      const answer = await read(call(`http://127.0.0.1:${port}/`, { secrets: ['a'] }));
      expect(answer).toMatchObject({ body: { patientId: '900001', message: 'added', token: '[secret]' } });
      server.closeAllConnections();
      server.close();
    });

    it.each([
      ['k-12', 'Key k-12 (k-12) is bad; k-123 and ak-12 are not it', 'Key [secret] ([secret]) is bad; k-123 and ak-12 are not it'],
      ['a.b+', 'a.b+: no such key. Not acb+, a.b+é', '[secret]: no such key. Not acb+, a.b+é'],
      ['abc', 'abc is too short to look for', 'abc is too short to look for'],
    ])('hides the short secret %s only as a whole word', async (secret, message, shown) => {
      const { port, server } = await serve(400, JSON.stringify({ message, [secret]: 1 }));
      const answer = await read(call(`http://127.0.0.1:${port}/`, { secrets: [secret] }));
      server.closeAllConnections();
      server.close();
      expect(answer).toMatchObject({ body: { message: shown, [secret]: 1 } });
    });

    it.each([
      ['12', 12_000],
      ['999999', 3_600_000],
      ['soon', undefined],
    ])('reads Retry-After %s', async (header, retryAfterMs) => {
      const { port, server } = await serve(429, '{}', { 'retry-after': header });
      expect(await read(call(`http://127.0.0.1:${port}/`))).toMatchObject({ status: 429, retryAfterMs });
      server.closeAllConnections();
      server.close();
    });
  });

  it('a completed send leaves no timer or connection behind', async () => {
    const deadlines = jest.spyOn(AbortSignal, 'timeout');
    const { port, server } = await listening(createServer((_request, response) => void response.end('{}')));
    await send(call(`http://127.0.0.1:${port}/`));
    await send(call(`http://127.0.0.1:${await freePort()}/`));
    server.close();
    const signals = deadlines.mock.results.map(({ value }) => value as AbortSignal);
    deadlines.mockRestore();
    expect(signals.map((signal) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
  });

  describe('the last check before a send', () => {
    const seen: string[] = [];
    const look = async () => void seen.push('looked');
    const serve = () =>
      listening(
        createServer((_request, response) => {
          seen.push('arrived');
          response.end('{}');
        }),
      );
    beforeEach(() => void seen.splice(0));

    it('runs after connecting, and then the request is sent', async () => {
      const { port, server } = await serve();
      expect(await send(call(`http://127.0.0.1:${port}/`), look)).toMatchObject({ saw: 'answer' });
      expect(seen).toEqual(['looked', 'arrived']);
      server.close();
    });

    it('prevents the request if it fails', async () => {
      const { port, server } = await serve();
      await expect(send(call(`http://127.0.0.1:${port}/`), () => Promise.reject(new Error('paused')))).rejects.toThrow('paused');
      expect(seen).toEqual([]);
      server.close();
    });

    it('prevents the request if the deadline passes during the check', async () => {
      const { port, server } = await serve();
      const deadline = new AbortController();
      const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
      const slow = async () => {
        await look();
        deadline.abort();
      };
      expect(await send(call(`http://127.0.0.1:${port}/`), slow)).toMatchObject({ saw: 'no-connection' });
      expect(seen).toEqual(['looked']);
      timeout.mockRestore();
      server.close();
    });

    it('prevents the request if the activity is cancelled during the check', async () => {
      const { port, server } = await serve();
      const activity = new MockActivityEnvironment();
      const cancelling = async () => {
        await look();
        activity.cancel();
      };
      await expect(send(call(`http://127.0.0.1:${port}/`), cancelling, activity)).rejects.toThrow('cancelled');
      expect(seen).toEqual(['looked']);
      server.close();
    });

    it('does not run if connecting fails', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      expect(await send(call(url), look)).toMatchObject({ saw: 'no-connection' });
      expect(seen).toEqual([]);
    });
  });
});
