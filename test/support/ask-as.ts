/** Sends one request with node:http, because fetch cannot set the Host header. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The local address to connect from. */
  readonly from?: string;
}

export const askAs = (url: string, path: string, { method = 'GET', headers = {}, body, from }: RawRequest) =>
  new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, localAddress: from }, (response) => {
      text(response)
        .then((read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read }))
        .catch(reject);
      // The server may answer before the whole body is sent, so do not wait for the rest.
      response.on('end', () => sent.destroy());
    });
    sent.on('error', reject);
    if (body === undefined && headers['content-length']) sent.flushHeaders();
    else sent.end(body);
  });

/** Sends raw bytes, which no HTTP client would send, and returns everything received until the connection ends. */
export async function askRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return (await socket.setEncoding('utf8').toArray()).join('');
}

/** The statuses in what `askRaw` returns. */
export const statusesIn = (answered: string): number[] => [...answered.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
