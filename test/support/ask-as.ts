/** Sends one request by node:http, because fetch does not allow to choose the Host. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const askAs = (url: string, path: string, { method = 'GET', headers = {}, body }: Asked) =>
  new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers }, (response) => {
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
