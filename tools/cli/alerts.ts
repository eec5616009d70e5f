/** `leadgate alerts test`: sends a test alert and reports whether each channel received it. */
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { columns, onOneLine, json } from './print';

export const alertsTest = command({
  name: 'alerts test',
  group: 'Operations',
  summary: 'Send a test alert to every alert channel, and report whether it was delivered',
  about: [
    'Webhook, chat and e-mail receive an opened and a closed alert; the task board gets a card, which is then marked done. Nothing is retried.',
    'Status 1 if a channel did not receive it, 2 if the worker has no alert channel.',
  ],
  examples: ['alerts test', 'alerts test --json'],
  async run({ io, options, config }) {
    const answer = await gatewayOf(config(), io.stopped).operators.testAlerts();
    const rows = answer.channels.map(({ channel, arrived, reason }) => [
      channel,
      arrived ? 'arrived' : `did not arrive: ${onOneLine(reason)}`,
    ]);
    io.out(options.json ? json(answer) : `${columns(rows)}\nIts id is ${onOneLine(answer.alertId)}\n`);
    return answer.channels.every(({ arrived }) => arrived) ? statuses.done : statuses.no;
  },
});
