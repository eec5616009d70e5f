/** Returns the exchanges of a lead's run, each with its request and answer, and the decisions about it. Values are masked unless `clear`. */
import type { Client } from '@temporalio/client';
import { withoutSecrets } from '../domain/credentials';
import { isExchange, readExchange, withAnswer, type LeadBefore } from '../domain/exchanges';
import { without } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { masked } from '../domain/mask';
import { maskedRefusal } from '../domain/masked-refusal';
import { memoOf } from '../domain/memo';
import { fieldsNamed } from '../domain/fields-named';
import type { RunDescription } from '../temporal/ask';
import { readHistory, type DecodedActivity } from './history';
import { eventUrl, type RunUrls } from './run-urls';
import { bodyOf, chainOf } from './runs';

interface ExchangesContext {
  /** The previous attempt, if the engine still has it. */
  readonly before?: RunDescription;
  readonly runUrl: RunUrls;
}

export async function exchangesOf(
  client: Client,
  run: RunDescription,
  clear: boolean,
  { before, runUrl }: ExchangesContext,
): Promise<JsonObject> {
  const chain = await Promise.all((await chainOf(client, run)).map(async (each) => ({ each, ...(await readHistory(client, each)) })));
  const [{ workflow, startedAt, lead }] = chain as [(typeof chain)[0]];
  const happened = chain.flatMap(({ each, activities: ofRun }) =>
    ofRun.filter(isExchange).map((one) => ({ ...one, runUrl: runUrl(each) })),
  );
  const decided = chain.flatMap((one) => one.decisions);
  const shown = (value: unknown) => (value === undefined ? undefined : clear ? withoutSecrets(value) : masked(value));
  const exchanges: JsonObject[] = [];
  let step: string | undefined;
  let soFar: LeadBefore = { ...lead, workflow };
  for (const one of happened) {
    const { request, answer, status = one.failure?.status, ...named } = readExchange(one, soFar, step);
    step = named.step;
    soFar = withAnswer(soFar, one);
    exchanges.push({
      call: one.call,
      step,
      temporalUrl: eventUrl(one.runUrl, one.eventId),
      startedAt: one.startedAt,
      endedAt: one.endedAt,
      status,
      request: shown(request),
      answer:
        one.failure?.body === undefined || clear
          ? shown(one.failure?.body ?? answer)
          : maskedRefusal(one.failure.body, { ...lead.body, request }),
      rawAnswer: one.failure?.raw && (clear ? one.failure.raw : without({ ...one.failure.raw }, ['text'])),
      ...errorOf(one, { ...lead.body, request }),
    });
  }
  const redriven = lead.redriven ? [{ at: startedAt, verb: 'redrive', ...lead.redriven }] : [];
  const decisions = [...redriven, ...decided.map(({ at, decision }) => ({ at, ...without({ ...decision }, ['from']) }))];
  const changed = before ? (memoOf(run)?.redrive?.changed ?? []) : [];
  const was = before && changed.length > 0 ? await bodyOf(client, before) : {};
  const one = (fields: JsonObject, field: string) => Object.values(shown({ [field]: fields[field] }) as JsonObject)[0];
  const mended = changed.map((field) => ({ field, before: one(was, field), after: one(lead.body, field) }));
  return { clear, lead: shown(lead.body), ...(mended.length > 0 && { mended }), exchanges, decisions };
}

/** Returns the exchange's error, and the sent fields that the upstream's refusal names. */
function errorOf({ failure }: DecodedActivity, sent: JsonObject): JsonObject {
  if (!failure) return {};
  const { type, message, status, body } = failure;
  const fields = fieldsNamed(body, sent);
  return { error: { code: type, message, status }, ...(fields.length > 0 && { fields }) };
}
