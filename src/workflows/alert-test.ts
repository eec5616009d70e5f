/** Tells a test alert as a real one is told: opened, then closed, on each channel. It is told once, and not tried again. */
import { uuid4 } from '@temporalio/workflow';
import { alertToTest, channelsOf, type Alert, type AlertRules, type AlertTest, type Channel, type ChannelTest } from '../domain/alerts';
import { tell } from './alert-channels';

export async function tellTest(rules: AlertRules): Promise<AlertTest> {
  const alert = alertToTest(rules, uuid4(), Date.now());
  const channels = await Promise.all(channelsOf(rules).map((channel) => told(channel, alert, rules)));
  return { alertId: alert.alertId, channels };
}

async function told(channel: Channel, alert: Alert, rules: AlertRules): Promise<ChannelTest> {
  const opened = await tell({ channel, what: 'opened', alert, tries: 0 }, rules, undefined);
  if (!opened.done) return { channel, arrived: false, reason: opened.reason };
  const over = { ...alert, closedAt: new Date(Date.now()).toISOString() };
  const closed = await tell({ channel, what: 'closed', alert: over, tries: 0 }, rules, opened.cardId);
  return closed.done ? { channel, arrived: true } : { channel, arrived: false, reason: `It was opened and not closed: ${closed.reason}` };
}
