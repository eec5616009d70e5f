/** Sends one request by node:http, because fetch does not allow to choose the Host. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Another address of this machine. */
  readonly from?: string;
}

export const askAs = (url: string, path: string, { method = 'GET', headers = {}, body, from }: Asked) =>
  new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, localAddress: from }, (response) => {
      text(response)
        .then((read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read }))
        .catch(reject);
      // A refusal may come before the body that was announced: nobody waits for the rest.
      response.on('end', () => sent.destroy());
    });
    sent.on('error', reject);
    if (body === undefined && headers['content-length']) sent.flushHeaders();
    else sent.end(body);
  });

/** Sends these very bytes, which no client would send, and returns all that comes back until the connection ends. */
export async function askRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return (await socket.setEncoding('utf8').toArray()).join('');
}

/** The statuses in what `askRaw` returns. */
export const statusesIn = (answered: string): number[] => [...answered.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
