/** Delivers a lead's events: the lead's run hands each one over to its outbox, and the outbox posts it to the receivers. */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { callbackProblem } from '../config/callback-url';
import type { Config } from '../config/config';
import type { EventOrder, EventPost, LeadChange, LeadEvent, PostNote } from '../domain/events';
import { withoutSecrets } from '../domain/exchanges';
import type { Address } from '../domain/ids';
import type { JsonObject } from '../domain/lead';
import type { Attempt } from '../domain/outcome';
import type { Meter } from './meter';
import { ownRun } from './own-run';
import { arrived, postWebhook, saidOf } from './webhook';

export interface EventNeeds {
  readonly config: Config;
  readonly meter: Meter;
  readonly handOver: (change: LeadChange, order: EventOrder, lead: Address) => Promise<void>;
  /** The fields of the lead as received, or undefined if its run was deleted. */
  readonly leadFields: (leadId: string, attempt: number) => Promise<JsonObject | undefined>;
}

export function eventActivities({ config, meter, handOver, leadFields }: EventNeeds) {
  const { EVENTS_WEBHOOK_URL, EVENTS_WEBHOOK_SECRET: secret } = config;

  /** Checks the callback URL again, because the settings may have changed since the lead was accepted. */
  const urlOf = ({ receiver, callbackUrl }: EventPost): string | undefined =>
    receiver === 'webhook' ? EVENTS_WEBHOOK_URL : callbackUrl && !callbackProblem(callbackUrl, config) ? callbackUrl : undefined;

  async function post({ type, timestamp, data, id, attempt }: LeadEvent, url: string, key: string): Promise<Attempt> {
    const lead = config.EVENTS_PERSONAL_DATA === 'on' ? await leadFields(data.leadId, attempt) : undefined;
    const message = { type, timestamp, data: { ...data, ...(lead && { lead: withoutSecrets(lead) }) } };
    return postWebhook({ url, secret: key, id, message });
  }

  return {
    async handOverEvent(change: LeadChange, order: EventOrder): Promise<void> {
      await handOver(change, order, ownRun());
    },

    /** Any 2xx means received. After anything else the engine retries with growing pauses, until `giveUpAt`. */
    async postEvent(given: EventPost): Promise<PostNote> {
      const { event, receiver, giveUpAt } = given;
      const { attempt: tries } = activityInfo();
      const url = urlOf(given);
      const attempt = url && secret ? await post(event, url, secret) : undefined;
      const note: PostNote = { tries, answer: attempt ? saidOf(attempt) : 'is not in the settings' };
      const isTold = attempt !== undefined && arrived(attempt);
      const isOver = !isTold && Date.now() >= giveUpAt;
      meter.posted(receiver, isTold ? 'told' : isOver ? 'given-up' : 'failed');
      if (isTold) return note;
      throw ApplicationFailure.create({
        type: 'NOT_TOLD',
        message: `The receiver ${note.answer}`,
        nonRetryable: isOver,
        details: [note],
        ...(attempt?.saw === 'answer' && attempt.retryAfterMs && { nextRetryDelay: attempt.retryAfterMs }),
      });
    },
  };
}
