/** The connection to an existing Temporal: made of the TEMPORAL_ settings and profiles alone, and refused in plain words. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/config';
import { messageOf } from '../../src/lib/errors';
import { installRuntime } from '../../src/runtime/process';
import { connect } from '../../src/temporal/engine';
import { refusalIn } from '../../src/temporal/refusals';

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
  it('gets the API key and the metadata of the settings, and its namespace is theirs', async () => {
    const settings = { ...here(), TEMPORAL_API_KEY: 'key-of-ours', TEMPORAL_TLS: 'false', TEMPORAL_GRPC_META_TEAM: 'leads' };
    const { namespace, headers } = await connected({ ...settings, TEMPORAL_NAMESPACE: 'leads.a1b2c' });
    expect(headers).toMatchObject({ authorization: 'Bearer key-of-ours', team: 'leads' });
    expect(namespace).toBe('leads.a1b2c');
  });

  it('is found by a profile of a file, and what the environment says wins', async () => {
    const file = join(dir, 'temporal.toml');
    writeFileSync(
      file,
      `[profile.far]\naddress = "127.0.0.1:${fake.port}"\nnamespace = "far"\napi_key = "of-file"\ntls = { disabled = true }\n`,
    );
    const settings = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'far' };
    expect(await connected(settings)).toMatchObject({ namespace: 'far', headers: { authorization: 'Bearer of-file' } });
    expect(await connected({ ...settings, TEMPORAL_NAMESPACE: 'near' })).toMatchObject({ namespace: 'near' });
  });

  it('is not asked with what is there and empty', async () => {
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
    [{ TEMPORAL_TLS: 'true' }, 'it does not speak TLS there'],
  ])('with %j is refused at once, in words', async (settings, words) =>
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
  ['ConnectError("tcp connect error", 127.0.0.1:9, Os { code: 111, kind: ConnectionRefused })', /nobody listens/, false],
  ['Custom { kind: BrokenPipe, error: "stream closed because of a broken pipe" }', /perhaps it wants TLS/, false],
])('the words of the transport %s are put plainly', (message, words, isFinal) =>
  expect(refusalIn(message)).toEqual({ words: expect.stringMatching(words), isFinal }),
);
