/** The HTTP server: opens the port for the application, answers what is no HTTP request, and closes when it is told to. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ConfigError, type Config } from '../config/config';
import { ApiError, errorBody } from '../contract/errors';
import { urlOf } from '../lib/http-server';
import { log } from '../lib/log';
import { isLoopback } from '../lib/loopback';

interface Listening {
  readonly url: string;
  /** Takes no new connection. Resolves when every request under way is answered. */
  close(): Promise<void>;
}

export async function listen(app: RequestListener, config: Config): Promise<Listening> {
  const server = createServer(
    {
      // Node refuses headers that may take longer than the whole request.
      headersTimeout: Math.min(config.HEADERS_TIMEOUT_MS, config.REQUEST_TIMEOUT_MS),
      requestTimeout: config.REQUEST_TIMEOUT_MS,
      keepAliveTimeout: 30_000,
      connectionsCheckingInterval: 500,
      requireHostHeader: false,
    },
    app,
  );
  // Every header is kept, so that none of them can push another one out; their bytes are limited, and the app counts them.
  server.maxHeadersCount = 0;
  server.on('clientError', answerBroken);
  await opened(server, config);
  if (!isLoopback(config.HOST)) warnOfHost(config);
  const { port } = server.address() as AddressInfo;
  return {
    url: urlOf(config.HOST, port),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeIdleConnections();
      }),
  };
}

function warnOfHost({ GATEWAY_API_KEYS }: Config): void {
  log.warn('HOST is not a loopback address, and the API speaks plain HTTP: TLS is the job of a proxy before it, see docs/tls.md');
  if (!GATEWAY_API_KEYS)
    log.warn(
      'HOST is not a loopback address and GATEWAY_API_KEYS is not set: whoever reaches it from another machine and sends a Host of this one can send leads and read them masked',
    );
}

/** Answers bytes that are no HTTP, or come too slowly, with an error body: there is no request yet that a route could answer. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = slow
    ? '408 Request Timeout'
    : error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : '400 Bad Request';
  const body = JSON.stringify(
    errorBody(new ApiError('VALIDATION_ERROR', slow ? 'The request came too slowly' : 'This is no HTTP request that can be read')),
  );
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    `X-Request-Id: ${randomUUID()}`,
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function opened(server: Server, { HOST, PORT }: Config): Promise<void> {
  return new Promise((done, refuse) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      refuse(
        new ConfigError(
          error.code === 'EADDRINUSE'
            ? `PORT ${PORT} is in use on ${HOST}: set PORT to a free one`
            : `HOST ${HOST}, PORT ${PORT}: ${error.code}`,
        ),
      ),
    );
    server.listen(PORT, HOST, done);
  });
}
