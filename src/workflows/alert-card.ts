/**
 * Shows an alert as a card in the list that ALERT_BOARD names. It uses the workflows of group A to make the card and to mark it done.
 * If a card may have been made already, it looks for a card that names the alert and never makes a second one.
 */
import { ApplicationFailure, ChildWorkflowFailure, executeChild, isCancellation } from '@temporalio/workflow';
import { summaryOf, type Alert, type AlertRules, type Said } from '../domain/alerts';
import { isObject } from '../domain/formats';
import type { ErrorCode, JsonObject } from '../domain/lead';
import type { createTodo } from './taskboard';

/** The result of one try. `unknown`: the card may have been made. */
export type Tried =
  { readonly done: true; readonly cardId?: string } | { readonly done: false; readonly reason: string; readonly unknown?: true };

/** What one try needs to know of a message. */
export type Message = Pick<Said, 'channel' | 'what' | 'alert' | 'tries' | 'unknown'>;

type BoardCall = 'createTodo' | 'listTodos' | 'updateTodo';
type CardAnswer =
  | { readonly answer: JsonObject; readonly code?: undefined }
  | { readonly answer?: undefined; readonly code: ErrorCode; readonly reason: string };

const notFound = 'The task board shows no card of this alert';

export async function openCard({ alert, tries, unknown }: Message, rules: AlertRules): Promise<Tried> {
  const place = { ...rules.card };
  if (unknown) {
    const { answer } = await ask('listTodos', place, alert, tries, rules);
    const cardId = answer && cardNaming(alert.alertId, answer);
    return cardId === undefined ? { done: false, reason: notFound } : { done: true, cardId };
  }
  const asked = await ask('createTodo', { ...place, title: summaryOf(alert), text: textOf(alert) }, alert, tries, rules);
  if (asked.code) return { done: false, reason: asked.reason, ...(asked.code === 'OUTCOME_UNKNOWN' && { unknown: true }) };
  const { card } = asked.answer;
  return isObject(card) ? { done: true, cardId: String(card.id) } : { done: false, reason: notFound };
}

export async function closeCard({ alert, tries }: Message, rules: AlertRules, id: string): Promise<Tried> {
  const asked = await ask('updateTodo', { id, projectId: rules.card?.projectId, done: true }, alert, tries, rules);
  // A missing card counts as closed: somebody has removed it.
  return asked.code === undefined || asked.code === 'NOT_FOUND' ? { done: true } : { done: false, reason: asked.reason };
}

/** Runs a board call as a child workflow. If that ends without an answer, the outcome is unknown. */
async function ask(call: BoardCall, body: JsonObject, { alertId }: Alert, tries: number, rules: AlertRules): Promise<CardAnswer> {
  try {
    const { result } = await executeChild<typeof createTodo>(call, {
      workflowId: `alert-card:${alertId}:${call}:${tries}`,
      args: [{ leadId: '', body, rules: rules.call }],
      searchAttributes: { LeadKeyId: [rules.keyFingerprint] },
      staticSummary: 'the card of an alert',
    });
    return { answer: result ?? {} };
  } catch (error) {
    if (isCancellation(error)) throw error;
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    if (cause instanceof ApplicationFailure) return { code: cause.type as ErrorCode, reason: cause.message };
    return { code: 'OUTCOME_UNKNOWN', reason: 'The call to the task board ended without an answer' };
  }
}

function cardNaming(alertId: string, { cards }: JsonObject): string | undefined {
  const found = Array.isArray(cards) ? cards.filter(isObject).find(({ text }) => String(text).includes(alertId)) : undefined;
  return found && String(found.id);
}

const textOf = ({ alertId, reason, leadIds, openedAt, link }: Alert): string =>
  [reason, leadIds.length > 0 && `Leads: ${leadIds.join(', ')}`, `Since ${openedAt}`, link, `Alert ${alertId}`].filter(Boolean).join('\n');
