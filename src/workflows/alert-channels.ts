/** Tells an alert on one channel, once: posts it to the webhook, or makes or closes its card on the task board. */
import { summaryOf, type AlertRules } from '../domain/alerts';
import type { Message, Tried } from './alert-card';
import { webhookTimeoutMs } from '../domain/deadlines';
import { closeCard, openCard } from './alert-card';
import { failedAttempt } from './failures';
import { once } from './proxies';

export async function tell(message: Message, rules: AlertRules | undefined, cardId: string | undefined): Promise<Tried> {
  if (message.channel === 'webhook') return post(message);
  // No card is made where no board is set any more, and none is closed that was never made.
  if (!rules?.card) return { done: true };
  if (message.what === 'opened') return openCard(message, rules);
  return cardId === undefined ? { done: true } : closeCard(message, rules, cardId);
}

async function post({ what, alert }: Message): Promise<Tried> {
  const message = { id: `${alert.alertId}.${what}`, type: `leadgate.alert.${what}`, summary: summaryOf(alert), alert } as const;
  try {
    await once('tells the webhook', { timeoutMs: webhookTimeoutMs }).postAlert(message);
    return { done: true };
  } catch (error) {
    return { done: false, reason: failedAttempt(error).message };
  }
}
