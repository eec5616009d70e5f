/** Starts the HTTP server for the application, and answers requests that cannot be parsed as HTTP. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ConfigError, type Config } from '../config/config';
import { findExposures } from '../config/exposure';
import { ApiError, errorBody } from '../contract/errors';
import { urlOf } from '../lib/http-server';
import { log } from '../lib/log';

interface Listening {
  readonly url: string;
  /** Stops accepting connections. Resolves when all requests in progress are answered. */
  close(): Promise<void>;
}

export async function listen(app: RequestListener, config: Config): Promise<Listening> {
  const server = createServer(
    {
      // Node requires that the time-out of the headers does not exceed that of the request.
      headersTimeout: Math.min(config.HEADERS_TIMEOUT_MS, config.REQUEST_TIMEOUT_MS),
      requestTimeout: config.REQUEST_TIMEOUT_MS,
      keepAliveTimeout: 30_000,
      connectionsCheckingInterval: 500,
      requireHostHeader: false,
    },
    app,
  );
  // Keep every header, so that surplus ones cannot displace another. Node limits their bytes, and the app their number.
  server.maxHeadersCount = 0;
  server.on('clientError', answerInvalid);
  await openPort(server, config);
  for (const { found, next } of findExposures(config)) log.warn(`${found}: ${next}`);
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

/** Answers invalid HTTP and requests that time out with an error body, because no route receives them. */
function answerInvalid(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = isTimeout
    ? '408 Request Timeout'
    : error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : '400 Bad Request';
  const body = JSON.stringify(
    errorBody(
      new ApiError('VALIDATION_ERROR', isTimeout ? 'The request timed out: its data arrived too slowly' : 'The request is not valid HTTP'),
    ),
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

function openPort(server: Server, { HOST, PORT }: Config): Promise<void> {
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
