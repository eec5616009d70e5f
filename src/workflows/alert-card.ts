/**
 * Shows an alert as a card on the study's own task board. It uses the workflows of group A to make the card and to mark it done. If a
 * card may have been made already, it looks for a card that names the alert and never makes a second one.
 */
import { ApplicationFailure, ChildWorkflowFailure, executeChild, isCancellation } from '@temporalio/workflow';
import { summaryOf, type Alert, type AlertRules, type Said } from '../domain/alerts';
import { isObject } from '../domain/formats';
import type { ErrorCode, JsonObject } from '../domain/lead';
import type { Tried } from './alert-outbox';
import type { createTodo } from './taskboard';

type BoardCall = 'createTodo' | 'listTodos' | 'updateTodo';
type CardAnswer = { readonly answer: JsonObject; readonly code?: undefined } | { readonly answer?: undefined; readonly code: ErrorCode };

export async function openCard({ alert, tries, unknown }: Said, rules: AlertRules): Promise<Tried> {
  const place = { ...rules.card };
  if (unknown) {
    const { answer } = await ask('listTodos', place, alert, tries, rules);
    const cardId = answer && cardNaming(alert.alertId, answer);
    return cardId === undefined ? { done: false } : { done: true, cardId };
  }
  const { answer, code } = await ask('createTodo', { ...place, title: summaryOf(alert), text: textOf(alert) }, alert, tries, rules);
  if (code === 'OUTCOME_UNKNOWN') return { done: false, unknown: true };
  return answer && isObject(answer.card) ? { done: true, cardId: String(answer.card.id) } : { done: false };
}

export async function closeCard({ alert, tries }: Said, rules: AlertRules, id: string): Promise<Tried> {
  const { code } = await ask('updateTodo', { id, projectId: rules.card?.projectId, done: true }, alert, tries, rules);
  // A missing card counts as closed: somebody has removed it.
  return { done: code === undefined || code === 'NOT_FOUND' };
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
    return { code: cause instanceof ApplicationFailure ? (cause.type as ErrorCode) : 'OUTCOME_UNKNOWN' };
  }
}

function cardNaming(alertId: string, { cards }: JsonObject): string | undefined {
  const found = Array.isArray(cards) ? cards.filter(isObject).find(({ text }) => String(text).includes(alertId)) : undefined;
  return found && String(found.id);
}

const textOf = ({ alertId, reason, leadIds, openedAt, link }: Alert): string =>
  [reason, leadIds.length > 0 && `Leads: ${leadIds.join(', ')}`, `Since ${openedAt}`, link, `Alert ${alertId}`].filter(Boolean).join('\n');
