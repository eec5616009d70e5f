/** An upstream that answers as the test says and keeps the requests that it received, headers included. */
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

export interface Told {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  /** Not before that. */
  readonly after?: Promise<unknown>;
}

export async function openUpstream(port = 0) {
  const received: Received[] = [];
  const answers: Told[] = [];
  let usual: Told = { body: {} };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const text = Buffer.concat(chunks).toString();
      received.push({ method, url, headers, text, body: text && JSON.parse(text) });
      const { status = 200, body, headers: more, after } = answers.shift() ?? usual;
      const answer = () => {
        response.writeHead(status, { 'content-type': 'application/json', ...more });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      };
      if (after) void after.then(answer);
      else answer();
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** The next answer; without one it is the usual answer, at first an empty object. */
    answerWith: (told: Told) => void answers.push(told),
    /** The usual answer from now on. */
    answerAlways: (told: Told) => void (usual = told),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export type Upstream = Awaited<ReturnType<typeof openUpstream>>;
