/**
 * The activities of the alerting. `watchForAlerts` looks for trouble every few seconds and returns only when something has changed, so
 * that the looks write nothing into the engine. `postAlert` posts a message to the webhook, and the watch sends the heartbeat.
 */
import { heartbeat } from '@temporalio/activity';
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config';
import {
  bounded,
  reasonOf,
  subjectOf,
  webhookTimeoutMs,
  type Alert,
  type AlertRules,
  type Trouble,
  type Watched,
  type WebhookMessage,
} from '../domain/alerts';
import type { Attempt } from '../domain/outcome';
import { attemptFailure, deadlineMs, read, send } from './http';
import type { Meter } from './meter';

/** How to look for trouble, given by the worker; absent if no alert is set. */
export interface Alerting {
  look(): Promise<Trouble[]>;
  readonly rules: AlertRules;
}

export interface AlertNeeds {
  readonly config: Config;
  readonly meter: Meter;
  readonly alerting?: Alerting;
  /** Aborted when the worker stops: a watch ends at once. */
  readonly stopping?: AbortSignal;
}

const lookEveryMs = 3_000;
const beatEveryMs = 60_000;

const arrived = (attempt: Attempt): boolean => attempt.saw === 'answer' && attempt.status >= 200 && attempt.status < 300;
const why = (attempt: Attempt): string => (attempt.saw === 'answer' ? `answered ${attempt.status}` : attempt.reason);

/** Signs `id.timestamp.body` with the bytes after `whsec_`, as the Standard Webhooks specification asks. */
export function signedHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

const shown = (alert: Alert, summary: string) => {
  const { alertId, kind, upstream, instance, count, leadIds, openedAt, closedAt, link } = alert;
  return { alertId, kind, summary, upstream, instance, count, leadIds, reason: reasonOf(alert), openedAt, closedAt, link };
};

export function alertActivities({ config, meter, alerting, stopping }: AlertNeeds) {
  let beatAt = 0;

  async function beat(url: string): Promise<void> {
    const attempt = await read({ method: 'GET', url, headers: {}, timeoutMs: 5_000 });
    meter.told('heartbeat', arrived(attempt));
    if (arrived(attempt)) beatAt = Date.now();
  }

  return {
    /** Returns when the subjects in trouble differ from the known ones, or when the time is up. */
    async watchForAlerts(known: readonly string[], forMs: number): Promise<Watched | { readonly off: true }> {
      if (!alerting) return { off: true };
      const url = config.ALERT_HEARTBEAT_URL;
      for (const until = Date.now() + forMs; ;) {
        const troubles = bounded(await alerting.look(), known);
        meter.looked();
        heartbeat();
        if (url && Date.now() - beatAt >= beatEveryMs) await beat(url);
        const isKnown = troubles.length === known.length && troubles.every((trouble) => known.includes(subjectOf(trouble)));
        const leftMs = until - Date.now();
        if (!isKnown || leftMs <= 0 || stopping?.aborted) return { troubles, rules: alerting.rules };
        await pause(Math.min(lookEveryMs, leftMs), undefined, { signal: stopping }).catch(() => undefined);
      }
    },

    /** Any 2xx means received. After anything else the workflow posts the same message again. */
    async postAlert({ id, type, summary, alert }: WebhookMessage): Promise<void> {
      const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = config;
      if (!url || !secret) throw attemptFailure('CONFIG_ERROR', { message: 'ALERT_WEBHOOK_URL is not set' });
      const body = JSON.stringify({ type, timestamp: alert.closedAt ?? alert.openedAt, data: shown(alert, summary) });
      const headers = { 'content-type': 'application/json', ...signedHeaders(secret, id, body, Date.now()) };
      const attempt = await send({ method: 'POST', url, headers, body, timeoutMs: deadlineMs(webhookTimeoutMs) });
      meter.told('webhook', arrived(attempt));
      if (!arrived(attempt)) throw attemptFailure('UNKNOWN', { message: `The alert webhook ${why(attempt)}` });
    },
  };
}
