/** Simulates a well-behaved client: if the connection breaks or the answer asks for a retry, it retries with the same Idempotency-Key. */
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { isObject } from '../../src/domain/formats';
import type { TestLead } from './lead';
import type { Stage } from './stage';

export interface CallerAnswer {
  readonly status: number;
  readonly code?: string;
  readonly state?: string;
  readonly leadId?: string;
  /** The gateway answered a replay of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
  readonly body: unknown;
}

/** The answers of one caller; null if the connection broke. */
export type CallerAnswers = readonly (CallerAnswer | null)[];

const answerMostMs = 20_000;
const patienceMs = 120_000;
const retryPauseMs = 250;
const longestPauseMs = 2_000;

// With fewer connections than callers, some callers would wait for others.
const agent = new Agent({ connections: 1_024 });
const header = (value: string | string[] | undefined) => [value].flat()[0];

async function post({ url }: Stage, { path, body, key }: TestLead): Promise<CallerAnswer & { retryAfterMs: number }> {
  const {
    statusCode,
    headers,
    body: stream,
  } = await request(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
    body: JSON.stringify(body),
    dispatcher: agent,
    signal: AbortSignal.timeout(answerMostMs),
  });
  const answered: unknown = await stream.json();
  const { error, state, leadId } = isObject(answered) ? answered : {};
  return {
    status: statusCode,
    ...(isObject(error) && { code: String(error.code) }),
    ...(typeof state === 'string' && { state }),
    leadId: header(headers['x-lead-id']) ?? (typeof leadId === 'string' ? leadId : undefined),
    replayed: headers['idempotency-replayed'] === 'true',
    retryAfterMs: Number(header(headers['retry-after']) ?? 0) * 1000,
    body: answered,
  };
}

/** If the lead may have been accepted, the caller looks it up, and posts it again if it does not exist. */
async function isThere(stage: Stage, leadId: string): Promise<boolean> {
  for (;;) {
    const looked = await stage.ask(`${stage.url}/api/leads/${leadId}`).catch(() => undefined);
    if (looked?.status === 200) return true;
    if (looked?.status === 404) return false;
    await pause(retryPauseMs);
  }
}

async function isOver(stage: Stage, { status, code, state, leadId }: CallerAnswer): Promise<boolean> {
  if (status === 503 || (status === 429 && !state)) return false;
  return code === 'OUTCOME_UNKNOWN' && !state && leadId ? isThere(stage, leadId) : true;
}

export async function sendUntilAnswered(stage: Stage, lead: TestLead): Promise<CallerAnswers> {
  const answers: (CallerAnswer | null)[] = [];
  const giveUpAt = Date.now() + patienceMs;
  while (Date.now() < giveUpAt) {
    const answer = await post(stage, lead).catch(() => null);
    answers.push(answer);
    if (answer && (await isOver(stage, answer))) return answers;
    await pause(Math.min(Math.max(answer?.retryAfterMs ?? 0, retryPauseMs), longestPauseMs));
  }
  return answers;
}
