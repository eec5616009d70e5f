/** The command line's client of the gateway's HTTP API. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Config } from '../config/config';
import { isObject, text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { statuses, Unable } from './command';

/** The gateway does not answer, or cannot now: the same request may do well later. */
export class Away extends Unable {
  override name = 'Away';
}

export interface Answered {
  /** The address that was asked. */
  readonly address: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

export interface Gateway {
  /** Returns any answer, errors included. */
  ask(method: 'GET' | 'POST', path: string, body?: JsonObject, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  get(path: string): Promise<JsonObject>;
  post(path: string, body: JsonObject): Promise<JsonObject>;
  /** Sends a file. The answer is one document, or lines as they come. If the lines break off, they end without an error. */
  sendCsv(path: string, csv: string): Promise<Answered | AsyncIterable<JsonObject>>;
}

export const addressOf = ({ LEADGATE_URL, PORT }: Pick<Config, 'LEADGATE_URL' | 'PORT'>): string =>
  (LEADGATE_URL ?? `http://127.0.0.1:${PORT}`).replace(/\/+$/, '');

export function gatewayOf(config: Config, stopped?: AbortSignal): Gateway {
  const address = addressOf(config);
  const call = (path: string, method: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Response> =>
    fetch(`${address}${path}`, {
      method,
      signal: stopped,
      headers: { ...(config.LEADGATE_API_KEY && { Authorization: `Bearer ${config.LEADGATE_API_KEY}` }), ...headers },
      body,
    }).catch(() => {
      if (stopped?.aborted) throw new Unable('stopped');
      throw new Away(`The API does not answer at ${address}: is \`npm start\` running?`);
    });
  const answered = async (response: Response): Promise<Answered> => {
    const json: unknown = await response.json().catch(() => undefined);
    const { status, headers } = response;
    if (!isObject(json)) throw noLeadgate({ address, status });
    return { address, status, headers, body: json };
  };
  const ask: Gateway['ask'] = async (method, path, body, headers = {}) =>
    answered(await call(path, method, { ...(body && { 'Content-Type': 'application/json' }), ...headers }, body && JSON.stringify(body)));
  const done = (answered: Answered, asked: Iterable<string>): JsonObject => {
    if (answered.status >= 300 || answered.body.success !== true) throw refused(answered, asked);
    return answered.body;
  };
  return {
    ask,
    get: async (path) => done(await ask('GET', path), new URLSearchParams(path.split('?')[1]).keys()),
    post: async (path, body) => done(await ask('POST', path, body), Object.keys(body)),
    sendCsv: async (path, csv) => {
      const response = await call(path, 'POST', { 'Content-Type': 'text/csv; charset=utf-8' }, csv);
      return response.headers.get('content-type')?.startsWith('application/x-ndjson') ? linesOf(response) : answered(response);
    },
  };
}

async function* linesOf({ body }: Response): AsyncGenerator<JsonObject> {
  if (!body) return;
  const lines = createInterface({ input: Readable.from(unlessBroken(body), { objectMode: false }) });
  for await (const line of lines) {
    const json = parsed(line);
    if (!isObject(json)) return;
    yield json;
  }
}

/** An incomplete line is ignored. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function* unlessBroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    // The caller notices that the last line is missing.
  }
}

/** Statuses that say nothing about the lead: the caller may not ask, or the service could not look. */
const unable: Readonly<Record<number, string>> = {
  401: ': set LEADGATE_API_KEY to a key that the API knows',
  403: ': set LEADGATE_API_KEY to a key with that scope',
  429: '',
  503: '',
};

const isAway = (status: number): boolean => status === 429 || status >= 500;

const noLeadgate = ({ address, status }: Pick<Answered, 'address' | 'status'>): Unable =>
  new (isAway(status) ? Away : Unable)(`What answers at ${address} does not look like a Leadgate (status ${status}); see LEADGATE_URL`);

const errorIn = (body: JsonObject): JsonObject => (isObject(body.error) ? body.error : {});

/** True if Leadgate itself says that it does not know the lead; a 404 of another server says nothing. */
export const isUnknownLead = ({ status, body }: Answered): boolean => status === 404 && errorIn(body).code === 'NOT_FOUND';

/** The error for a refused request. `asked` names the fields that came from options: if one of them is wrong, the command was. */
export function refused(answered: Answered, asked: Iterable<string> = []): Unable {
  const { status, body } = answered;
  const error = errorIn(body);
  if (typeof error.code !== 'string') return noLeadgate(answered);
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const fields = new Set<unknown>(asked);
  const wrong = details.map(({ field, message }) => `\n  ${String(field)}: ${String(message)}`).join('');
  const isWrongUsage = status === 400 && details.some(({ field }) => fields.has(field));
  const said = `${error.code}: ${text(body.message) ?? 'no reason given'}`;
  const Refusal = isAway(status) ? Away : Unable;
  return new Refusal(`${said}${unable[status] ?? ''}${wrong}`, status in unable || isWrongUsage ? statuses.unable : statuses.no);
}

/** The path of a lead, with the id encoded. */
export const leadPath = (leadId: string, verb?: string): string =>
  ['/api/leads', encodeURIComponent(leadId), ...(verb ? [verb] : [])].join('/');
