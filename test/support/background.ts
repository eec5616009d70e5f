/**
 * Runs a background load of leads during a test, on an engine whose index lags behind its runs. Also has the requests that such tests send
 * to a gateway.
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../src/domain/lead';
import { without } from '../../src/domain/formats';
import { testEngine } from './engine';
import { newLead, startGateway, type GatewayAnswer, type Gateway } from './gateway';
import { ownNamespace } from './namespace';
import { until } from './until';

export const noPrescreen = '/api/clinicsys/no-prescreen';
export const atOnce = { prefer: 'respond-async' };
/** The part of an answer that a later read has: all but the access key. */
export const withoutAccessKey = (answer: JsonObject): JsonObject => without(answer, ['key']);

const reason = 'The person asked for it';

const erasedMostMs = 60_000;

/** A caller of the API: the gateway itself, or one with a key. */
export type ApiCaller = Pick<Gateway, 'get' | 'post'>;

/** The caller whose key this is. */
export const withKey = ({ get, post }: ApiCaller, key: string): ApiCaller => {
  const authorization = `Bearer ${key}`;
  return {
    get: (path, headers) => get(path, { authorization, ...headers }),
    post: (path, body, headers) => post(path, body, { authorization, ...headers }),
  };
};

/** The id that V1 gave a lead's person. */
export async function patientOf({ get }: Pick<Gateway, 'get'>, leadId: string, headers = {}): Promise<string> {
  const { body } = await get(`/api/leads/${leadId}/exchanges?clear=true`, headers);
  const sent = body.exchanges.find(({ call }: { call: string }) => call === 'sendToRt');
  return String(sent.answer.PatientID);
}

/** Sends leads of other people without a pause, until the returned function is called. */
function startBackground({ post }: ApiCaller): () => Promise<void> {
  const over = new AbortController();
  const caller = async () => {
    while (!over.signal.aborted) await post(noPrescreen, newLead('v1-slow-1000'));
  };
  const called = caller();
  // A rejection is handled when the load is stopped.
  called.catch(() => undefined);
  return async () => {
    over.abort();
    await called;
  };
}

/** Starts a gateway with a background load of other people's leads, for the tests of one file. */
export function underLoad(settings: Readonly<Record<string, string>> = {}, key = ''): () => Gateway {
  let started: Gateway | undefined;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const TEMPORAL_ADDRESS = testEngine().lateAddress;
    const TEMPORAL_NAMESPACE = await ownNamespace(`late-${randomUUID()}`, TEMPORAL_ADDRESS);
    // Wait for the result of a lead, even on a busy machine.
    const SYNC_WAIT_MS = '60000';
    started = await startGateway({ settings: { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, SYNC_WAIT_MS, ...settings } });
    stops.push(started.stop);
    const caller = key ? withKey(started, key) : started;
    // Warm up, because the first lead of a worker is slow.
    await caller.post(noPrescreen, newLead());
    stops.push(startBackground(caller));
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });
  return () => {
    if (!started) throw new Error('The gateway is started before the first test');
    return started;
  };
}

export const leadIdOf = ({ headers, body }: GatewayAnswer): string => headers.get('x-lead-id') ?? String(body.leadId ?? '');

/** Repeats the erasure of a person until it is complete. Returns all answers; the last is 200. */
export async function eraseUntilDone({ post }: ApiCaller, person: object): Promise<GatewayAnswer[]> {
  const answers: GatewayAnswer[] = [];
  await until(
    async () => {
      answers.push(await post('/api/erase', { reason, ...person }));
      return answers.at(-1)?.status !== 202;
    },
    'the person is erased',
    erasedMostMs,
  );
  const outcomes = answers.map(({ status, body: { success, pending } }) => ({ status, success, pending }));
  const pending = { status: 202, success: false, pending: true };
  expect(outcomes).toEqual([...outcomes.slice(1).map(() => pending), { status: 200, success: true, pending: undefined }]);
  return answers;
}

/** The requests with this e-mail that a simulator received, oldest first. */
export async function sentOf({ sandbox }: Gateway, email: string, call = 'v1') {
  const words = [email, encodeURIComponent(email)];
  return (await sandbox()).requests.filter((one) => one.call === call && words.some((word) => `${one.url} ${one.body}`.includes(word)));
}

/** The lead ids of a list. */
export async function listed({ get }: ApiCaller, filter: Record<string, string>): Promise<string[]> {
  const { status, body } = await get(`/api/leads?${new URLSearchParams(filter).toString()}`);
  expect(status).toBe(200);
  return body.leads.map(({ leadId }: { leadId: string }) => leadId);
}

/** True while the run is open. */
export async function isRunning({ client }: Gateway, workflowId: string): Promise<boolean> {
  const run = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
      throw error;
    });
  return run?.status.name === 'RUNNING';
}
