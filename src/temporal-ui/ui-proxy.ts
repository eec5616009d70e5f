/**
 * Runs a proxy in front of the Temporal UI, for browsers of this machine. The engine's UI answers any Host, so a web page could list and end
 * runs by DNS rebinding. This proxy requires a local Host and, if there is an Origin, its own. It refuses every change of a run, because the
 * change would not be in the audit trail. See docs/decisions/0010-embedded-engine.md.
 */
import { randomInt } from 'node:crypto';
import { Agent, request as ask, createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { headerFault, listening } from '../lib/http-server';
import { codeOf } from '../lib/errors';
import { isOwnPage } from '../lib/loopback';
import { freePort } from '../config/ports';

export interface UiAddress {
  readonly host: string;
  readonly port: number;
}

export interface UiProxy {
  readonly url: string;
  close(): Promise<void>;
}

const loopback = '127.0.0.1';

/** The headers that the UI uses. No other header is forwarded, so that none can change the meaning or the length of a request. */
const forwardedHeaders = [
  ...['accept', 'accept-encoding', 'accept-language', 'if-modified-since', 'if-none-match'],
  ...['caller-type', 'content-type', 'cookie', 'x-csrf-token'],
];
const hopByHop = ['connection', 'keep-alive', 'proxy-authenticate', 'te', 'trailer', 'transfer-encoding', 'upgrade'];
/** The most bytes of a query's input, which the UI leaves empty. */
const bodyMaxBytes = 65_536;

/** Returns one of 16 million loopback addresses, which no web page can guess. Undefined if the system has only 127.0.0.1. */
export async function randomLoopbackAddress(): Promise<UiAddress | undefined> {
  const host = ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.');
  try {
    return { host, port: await freePort(host) };
  } catch (error) {
    if (codeOf(error) === 'EADDRNOTAVAIL') return undefined;
    throw error;
  }
}

/** A Temporal query reads a run's state, such as its report, although it is a POST. */
const runQuery = /^\/api\/v1\/namespaces\/[^/?]+\/workflows\/[^/?]+\/query\/\w+(\?|$)/;
const isQuery = ({ method, url = '' }: IncomingMessage): boolean => method === 'POST' && runQuery.test(url);
const isPlainRead = ({ method = '' }: IncomingMessage): boolean => ['GET', 'HEAD'].includes(method);

/** True for a normalized path: no other host, no `..`, no backslash. */
const isPlainPath = (url = ''): boolean => url.startsWith('/') && new URL(`http://ui${url}`).pathname === url.split('?')[0];

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Returns why the engine's UI might parse this request differently than this proxy. */
function faultOf(request: IncomingMessage): string | undefined {
  const fault = headerFault(request);
  if (fault) return fault.message;
  if (!isPlainPath(request.url)) return 'The path must be one of the Temporal UI, as its pages write it';
  if (request.headers.upgrade !== undefined) return 'The Temporal UI is served over HTTP/1.1 alone';
  return isPlainRead(request) && hasBody(request) ? 'A GET has no body' : undefined;
}

const onlyForwarded = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(forwardedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

/** Also removes the headers that the Connection header names. */
function withoutHopByHop(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name) && !named.includes(name)));
}

/** Reads the whole body, so that it is forwarded with its own length. Undefined if it is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' }).end(`${message}\n`);
}

/** The UI requests it with a trailing `?`. */
const settingsPath = /^\/api\/v1\/settings(\?|$)/;

/** Answers with the UI's settings, changed so that its pages offer no change of a run. */
async function answerSettings(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const settings = z.looseObject({}).parse(await json(answer));
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ ...settings, DisableWriteActions: true }));
}

export async function startUiProxy(port: number, ui: UiAddress): Promise<UiProxy> {
  const agent = new Agent({ keepAlive: true });

  function forward({ method, url, headers }: IncomingMessage, response: ServerResponse, body?: Buffer): void {
    const isForSettings = method === 'GET' && settingsPath.test(url ?? '');
    const sentHeaders = {
      ...onlyForwarded(headers),
      ...(body && { 'content-length': body.length }),
      // The proxy parses the settings, so they must not be compressed.
      ...(isForSettings && { 'accept-encoding': 'identity' }),
    };
    const sent = ask({ agent, ...ui, method, path: url, headers: sentHeaders }, (answer) => {
      if (isForSettings && answer.statusCode === 200) return void answerSettings(answer, response).catch(() => response.destroy());
      response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
      pipeline(answer, response, () => undefined);
    });
    sent.on('error', () => (response.headersSent ? response.destroy() : refuse(response, 502, 'The Temporal engine does not answer')));
    response.on('close', () => sent.destroy());
    sent.end(body);
  }

  async function forwardQuery(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body) forward(request, response, body);
    else refuse(response, 413, `The body is larger than ${bodyMaxBytes} bytes`);
  }

  const server = createServer((request, response) => {
    const fault = faultOf(request);
    if (fault) return refuse(response, 400, fault);
    if (!isOwnPage(request.headers))
      return refuse(response, 403, 'The Temporal UI answers only its own pages, opened at 127.0.0.1, [::1] or localhost');
    if (!isPlainRead(request) && !isQuery(request))
      return refuse(response, 403, 'The Temporal UI is read-only: decide about a lead in the console of Leadgate');
    if (!isQuery(request)) return forward(request, response);
    forwardQuery(request, response).catch(() => response.destroy());
  });
  const { port: given, close } = await listening(server, port, loopback);
  return { url: `http://${loopback}:${given}`, close: () => close().finally(() => agent.destroy()) };
}
