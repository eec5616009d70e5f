/** Stands before a gateway: passes each request on, and loses as many answers as it is told to. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from '../../src/lib/http-server';

export interface Proxy {
  readonly url: string;
  /** Method, path and Idempotency-Key of each request. */
  readonly seen: readonly { readonly method: string; readonly path: string; readonly key?: string }[];
  /** The gateway gets the next requests, and their caller no answer. */
  loseNext(count: number): void;
  close(): Promise<void>;
}

export async function openProxy(gatewayUrl: string): Promise<Proxy> {
  const seen: { method: string; path: string; key?: string }[] = [];
  let lost = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      const key = headers['idempotency-key'];
      seen.push({ method, path: url, ...(typeof key === 'string' && { key }) });
      const isLost = lost-- > 0;
      const body = method === 'GET' ? undefined : await buffer(request);
      const passed = Object.entries(headers).filter(([name]) => ['content-type', 'idempotency-key', 'prefer', 'x-dry-run'].includes(name));
      const answer = await fetch(`${gatewayUrl}${url}`, { method, body, headers: passed as [string, string][] });
      const text = await answer.text();
      if (isLost) return request.socket.destroy();
      response.writeHead(answer.status, [...answer.headers].filter(([name]) => name !== 'transfer-encoding').flat());
      return response.end(text);
    })();
  });
  const { port, close } = await listening(server, 0, '127.0.0.1');
  return { url: `http://127.0.0.1:${port}`, seen, loseNext: (count) => void (lost = count), close };
}
