/**
 * Checks for problems and sends alerts. `lookForTrouble` checks once; it fails if nothing has changed, so that the engine repeats it as a
 * poll. The others send one alert: they post it to the webhook or the chat, mail it, or create its card on the task board and later mark it
 * done. The engine retries what fails.
 */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { Config } from '../config/config';
import {
  limitHoldAlerts,
  reasonOf,
  subjectOf,
  summaryOf,
  topicOf,
  type Alert,
  type AlertRules,
  type HealthCheck,
  type Trouble,
} from '../domain/alerts';
import type { AttemptNote } from '../domain/outcome';
import { read } from './http';
import { sendMail, type Mail } from './mail';
import type { Meter } from './meter';
import { attemptFailure } from './outcome';
import type { taskboardActivities } from './taskboard';
import { arrived, postText, postWebhook, answerOf } from './webhook';

/** How to check for problems. The worker provides it; absent if no alerts are configured. */
export interface Alerting {
  look(): Promise<Trouble[]>;
  readonly rules: AlertRules;
}

export interface AlertNeeds {
  readonly config: Config;
  readonly meter: Meter;
  readonly alerting?: Alerting;
}

type Board = Pick<ReturnType<typeof taskboardActivities>, 'makeTodo' | 'readTodos' | 'readTodo' | 'toggleDone'>;

const alertHeartbeatEveryMs = 60_000;
/** A write with an unknown outcome may still arrive within this time. */
const settleMs = 15_000;

const isNotFound = (error: unknown): boolean =>
  error instanceof ApplicationFailure && (error.details?.[0] as AttemptNote | undefined)?.code === 'NOT_FOUND';

/** Makes every failure of the board retryable: an operator may fix the setting or the board. */
function throwRetryable(error: unknown): never {
  const known =
    error instanceof ApplicationFailure ? error : attemptFailure('UNKNOWN', { message: 'The request to the task board failed' });
  const { message, details, nextRetryDelay } = known;
  const type = known.type ?? 'UNKNOWN';
  const settlesMs = type === 'UNKNOWN' ? settleMs : undefined;
  throw ApplicationFailure.create({ type, message, details: details ?? [], nextRetryDelay: nextRetryDelay ?? settlesMs });
}

const sinceOf = ({ openedAt }: Alert): string => `Since ${openedAt.slice(0, 16).replace('T', ' ')} UTC`;

const textOf = (alert: Alert): string => {
  const { alertId, leadIds, link } = alert;
  const leads = leadIds.length > 0 && `Leads: ${leadIds.join(', ')}`;
  return [reasonOf(alert), leads, sinceOf(alert), link, `Alert ${alertId}`].filter(Boolean).join('\n');
};

const chatTextOf = (alert: Alert): string => [summaryOf(alert), reasonOf(alert), sinceOf(alert), alert.link].join('\n');

const messageIdOf = ({ alertId, closedAt }: Pick<Alert, 'alertId' | 'closedAt'>): string => `${alertId}.${closedAt ? 'closed' : 'opened'}`;

/** The closing e-mail answers the opening one under the same subject, so that mail programs show both as one thread. */
function mailOf(alert: Alert, { from, to }: Pick<Mail, 'from' | 'to'>): Mail {
  const named = (id: string) => `<${id}@${from.slice(from.indexOf('@') + 1)}>`;
  return {
    ...{ from, to, messageId: named(messageIdOf(alert)) },
    ...(alert.closedAt && { inReplyTo: named(messageIdOf({ alertId: alert.alertId })) }),
    subject: `${alert.closedAt ? 'Re: ' : ''}Leadgate: ${topicOf(alert)}`,
    text: `${summaryOf(alert)}\n\n${textOf(alert)}\n`,
  };
}

function messageOf(alert: Alert) {
  const { alertId, kind, upstream, instance, count, leadIds, openedAt, closedAt, link } = alert;
  const reason = reasonOf(alert);
  return {
    type: `leadgate.alert.${closedAt ? 'closed' : 'opened'}`,
    timestamp: closedAt ?? openedAt,
    data: { alertId, kind, summary: summaryOf(alert), upstream, instance, count, leadIds, reason, openedAt, closedAt, link },
  };
}

export function alertActivities({ config, meter, alerting, board }: AlertNeeds & { readonly board: Board }) {
  const place = { projectId: '', todoListId: '', ...config.ALERT_BOARD };
  let heartbeatAt = 0;

  async function sendHeartbeat(url: string): Promise<void> {
    const result = await read({ method: 'GET', url, headers: {}, timeoutMs: 5_000 });
    meter.recordAlert('heartbeat', arrived(result));
    if (arrived(result)) heartbeatAt = Date.now();
  }

  async function findCard(alertId: string): Promise<string | undefined> {
    for (let skip = 0; ;) {
      const { items, more } = await board.readTodos(place, skip);
      const card = items.find(({ text }) => text.includes(alertId));
      if (card || !more || items.length === 0) return card?.id;
      skip += items.length;
    }
  }

  return {
    /** Returns if the problems differ from the known ones, and at the last check. Undefined if no alerts are configured. */
    async lookForTrouble(known: readonly string[], looks: number): Promise<HealthCheck | undefined> {
      if (!alerting) return undefined;
      const troubles = limitHoldAlerts(await alerting.look(), known);
      meter.recordCheck();
      const url = config.ALERT_HEARTBEAT_URL;
      if (url && Date.now() - heartbeatAt >= alertHeartbeatEveryMs) await sendHeartbeat(url);
      const isKnown = troubles.length === known.length && troubles.every((trouble) => known.includes(subjectOf(trouble)));
      if (!isKnown || activityInfo().attempt >= looks) return { troubles, rules: alerting.rules };
      throw ApplicationFailure.create({ message: 'Nothing has changed', category: ApplicationFailureCategory.BENIGN });
    },

    /** Any 2xx means received. Retries have the same message id. */
    async postAlert(alert: Alert): Promise<void> {
      const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = config;
      if (!url || !secret) throw attemptFailure('UNKNOWN', { message: 'ALERT_WEBHOOK_URL is not set' });
      const attempt = await postWebhook({ url, secret, id: messageIdOf(alert), message: messageOf(alert) });
      meter.recordAlert('webhook', arrived(attempt));
      if (!arrived(attempt)) throw attemptFailure('UNKNOWN', { message: `The alert webhook ${answerOf(attempt)}` });
    },

    async postAlertText(alert: Alert): Promise<void> {
      const { ALERT_SLACK_URL: url } = config;
      if (!url) throw attemptFailure('UNKNOWN', { message: 'ALERT_SLACK_URL is not set' });
      const attempt = await postText(url, chatTextOf(alert));
      meter.recordAlert('slack', arrived(attempt));
      if (!arrived(attempt)) throw attemptFailure('UNKNOWN', { message: `The chat ${answerOf(attempt)}` });
    },

    /** Not retried if only some recipients were refused, because the others have the message. */
    async mailAlert(alert: Alert): Promise<void> {
      const { ALERT_SMTP_URL: url, ALERT_EMAIL: route } = config;
      if (!url || !route) throw attemptFailure('UNKNOWN', { message: 'ALERT_EMAIL is not set' });
      const { problem, isPartial } = await sendMail(url, mailOf(alert, route));
      meter.recordAlert('email', !problem);
      if (problem) throw attemptFailure(isPartial ? 'REFUSED' : 'UNKNOWN', { message: `The mail server ${problem}` });
    },

    async makeAlertCard(alert: Alert): Promise<string> {
      const { card } = await board
        .makeTodo(place.todoListId, place, { title: summaryOf(alert), text: textOf(alert) })
        .catch(throwRetryable);
      return card.id;
    },

    /** Finds the card by the alert id in its text. */
    async findAlertCard({ alertId }: Alert): Promise<string> {
      const found = await findCard(alertId).catch(throwRetryable);
      if (found === undefined) throw attemptFailure('UNKNOWN', { message: 'The task board has no card for this alert' });
      return found;
    },

    /** A missing card counts as done: somebody has deleted it. */
    async finishAlertCard(id: string): Promise<void> {
      try {
        const { card } = await board.readTodo(id, place);
        if (!card.done) await board.toggleDone(id, place);
      } catch (error) {
        if (!isNotFound(error)) throwRetryable(error);
      }
    },
  };
}
