/** Starts a sandbox on a free port, with a client that returns what it received instead of throwing. */
import { Agent, request } from 'undici';
import { sandboxUrls } from '../../src/config/sandbox-urls';
import type { SandboxOptions } from '../../tools/sandbox/app';
import { startSandbox } from '../../tools/sandbox/start';
import { until } from '../support/until';

export type Seen = {
  /** `answer`: a complete answer; `ended`: the connection broke; `silent`: the client timed out or disconnected. */
  kind: 'answer' | 'ended' | 'silent';
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
};

type Ask = {
  method?: 'GET' | 'POST';
  key?: string;
  /** Text is sent unchanged. */
  json?: unknown;
  form?: Record<string, string>;
  query?: Record<string, string>;
  type?: string;
};

export type Json = { [name: string]: Json } & { [index: number]: Json } & { length: number };

export const json = ({ text }: Seen): Json => JSON.parse(text);

const patienceMs = 10_000;

const textOf = (body: unknown) => (body === undefined || typeof body === 'string' ? body : JSON.stringify(body));

export async function openSandbox(options?: SandboxOptions) {
  const running = await startSandbox({ SANDBOX_PORT: 0 }, options);
  const urls = sandboxUrls(running.port);
  const agent = new Agent();
  let hangUp = new AbortController();

  async function ask(url: string, { method, key, json: body, form, query, type }: Ask = {}): Promise<Seen> {
    const text = form ? new URLSearchParams(form).toString() : textOf(body);
    const contentType = type ?? (form ? 'application/x-www-form-urlencoded' : 'application/json');
    const headers = { ...(key && { authorization: `Bearer ${key}` }), ...(text && { 'content-type': contentType }) };
    const target = new URL(url, running.url);
    for (const [name, value] of Object.entries(query ?? {})) target.searchParams.set(name, value);
    const signal = AbortSignal.any([hangUp.signal, AbortSignal.timeout(patienceMs)]);
    try {
      const answer = await request(target, { method: method ?? (text ? 'POST' : 'GET'), headers, body: text, dispatcher: agent, signal });
      return { kind: 'answer', status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    } catch {
      return { kind: signal.aborted ? 'silent' : 'ended', status: 0, headers: {}, text: '' };
    }
  }

  const v2 = (path: string) => `${urls.CLINICSYS_V2_URL}/api/v2${path}`;
  const askKey = (instanceName = 'erg-oct', account = 'ERG') => ask(urls.KEY_SERVICE_URL, { json: { account, instanceName } });
  const getKey = async (instanceName?: string, account?: string) => String(json(await askKey(instanceName, account)).key);
  const lookUp = (email: string, key: string, instanceName = 'erg-oct') => ask(v2('/subjects'), { key, query: { instanceName, email } });
  const apply = (key: string, form: Record<string, string>) => ask(urls.CLINICSYS_V1_APPLY_URL, { key, form });
  const commentsOf = (id: unknown, key: string, comment?: string, instanceName = 'erg-oct') =>
    ask(v2(`/subjects/${String(id)}/comments`), { key, query: { instanceName }, ...(comment !== undefined && { json: { comment } }) });
  const state = async () => json(await ask('/__state'));
  const timesSeen = async (call: string) => Number((await state()).calls?.[call] ?? 0);

  /** Sends a request, and waits until the simulator has received it. */
  async function begin(call: string, send: () => Promise<Seen>): Promise<{ answer: Promise<Seen> }> {
    const before = await timesSeen(call);
    const answer = send();
    await until(async () => (await timesSeen(call)) > before, `the simulator has the call ${call}`);
    return { answer };
  }

  /** Sends a request, and disconnects once the simulator has received it. */
  async function giveUp(call: string, send: () => Promise<Seen>): Promise<Seen> {
    const { answer } = await begin(call, send);
    await ask('/');
    hangUp.abort();
    hangUp = new AbortController();
    // After this answer, the simulator has noticed the disconnect.
    await ask('/');
    return answer;
  }

  async function close(): Promise<void> {
    await running.close();
    await agent.destroy();
  }

  return { url: running.url, urls, ask, v2, askKey, getKey, lookUp, apply, commentsOf, state, begin, giveUp, close };
}

export type OpenSandbox = Awaited<ReturnType<typeof openSandbox>>;

export const leadOf = (email: string): Record<string, string> => ({
  StudyID: '12',
  ReferrerID: '7',
  FirstName: 'Ann',
  LastName: 'Lee',
  Email: email,
  Phone: '555-201-3344',
  DOB: '1980-03-05',
  Sex: 'F',
  Zip: '33432',
  'questions[101]': '1',
  'questions[102]': '2',
});
