/** The gateway's HTTP API, as the command line calls it. */
import type { Config } from '../config';
import { isObject, text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { statuses, Unable } from './command';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

export interface Gateway {
  /** Whatever it answers, errors included. */
  ask(method: 'GET' | 'POST', path: string, body?: JsonObject, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  get(path: string): Promise<JsonObject>;
  post(path: string, body: JsonObject): Promise<JsonObject>;
}

export const addressOf = ({ LEADGATE_URL, PORT }: Pick<Config, 'LEADGATE_URL' | 'PORT'>): string =>
  (LEADGATE_URL ?? `http://127.0.0.1:${PORT}`).replace(/\/+$/, '');

export function gatewayOf(config: Config, stopped?: AbortSignal): Gateway {
  const address = addressOf(config);
  const ask: Gateway['ask'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${address}${path}`, {
      method,
      signal: stopped,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(config.LEADGATE_API_KEY && { Authorization: `Bearer ${config.LEADGATE_API_KEY}` }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    }).catch(() => {
      throw new Unable(stopped?.aborted ? 'stopped' : `The API does not answer at ${address}: is \`npm start\` running?`);
    });
    const json: unknown = await response.json().catch(() => undefined);
    if (!isObject(json)) throw new Unable(`What answers at ${address} is no Leadgate (status ${response.status}); see LEADGATE_URL`);
    return { status: response.status, headers: response.headers, body: json };
  };
  const done = (answered: Answered): JsonObject => {
    if (answered.status >= 300) throw refused(answered);
    return answered.body;
  };
  return {
    ask,
    get: async (path) => done(await ask('GET', path)),
    post: async (path, body) => done(await ask('POST', path, body)),
  };
}

/** Not an answer about the lead, but about whoever asks, or that nobody could look. */
const unable: Readonly<Record<number, string>> = {
  401: ': set LEADGATE_API_KEY to a key that the API knows',
  403: ': set LEADGATE_API_KEY to a key with that scope',
  429: '',
  503: '',
};

export function refused({ status, body }: Answered): Unable {
  const error = isObject(body.error) ? body.error : {};
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const wrong = details.map(({ field, message }) => `\n  ${String(field)}: ${String(message)}`).join('');
  const said = `${text(error.code) ?? `status ${status}`}: ${text(body.message) ?? 'no reason given'}`;
  return new Unable(`${said}${unable[status] ?? ''}${wrong}`, status in unable ? statuses.unable : statuses.no);
}

/** In a path as it is meant, whatever was typed. */
export const leadPath = (leadId: string, verb?: string): string =>
  ['/api/leads', encodeURIComponent(leadId), ...(verb ? [verb] : [])].join('/');
