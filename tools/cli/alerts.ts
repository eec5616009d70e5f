/** `leadgate alerts test`: sends a test alert and tells whether it arrived. */
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { columns, inLine, json } from './print';

export const alertsTest = command({
  name: 'alerts test',
  group: 'Operations',
  summary: 'Send a test alert the way that real alerts go, and tell whether it arrived',
  about: [
    'The webhook gets it as opened and then as closed; the task board gets a card, which is then marked done. It is tried once.',
    'Status 1 when it did not arrive everywhere, 2 when no alert is set where the worker runs.',
  ],
  examples: ['alerts test', 'alerts test --json'],
  async run({ io, options, config }) {
    const answer = await gatewayOf(config(), io.stopped).operators.testAlerts();
    const rows = answer.channels.map(({ channel, arrived, reason }) => [
      channel,
      arrived ? 'arrived' : `did not arrive: ${inLine(reason)}`,
    ]);
    io.out(options.json ? json(answer) : `${columns(rows)}\nIts id is ${inLine(answer.alertId)}\n`);
    return answer.channels.every(({ arrived }) => arrived) ? statuses.done : statuses.no;
  },
});
