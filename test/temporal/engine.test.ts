/** The connection to an engine, its questions, and what it keeps. */
import { ApplicationFailure, CancelledFailure, defaultPayloadConverter, TimeoutFailure, type Payload } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { parseConfig } from '../../src/config/config';
import { parseKeyRing } from '../../src/keys/ring';
import { messageOf } from '../../src/lib/errors';
import { installRuntime } from '../../src/runtime/process';
import { describe as find, DeadlineExceeded, within } from '../../src/temporal/ask';
import { clockOffMs, watchClock } from '../../src/temporal/clock';
import { encryptionCodec, UnknownKey } from '../../src/temporal/codec';
import { decodeError, decodeValues } from '../../src/temporal/decode';
import { connect, dataConverter } from '../../src/temporal/engine';
import { failureConverter } from '../../src/temporal/failure-converter';
import { whyNotReady } from '../../src/temporal/readiness';
import { explainConnectionError } from '../../src/temporal/refusals';
import { logged, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

/** The connection to an existing Temporal: made of the TEMPORAL_ settings and profiles alone, and refused in plain words. */
describe('a connection', () => {
  /** Says yes to every call, and keeps its headers. */
  async function openFake() {
    const heard: IncomingHttpHeaders[] = [];
    const server = createServer();
    server.on('stream', (stream, headers) => {
      heard.push(headers);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      // An empty message, not compressed.
      stream.end(Buffer.alloc(5));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { heard, port: (server.address() as AddressInfo).port, close: () => server.close() };
  }

  let fake: Awaited<ReturnType<typeof openFake>>;
  let dir: string;
  beforeAll(async () => {
    installRuntime();
    fake = await openFake();
    dir = mkdtempSync(join(tmpdir(), 'leadgate-profile-'));
  });
  afterAll(() => {
    fake.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** As a process with these settings does it. */
  async function connected(settings: Record<string, string>) {
    const before = { ...process.env };
    Object.assign(process.env, settings);
    try {
      const { connection, namespace } = await connect(parseConfig(settings), 0);
      await connection.close();
      return { namespace, headers: fake.heard.at(-1) };
    } finally {
      for (const name of Object.keys(settings)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  }

  const here = () => ({ TEMPORAL_ADDRESS: `127.0.0.1:${fake.port}` });

  describe('a Temporal elsewhere', () => {
    it('gets the API key, the metadata and the namespace of the settings', async () => {
      const settings = { ...here(), TEMPORAL_API_KEY: 'key-of-ours', TEMPORAL_TLS: 'false', TEMPORAL_GRPC_META_TEAM: 'leads' };
      const { namespace, headers } = await connected({ ...settings, TEMPORAL_NAMESPACE: 'leads.a1b2c' });
      expect(headers).toMatchObject({ authorization: 'Bearer key-of-ours', team: 'leads' });
      expect(namespace).toBe('leads.a1b2c');
    });

    it('is found by a profile, and the environment takes precedence', async () => {
      const file = join(dir, 'temporal.toml');
      writeFileSync(
        file,
        `[profile.far]\naddress = "127.0.0.1:${fake.port}"\nnamespace = "far"\napi_key = "of-file"\ntls = { disabled = true }\n`,
      );
      const settings = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'far' };
      expect(await connected(settings)).toMatchObject({ namespace: 'far', headers: { authorization: 'Bearer of-file' } });
      expect(await connected({ ...settings, TEMPORAL_NAMESPACE: 'near' })).toMatchObject({ namespace: 'near' });
    });

    it('ignores empty variables', async () => {
      const empty = {
        TEMPORAL_API_KEY: '',
        TEMPORAL_TLS: '',
        TEMPORAL_NAMESPACE: '',
        TEMPORAL_PROFILE: '',
        TEMPORAL_TLS_CLIENT_CERT_PATH: '',
      };
      const { namespace, headers } = await connected({ ...here(), ...empty });
      expect(namespace).toBe('leadgate');
      expect(headers).not.toHaveProperty('authorization');
    });

    it.each([
      [{ TEMPORAL_CONFIG_FILE: '/nowhere.toml' }, 'TEMPORAL_CONFIG_FILE: there is no file /nowhere.toml'],
      [{ TEMPORAL_PROFILE: 'nobody' }, "The TEMPORAL_ settings cannot be used: Profile 'nobody' not found"],
      [
        { TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere.pem', TEMPORAL_TLS_CLIENT_KEY_PATH: '/nowhere.key' },
        "no such file or directory, open '/nowhere.pem'",
      ],
      [{ TEMPORAL_TLS: 'true' }, 'it does not use TLS'],
    ])('with %j is refused at once, with an explanation', async (settings, words) =>
      expect(await connected({ ...here(), ...settings }).catch(messageOf)).toContain(words),
    );
  });

  it.each([
    [
      'hyper::Error(Io, Custom { kind: InvalidData, error: "received fatal alert: CertificateRequired" })',
      /asks for a client certificate/,
      true,
    ],
    ['hyper::Error(Io, Custom { kind: InvalidData, error: "received fatal alert: BadCertificate" })', /does not accept/, true],
    ['ConnectError(Custom { kind: InvalidData, error: InvalidCertificate(UnknownIssuer) })', /authority/, true],
    ['InvalidCertificate(NotValidForNameContext { expected: DnsName("a.example") })', /another name/, true],
    ['code: \'The request does not have valid authentication credentials\', message: "no"', /TEMPORAL_API_KEY/, true],
    ['ConnectError("tcp connect error", 127.0.0.1:9, Os { code: 111, kind: ConnectionRefused })', /nothing listens/, false],
    ['Custom { kind: BrokenPipe, error: "stream closed because of a broken pipe" }', /it may require TLS/, false],
  ])('explains the transport error %s', (message, words, isFinal) =>
    expect(explainConnectionError(message)).toEqual({ words: expect.stringMatching(words), isFinal }),
  );
});

/** A question to the engine ends at its deadline, and an answer that came before it is used. */
describe('a call to the engine', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ withoutWorker: true });
    // The connection stands before a test asks.
    await find(gateway.client, 'nobody');
  });
  afterAll(() => gateway.stop());

  const deadlineMs = 1_000;

  /** As in a process that gets no core, or collects garbage. */
  function standStill(forMs: number) {
    const until = Date.now() + forMs;
    while (Date.now() < until);
  }

  it('reads an answer that arrived while the process was suspended', async () => {
    const { client } = gateway;
    const asked = within(client, Date.now() + deadlineMs, () => client.workflow.count("WorkflowId = 'nobody'"));
    // The request goes out first.
    for (let turns = 0; turns < 3; turns++) await turn();
    standStill(deadlineMs + 200);
    expect((await asked).count).toBe(0);
  });

  it('ends at its deadline without an answer', async () => {
    const never = () => new Promise(() => {});
    await expect(within(gateway.client, Date.now() + 50, never)).rejects.toThrow(DeadlineExceeded);
  });
});

describe('encryption', () => {
  const codec = encryptionCodec(parseKeyRing(`k1:${randomBytes(32).toString('base64')}`));
  const payload = (text: string): Payload => ({ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(text) });
  const text = ({ data }: Payload) => Buffer.from(data ?? []).toString();

  it.each([
    ['small', 'ü'.repeat(10)],
    ['large', 'words and words '.repeat(200_000)],
    ['large and without a pattern', randomBytes(100_000).toString('base64')],
  ])('a %s payload is decrypted as it was, and is nowhere in clear', async (_, written) => {
    const [sealed] = await codec.encode([payload(written)]);
    expect(text(sealed!)).not.toContain(written.slice(0, 10));
    const [opened] = await codec.decode([sealed!]);
    expect(text(opened!)).toBe(written);
    expect(Buffer.from(opened!.metadata?.encoding ?? []).toString()).toBe('json/plain');
  });

  it('no nonce is used twice, also for concurrent payloads', async () => {
    const nonceOf = ({ data }: Payload) => Buffer.from(data ?? []).toString('hex', 0, 12);
    const sealed = await Promise.all(Array.from({ length: 1_000 }, () => codec.encode([payload('one'), payload('two')])));
    expect(new Set(sealed.flat().map(nonceOf)).size).toBe(2_000);
  });

  it('a large payload is compressed', async () => {
    const [sealed] = await codec.encode([payload('words and words '.repeat(200_000))]);
    expect(sealed!.data!.length).toBeLessThan(100_000);
  });

  it('reports a payload that was encrypted with another key of the same id', async () => {
    const other = encryptionCodec(parseKeyRing(`k1:${randomBytes(32).toString('base64')}`));
    const sealed = await codec.encode([payload('words')]);
    await expect(other.decode(sealed)).rejects.toThrow(UnknownKey);
  });
});

/** What the engine stores encrypted is read as what was told. */
describe('stored payloads and failures', () => {
  const codecs = dataConverter(parseKeyRing(`k1:${Buffer.alloc(32, 3).toString('base64')}`));
  const encrypted = async (payloads: Payload[]) => (await codecs.payloadCodecs?.[0]?.encode(payloads)) ?? [];

  const isPayload = (value: object): value is Payload => 'metadata' in value;

  /** Encrypts every payload in it, wherever it stands. */
  async function stored(value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map(stored));
    if (typeof value !== 'object' || value === null) return value;
    if (isPayload(value)) return (await encrypted([value]))[0];
    return Object.fromEntries(await Promise.all(Object.entries(value).map(async ([name, inner]) => [name, await stored(inner)])));
  }

  const readBack = async (error: Error) =>
    decodeError(codecs, (await stored(failureConverter.errorToFailure(error, defaultPayloadConverter))) as object);

  it('reads values, and none if there are none', async () => {
    const values = [{ leadId: 'p1' }, 'text', 3, null];
    const payloads = await encrypted(values.map((value) => defaultPayloadConverter.toPayload(value)));
    expect(await decodeValues(codecs, payloads)).toEqual(values);
    expect(await decodeValues(codecs, undefined)).toEqual([]);
  });

  const inner = ApplicationFailure.create({ message: 'inner', details: [7] });

  it.each([
    [ApplicationFailure.create({ message: 'refused', details: [{ status: 422 }] }), { message: 'refused', details: [{ status: 422 }] }],
    [new TimeoutFailure('too late', { page: 3 }, 'HEARTBEAT'), { message: 'too late', lastHeartbeatDetails: { page: 3 } }],
    [new CancelledFailure('ended', [{ by: 'a person' }]), { message: 'ended', details: [{ by: 'a person' }] }],
    [ApplicationFailure.create({ message: 'outer', cause: inner }), { message: 'outer', cause: { message: 'inner', details: [7] } }],
  ])('reads %s', async (error, facts) => {
    const read = await readBack(error);
    expect(read).toBeInstanceOf(error.constructor);
    expect(read).toMatchObject(facts);
  });

  it('reads no error where there was no failure', async () => expect(await decodeError(codecs, null)).toBeUndefined());
});

/** A clock that is off is named: the engine stamps each poll of a worker. */
describe("this machine's clock", () => {
  const now = Date.parse('2026-11-28T12:00:00Z');
  const minutesAgo = (...minutes: number[]) => minutes.map((each) => now - each * 60_000);

  it.each([
    ['agrees with the engine while a worker polls', minutesAgo(1, 4), 0],
    ['is behind if a worker polled later than now', minutesAgo(3, -10), -600_000],
    ['is ahead if every worker polled longer ago than the engine lists it', minutesAgo(15, 20), 600_000],
    ['is unknown without a worker', [], 0],
  ])('%s', (_, polls, offMs) => expect(clockOffMs(polls, now)).toBe(offMs));

  it('is in the log while it is off, with what it harms, and is why the service is not ready', async () => {
    const gateway = await startGateway();
    const { engine, client, config } = gateway;
    await gateway.untilReady();
    const real = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => real() + 3_600_000);
    const warning = /the clock of this machine is at least 3[23]\d\d s ahead of the engine's: synchronise .* receivers refuse events/;
    try {
      const unwatch = watchClock(engine, config.TASK_QUEUE);
      await until(() => logged.some((line) => warning.test(line)), 'the warning is in the log');
      await unwatch();
      expect(await whyNotReady(client, engine.namespace, config.TASK_QUEUE)).toMatch(/^The clock of this machine is at least 3[23]\d\d s/);
    } finally {
      clock.mockRestore();
      await gateway.stop();
    }
  });
});
