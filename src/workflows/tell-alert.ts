/**
 * Sends one alert to each channel: once when it opens, and once when it closes. The engine retries a message that does not arrive. A test
 * alert uses the same functions, without retries.
 */
import { condition, defineSignal, isCancellation, log, setHandler, uuid4 } from '@temporalio/workflow';
import { createTestAlert, type Alert, type AlertRules, type AlertTest, type Channel, type ChannelTest } from '../domain/alerts';
import { failedAttempt } from './failures';
import { notifying, notifyingOnce } from './proxies';
import { withCurrentBuild } from './with-current-build';

/** Sent by the alerting run when the alert closes. */
export const closedSignal = defineSignal<[Alert]>('closed');

/** How a channel sends an alert. `tries` limits the tries of each message. */
interface AlertChannel {
  /** Returns the id of the card, if the channel makes one. */
  open(alert: Alert, tries?: number): Promise<string | void>;
  close(alert: Alert, cardId: string | void, tries?: number): Promise<void>;
}

const alertChannels: Readonly<Record<Channel, AlertChannel>> = {
  webhook: {
    open: (alert, tries) => notifying('post to the webhook', tries).postAlert(alert),
    close: (alert, _, tries) => notifying('post to the webhook', tries).postAlert(alert),
  },
  slack: {
    open: (alert, tries) => notifying('post to the chat', tries).postAlertText(alert),
    close: (alert, _, tries) => notifying('post to the chat', tries).postAlertText(alert),
  },
  email: {
    open: (alert, tries) => notifying('send the e-mail', tries).mailAlert(alert),
    close: (alert, _, tries) => notifying('send the e-mail', tries).mailAlert(alert),
  },
  card: {
    open: makeCard,
    close: async (_, cardId, tries) => void (cardId && (await notifying('mark the card done', tries).finishAlertCard(cardId))),
  },
};

/** After an unknown outcome, finds the card instead of making a second one. */
async function makeCard(alert: Alert, tries?: number): Promise<string> {
  try {
    return await notifyingOnce('make the card', tries).makeAlertCard(alert);
  } catch (error) {
    if (tries !== undefined || failedAttempt(error).type !== 'UNKNOWN') throw error;
    return notifying('find the card').findAlertCard(alert);
  }
}

/** An alert may stay open for long, so its run moves to the current build. */
withCurrentBuild(tellAlert);

export async function tellAlert(opened: Alert, channels: readonly Channel[]): Promise<void> {
  let closed: Alert | undefined;
  setHandler(closedSignal, (alert) => {
    closed = alert;
  });

  async function sendTo(channel: Channel): Promise<void> {
    const { open, close } = alertChannels[channel];
    const cardId = await open(opened).catch(logFailure);
    await condition(() => closed !== undefined);
    if (closed) await close(closed, cardId).catch(logFailure);

    function logFailure(error: unknown): void {
      if (isCancellation(error)) throw error;
      log.warn('an alert could not be sent', { channel, alertId: opened.alertId });
    }
  }

  await Promise.all(channels.map(sendTo));
}

export async function sendTestAlert(rules: AlertRules): Promise<AlertTest> {
  const alert = createTestAlert(rules, uuid4(), Date.now());
  return { alertId: alert.alertId, channels: await Promise.all(rules.channels.map((channel) => testChannel(channel, alert))) };
}

async function testChannel(channel: Channel, alert: Alert): Promise<ChannelTest> {
  const { open, close } = alertChannels[channel];
  let meaning = '';
  try {
    const cardId = await open(alert, 1);
    meaning = 'The alert was opened but not closed: ';
    await close({ ...alert, closedAt: new Date(Date.now()).toISOString() }, cardId, 1);
    return { channel, arrived: true };
  } catch (error) {
    return { channel, arrived: false, reason: `${meaning}${failedAttempt(error).message}` };
  }
}
