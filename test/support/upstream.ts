/** Starts an upstream that answers as the test sets it, and records the requests with their headers. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: any; // eslint-disable-line -- a test reads into it and states what it expects
}

export interface UpstreamAnswer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  /** Resolves when the answer may be sent. */
  readonly after?: Promise<unknown>;
}

export async function openUpstream(port = 0) {
  const received: Received[] = [];
  const answers: UpstreamAnswer[] = [];
  let usual: (request: Received) => UpstreamAnswer = () => ({ body: {} });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const text = Buffer.concat(chunks).toString();
      const seen: Received = { method, url, headers, text, body: text && JSON.parse(text) };
      received.push(seen);
      const { status = 200, body, headers: more, after } = answers.shift() ?? usual(seen);
      const answer = () => {
        response.writeHead(status, { 'content-type': 'application/json', ...more });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      };
      if (after) void after.then(answer);
      else answer();
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A test that fails before it closes its upstream must not keep the process from exiting.
  server.unref().on('connection', (socket) => socket.unref());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** Queues an answer. With an empty queue it sends the default answer, initially an empty object. */
    answerWith: (answer: UpstreamAnswer) => void answers.push(answer),
    /** Sets the default answer. */
    answerAlways: (answer: UpstreamAnswer) => void (usual = () => answer),
    /** Sets the default answer to each request. */
    answerBy: (answer: (request: Received) => UpstreamAnswer) => void (usual = answer),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export type Upstream = Awaited<ReturnType<typeof openUpstream>>;
