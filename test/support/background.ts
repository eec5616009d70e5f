/**
 * Keeps other leads under way during a test, on an engine whose index lags behind its runs: an idle engine's does not. Also what such
 * tests ask of a gateway.
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../src/domain/lead';
import { without } from '../../src/domain/formats';
import { testEngine } from './engine';
import { newLead, startGateway, type Answered, type Gateway } from './gateway';
import { ownNamespace } from './namespace';
import { until } from './until';

export const noPrescreen = '/api/clinicsys/no-prescreen';
export const atOnce = { prefer: 'respond-async' };
/** What a later read tells of an answer: its access key is in no later read. */
export const kept = (answer: JsonObject): JsonObject => without(answer, ['key']);

const reason = 'The person asked for it';

const erasedMostMs = 60_000;

/** A caller of the API: the gateway itself, or one with a key. */
export type Caller = Pick<Gateway, 'get' | 'post'>;

/** The caller whose key this is. */
export const withKey = ({ get, post }: Caller, key: string): Caller => {
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
function startBackground({ post }: Caller): () => Promise<void> {
  const over = new AbortController();
  const caller = async () => {
    while (!over.signal.aborted) await post(noPrescreen, newLead('v1-slow-1000'));
  };
  const called = caller();
  // A failed call is told by the stop.
  called.catch(() => undefined);
  return async () => {
    over.abort();
    await called;
  };
}

/** A gateway with other people's leads under way, for the tests of one file. */
export function underLoad(settings: Readonly<Record<string, string>> = {}, key = ''): () => Gateway {
  let started: Gateway | undefined;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const TEMPORAL_ADDRESS = testEngine().lateAddress;
    const TEMPORAL_NAMESPACE = await ownNamespace(`late-${randomUUID()}`, TEMPORAL_ADDRESS);
    // An answer tells what became of a lead, however busy the machine is.
    const SYNC_WAIT_MS = '60000';
    started = await startGateway({ settings: { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, SYNC_WAIT_MS, ...settings } });
    stops.push(started.stop);
    const caller = key ? withKey(started, key) : started;
    // On a busy machine the first lead of a worker takes its time.
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

export const leadIdOf = ({ headers, body }: Answered): string => headers.get('x-lead-id') ?? String(body.leadId ?? '');

/** Asks for a person's erasure until it is done: every answer, the last of them 200. */
export async function eraseUntilDone({ post }: Caller, person: object): Promise<Answered[]> {
  const answers: Answered[] = [];
  await until(
    async () => {
      answers.push(await post('/api/erase', { reason, ...person }));
      return answers.at(-1)?.status !== 202;
    },
    'the person is erased',
    erasedMostMs,
  );
  const told = answers.map(({ status, body: { success, pending } }) => ({ status, success, pending }));
  const pending = { status: 202, success: false, pending: true };
  expect(told).toEqual([...told.slice(1).map(() => pending), { status: 200, success: true, pending: undefined }]);
  return answers;
}

/** What a simulator was sent of this e-mail, oldest first. */
export async function sentOf({ sandbox }: Gateway, email: string, call = 'v1') {
  const words = [email, encodeURIComponent(email)];
  return (await sandbox()).requests.filter((one) => one.call === call && words.some((word) => `${one.url} ${one.body}`.includes(word)));
}

/** The ids that a list shows. */
export async function listed({ get }: Caller, filter: Record<string, string>): Promise<string[]> {
  const { status, body } = await get(`/api/leads?${new URLSearchParams(filter).toString()}`);
  expect(status).toBe(200);
  return body.leads.map(({ leadId }: { leadId: string }) => leadId);
}

/** True while the engine still carries this run. */
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
