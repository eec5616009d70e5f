/** Tells the exchanges of a lead's run, each request and answer, and the decisions. Masked, unless asked for in clear. */
import type { Client } from '@temporalio/client';
import { readExchange, withAnswer, withoutSecrets, type Lead } from '../domain/exchanges';
import type { JsonObject } from '../domain/lead';
import { masked } from '../domain/mask';
import { maskedRefusal } from '../domain/masked-refusal';
import { memoOf } from '../domain/memo';
import { fieldsNamed } from '../domain/outcome';
import type { Found } from '../temporal/ask';
import { readHistory, type DecodedActivity } from './history';
import { eventUrl } from './run-urls';
import { bodyOf } from './runs';

interface Known {
  /** The attempt before this run, if the engine still has it. */
  readonly before?: Found;
  readonly runUrl?: string;
}

export async function exchangesOf(client: Client, run: Found, clear: boolean, { before, runUrl }: Known): Promise<JsonObject> {
  const { workflow, startedAt, lead, happened, decided } = await readHistory(client, run);
  const shown = (value: unknown) => (value === undefined ? undefined : clear ? withoutSecrets(value) : masked(value));
  const exchanges: JsonObject[] = [];
  let step: string | undefined;
  let soFar: Lead = { ...lead, workflow };
  for (const one of happened) {
    const { request, answer, status = one.failure?.status, ...told } = readExchange(one, soFar, step);
    step = told.step;
    soFar = withAnswer(soFar, one);
    exchanges.push({
      call: one.call,
      step,
      temporalUrl: eventUrl(runUrl, one.eventId),
      startedAt: one.startedAt,
      endedAt: one.endedAt,
      status,
      request: shown(request),
      answer:
        one.failure?.body === undefined || clear
          ? shown(one.failure?.body ?? answer)
          : maskedRefusal(one.failure.body, { ...lead.body, request }),
      ...errorOf(one, { ...lead.body, request }),
    });
  }
  const redriven = lead.redriven ? [{ at: startedAt, verb: 'redrive', ...lead.redriven }] : [];
  const decisions = [...redriven, ...decided.map(({ at, decision }) => ({ at, ...decision }))];
  const changed = before ? (memoOf(run)?.redrive?.changed ?? []) : [];
  const was = before && changed.length > 0 ? await bodyOf(client, before) : {};
  const one = (fields: JsonObject, field: string) => Object.values(shown({ [field]: fields[field] }) as JsonObject)[0];
  const mended = changed.map((field) => ({ field, before: one(was, field), after: one(lead.body, field) }));
  return { clear, lead: shown(lead.body), ...(mended.length > 0 && { mended }), exchanges, decisions };
}

/** The exchange's error, and the sent fields that the upstream's refusal names. */
function errorOf({ failure }: DecodedActivity, sent: JsonObject): JsonObject {
  if (!failure) return {};
  const { type, message, status, body } = failure;
  const fields = fieldsNamed(body, sent);
  return { error: { code: type, message, status }, ...(fields.length > 0 && { fields }) };
}
