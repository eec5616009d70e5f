/**
 * Serves the decoder (a codec server) of the Temporal UI, which shows payloads in clear. The UI calls it from the operator's browser, so it
 * listens on loopback and answers only the UI's pages. With a token it also requires the token or a login, and may run behind a container's
 * network; a program with the token needs no page. Every viewing is in the audit trail. It shows no credentials. It decodes and never encodes.
 */
import type { Payload, PayloadCodec } from '@temporalio/common';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Trail } from '../audit/trail';
import { ConfigError } from '../config/config';
import { listening } from '../lib/http-server';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { isLoopback } from '../lib/loopback';
import { createDecoderLogin, loginPath, type DecoderLogin } from './decoder-login';
import { createViewings, type Viewings } from './viewings';

const bodyMaxBytes = 8_388_608;
const loopback = '127.0.0.1';

const base64 = z.base64();
const wireBody = z.object({
  payloads: z.array(z.looseObject({ metadata: z.record(z.string(), base64).optional(), data: base64.optional() })).max(10_000),
});
type WirePayload = z.infer<typeof wireBody>['payloads'][number];

export interface Decoder {
  readonly url: string;
  close(): Promise<void>;
}

/** The functions that read the value of a payload. */
export interface PayloadReader {
  /** Returns the lead id in a value, if there is one. */
  readonly leadOf: (value: unknown) => string | undefined;
  readonly withoutSecrets: (value: unknown) => unknown;
}

export interface DecoderOptions {
  readonly codec: PayloadCodec;
  readonly uiOrigins: readonly string[];
  readonly trail: Trail;
  readonly reader: PayloadReader;
  /** Callers must send it, if it is set. */
  readonly token?: string;
  readonly port?: number;
  /** Loopback by default; another address needs a token. */
  readonly host?: string;
}

/** Thrown to refuse a request with this status. */
class DecoderError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const fromWire = ({ metadata = {}, data = '' }: WirePayload): Payload => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
  data: Buffer.from(data, 'base64'),
});

const toWire = ({ metadata, data }: Payload): WirePayload => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')])),
  data: Buffer.from(data ?? []).toString('base64'),
});

/** Returns a payload unchanged if it cannot be decoded, because one lost key must not hide the rest of a history. */
async function decodeOne({ codec, reader }: OpenDecoder, payload: WirePayload): Promise<WirePayload> {
  try {
    const [decoded] = await codec.decode([fromWire(payload)]);
    return decoded ? concealed(toWire(decoded), reader) : payload;
  } catch {
    return payload;
  }
}

const valueIn = ({ data = '' }: WirePayload): unknown => parsed(Buffer.from(data, 'base64').toString());

/** Hides the credentials in a payload. Without any, it stays as it is, byte by byte. */
function concealed(payload: WirePayload, { withoutSecrets }: PayloadReader): WirePayload {
  const value = valueIn(payload);
  const text = JSON.stringify(withoutSecrets(value));
  return text === JSON.stringify(value) ? payload : { ...payload, data: Buffer.from(text).toString('base64') };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) throw new DecoderError(413, `the body is larger than ${bodyMaxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseBody(text: string): WirePayload[] {
  try {
    return wireBody.parse(JSON.parse(text)).payloads;
  } catch {
    throw new DecoderError(400, 'the body must be {"payloads":[{"metadata":{…},"data":"…"}]} in base64');
  }
}

/** Refuses other machines, and hosts that were rebound to this machine by DNS. */
function assertLocal({ headers, socket }: IncomingMessage, isBehind: boolean): void {
  if (!isBehind && !isLoopback(socket.remoteAddress)) throw new DecoderError(403, 'only this machine may use the decoder');
  const allowed = [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`];
  if (!allowed.includes(headers.host ?? '')) throw new DecoderError(403, 'the Host header is not this machine');
}

/** Returns the page's origin; undefined for a program. */
function originOf(request: IncomingMessage, { origins, login }: OpenDecoder): string | undefined {
  const { origin } = request.headers;
  if (origin && origins.has(origin)) return origin;
  if (login.isProgram(request)) return undefined;
  throw new DecoderError(403, `only the Temporal UI may use the decoder${login.isLocked ? ', or a program that sends the token' : ''}`);
}

interface OpenDecoder {
  readonly codec: PayloadCodec;
  readonly origins: ReadonlySet<string>;
  readonly viewings: Viewings;
  readonly reader: PayloadReader;
  readonly login: DecoderLogin;
  /** True behind a container's network, where the address of the socket is not that of the client. */
  readonly isBehind: boolean;
}

async function answer(request: IncomingMessage, response: ServerResponse, open: OpenDecoder): Promise<void> {
  const { viewings, reader, login, isBehind } = open;
  const leadsIn = (payload: WirePayload) => reader.leadOf(valueIn(payload)) ?? [];
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Vary', 'Origin');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  assertLocal(request, isBehind);
  const path = request.url?.split('?')[0];
  if (path === loginPath && login.isLocked) return login.login(request, response, () => readBody(request));
  const origin = originOf(request, open);
  if (origin) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Credentials', 'true');
  }
  if (path !== '/decode') throw new DecoderError(404, 'there is only /decode');
  if (request.method === 'OPTIONS') {
    response.setHeader('Access-Control-Allow-Methods', 'POST');
    response.setHeader('Access-Control-Allow-Headers', 'content-type, x-namespace, authorization');
    response.writeHead(204).end();
    return;
  }
  if (request.method !== 'POST') throw new DecoderError(405, 'only POST');
  if (!login.admits(request)) throw new DecoderError(401, `log in first, at http://${request.headers.host}${loginPath}`);
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new DecoderError(415, 'Content-Type must be application/json');
  if (Number(request.headers['content-length'] ?? 0) > bodyMaxBytes)
    throw new DecoderError(413, `the body is larger than ${bodyMaxBytes} bytes`);
  const wire = parseBody(await readBody(request));
  const payloads = await Promise.all(wire.map((payload) => decodeOne(open, payload)));
  const who = login.isLocked ? 'decoder token' : 'local';
  await viewings
    .read({ who, origin, address: request.socket.remoteAddress }, payloads.length, payloads.flatMap(leadsIn))
    .catch((error: unknown) => {
      log.error('the audit trail cannot be written', { action: 'decode', reason: messageOf(error) });
      throw new DecoderError(503, 'the audit trail cannot be written: nothing is decoded');
    });
  sendJson(response, 200, { payloads });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, message } = error instanceof DecoderError ? error : { status: 500, message: 'the payloads could not be decoded' };
  if (response.headersSent) return void response.destroy();
  // Do not read the rest of a refused body.
  response.setHeader('Connection', 'close');
  sendJson(response, status, { message });
}

export async function startDecoder({
  codec,
  uiOrigins,
  trail,
  reader,
  token,
  port = 0,
  host = loopback,
}: DecoderOptions): Promise<Decoder> {
  const isBehind = !isLoopback(host);
  if (isBehind && !token) throw new ConfigError('A decoder that other machines can reach needs a DECODER_TOKEN');
  const viewings = createViewings(trail);
  const open: OpenDecoder = { codec, origins: new Set(uiOrigins), viewings, reader, login: createDecoderLogin(token), isBehind };
  const server = createServer((request, response) => {
    answer(request, response, open).catch((error: unknown) => refuse(response, error));
  });
  server.headersTimeout = 5000;
  server.requestTimeout = 15_000;
  const { port: given, close } = await listening(server, port, host);
  return {
    url: `http://${loopback}:${given}`,
    close: async () => {
      await close();
      await viewings.close();
    },
  };
}
