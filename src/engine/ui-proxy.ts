/**
 * A proxy in front of the Temporal UI, for browsers of this machine. The UI of the Temporal engine answers any Host, so a web page could
 * list and end runs by DNS rebinding. This proxy answers only a local Host and, where an Origin is named, its own. It refuses every change
 * of a run, because the change would not be on the audit trail. See docs/decisions/0012-temporal-ui.md.
 */
import { randomInt } from 'node:crypto';
import { Agent, request as ask, createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { listening } from '../lib/http-server';
import { codeOf } from '../lib/errors';
import { isLoopbackHost } from '../lib/loopback';
import { freePort } from './ports';

export interface UiAddress {
  readonly host: string;
  readonly port: number;
}

export interface UiProxy {
  readonly url: string;
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-authenticate', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** A random loopback address out of 16 million, which no web page can guess. Undefined if the system has only 127.0.0.1. */
export async function hiddenAddress(): Promise<UiAddress | undefined> {
  const host = ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.');
  try {
    return { host, port: await freePort(host) };
  } catch (error) {
    if (codeOf(error) === 'EADDRNOTAVAIL') return undefined;
    throw error;
  }
}

const isOwnPage = ({ host, origin }: IncomingHttpHeaders): boolean =>
  isLoopbackHost(host) && (origin === undefined || origin === `http://${host}`);

/** A Temporal query asks a run for its state, such as its report. It reads, though it is a POST. */
const runQuery = /^\/api\/v1\/namespaces\/[^/]+\/workflows\/[^/]+\/query\/[^/?]+(\?|$)/;
const isReading = ({ method = '', url = '' }: IncomingMessage): boolean =>
  ['GET', 'HEAD'].includes(method) || (method === 'POST' && runQuery.test(url));

const withoutHopByHop = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' }).end(`${message}\n`);
}

/** The UI's page asks for it with a `?` behind. */
const settingsPath = /^\/api\/v1\/settings(\?|$)/;

/** Answers the UI's settings, changed so that its pages offer no change of a run. */
async function answerSettings(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const settings = z.looseObject({}).parse(await json(answer));
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ ...settings, DisableWriteActions: true }));
}

export async function startUiProxy(port: number, ui: UiAddress): Promise<UiProxy> {
  const agent = new Agent({ keepAlive: true });
  const authority = `${ui.host}:${ui.port}`;

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = request;
    const isForSettings = method === 'GET' && settingsPath.test(url ?? '');
    const sentHeaders = {
      ...withoutHopByHop(headers),
      host: authority,
      ...(headers.origin && { origin: `http://${authority}` }),
      // The settings are read here, so they must not come compressed.
      ...(isForSettings && { 'accept-encoding': 'identity' }),
    };
    const sent = ask({ agent, ...ui, method, path: url, headers: sentHeaders }, (answer) => {
      if (isForSettings && answer.statusCode === 200) return void answerSettings(answer, response).catch(() => response.destroy());
      response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
      pipeline(answer, response, () => undefined);
    });
    sent.on('error', () => (response.headersSent ? response.destroy() : refuse(response, 502, 'The Temporal engine does not answer')));
    response.on('close', () => sent.destroy());
    request.pipe(sent);
  }

  const server = createServer((request, response) => {
    if (!isOwnPage(request.headers))
      return refuse(response, 403, 'The Temporal UI answers only its own pages, opened at 127.0.0.1, [::1] or localhost');
    if (!isReading(request))
      return refuse(response, 403, 'The Temporal UI shows runs and changes none: decide about a lead in the console of Leadgate');
    return forward(request, response);
  });
  const { port: given, close } = await listening(server, port, loopback);
  return { url: `http://${loopback}:${given}`, close: () => close().finally(() => agent.destroy()) };
}
