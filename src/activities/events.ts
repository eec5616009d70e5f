/** Delivers a lead's events: the lead's run hands each one over to its outbox, and the outbox posts it to the receivers. */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { callbackProblem } from '../config/callback-url';
import type { Config } from '../config/config';
import type { EventOrder, EventPost, LeadChange, LeadEvent, PostNote } from '../domain/events';
import { withoutSecrets } from '../domain/credentials';
import type { Address } from '../domain/ids';
import type { JsonObject } from '../domain/lead';
import type { HttpResult } from '../domain/outcome';
import type { Meter } from './meter';
import { ownRun } from './own-run';
import { arrived, postWebhook, answerOf } from './webhook';

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

  async function post({ type, timestamp, data, id, attempt }: LeadEvent, url: string, key: string): Promise<HttpResult> {
    const lead = config.EVENTS_PERSONAL_DATA === 'on' ? await leadFields(data.leadId, attempt) : undefined;
    const message = { type, timestamp, data: { ...data, ...(lead && { lead: withoutSecrets(lead) }) } };
    return postWebhook({ url, secret: key, id, message });
  }

  return {
    async handOverEvent(change: LeadChange, order: EventOrder): Promise<void> {
      await handOver(change, order, ownRun());
    },

    /** Any 2xx means received. After anything else the engine retries with growing pauses, until `giveUpAt`. */
    async postEvent(eventPost: EventPost): Promise<PostNote> {
      const { event, receiver, giveUpAt } = eventPost;
      const { attempt: tries } = activityInfo();
      const url = urlOf(eventPost);
      const result = url && secret ? await post(event, url, secret) : undefined;
      const note: PostNote = { tries, answer: result ? answerOf(result) : 'is not in the settings' };
      const isReceived = result !== undefined && arrived(result);
      const isOver = !isReceived && Date.now() >= giveUpAt;
      meter.recordPost(receiver, isReceived ? 'told' : isOver ? 'given-up' : 'failed');
      if (isReceived) return note;
      throw ApplicationFailure.create({
        type: 'NOT_TOLD',
        message: `The receiver ${note.answer}`,
        nonRetryable: isOver,
        details: [note],
        ...(result?.saw === 'answer' && result.retryAfterMs && { nextRetryDelay: result.retryAfterMs }),
      });
    },
  };
}
