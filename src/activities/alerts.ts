/**
 * The activities of the alerting. `watchForAlerts` looks for trouble every few seconds and returns only when something has changed, so
 * that the looks write nothing into the engine. `postAlert` posts a message to the webhook, and the watch sends the heartbeat.
 */
import { heartbeat } from '@temporalio/activity';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config';
import {
  bounded,
  reasonOf,
  subjectOf,
  type Alert,
  type AlertRules,
  type Trouble,
  type Watched,
  type WebhookMessage,
} from '../domain/alerts';
import { read } from './http';
import type { Meter } from './meter';
import { attemptFailure } from './outcome';
import { arrived, postWebhook, saidOf } from './webhook';

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
      const timestamp = alert.closedAt ?? alert.openedAt;
      const attempt = await postWebhook({ url, secret, id, message: { type, timestamp, data: shown(alert, summary) } });
      meter.told('webhook', arrived(attempt));
      if (!arrived(attempt)) throw attemptFailure('UNKNOWN', { message: `The alert webhook ${saidOf(attempt)}` });
    },
  };
}
