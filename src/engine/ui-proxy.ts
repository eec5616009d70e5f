/**
 * A proxy before the Temporal UI, for browsers of this machine. The engine's own UI answers any Host, so a web page could list and end
 * runs by DNS rebinding. This proxy answers only a local Host and its own Origin. See docs/decisions/0012-temporal-ui.md.
 */
import { randomInt } from 'node:crypto';
import { Agent, request as ask, createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
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

const withoutHopByHop = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' }).end(`${message}\n`);
}

export async function startUiProxy(port: number, ui: UiAddress): Promise<UiProxy> {
  const agent = new Agent({ keepAlive: true });
  const authority = `${ui.host}:${ui.port}`;

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = request;
    const own = { ...withoutHopByHop(headers), host: authority, ...(headers.origin && { origin: `http://${authority}` }) };
    const sent = ask({ agent, ...ui, method, path: url, headers: own }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
      pipeline(answer, response, () => undefined);
    });
    sent.on('error', () => (response.headersSent ? response.destroy() : refuse(response, 502, 'The Temporal engine does not answer')));
    response.on('close', () => sent.destroy());
    request.pipe(sent);
  }

  const server = createServer((request, response) =>
    isOwnPage(request.headers)
      ? forward(request, response)
      : refuse(response, 403, 'The Temporal UI is only for pages of its own at a Host of this machine'),
  );
  const { port: given, close } = await listening(server, port, loopback);
  return { url: `http://${loopback}:${given}`, close: () => close().finally(() => agent.destroy()) };
}
