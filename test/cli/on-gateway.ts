/** Runs the command line against a gateway of the test file. */
import { startGateway, type Gateway } from '../support/gateway';
import { leadgate, type RunOptions, type CommandResult } from './support';

export interface OnGateway {
  gateway(): Gateway;
  settings(around?: RunOptions): RunOptions;
  here(...argv: string[]): Promise<CommandResult>;
  /** Sends a lead and returns its id. */
  sent(lead: object, ...argv: string[]): Promise<{ readonly id: string; readonly said: CommandResult }>;
}

/** Starts the gateway before the tests, and stops it after them. */
export function onGateway(): OnGateway {
  let started: Gateway | undefined;
  beforeAll(async () => {
    started = await startGateway();
  });
  afterAll(() => started?.stop());

  const gateway = () => {
    if (!started) throw new Error('the gateway has not started');
    return started;
  };
  const settings = (around: RunOptions = {}): RunOptions => ({ settings: { LEADGATE_URL: gateway().url }, ...around });
  return {
    gateway,
    settings,
    here: (...argv) => leadgate(argv, settings()),
    async sent(lead, ...argv) {
      const said = await leadgate(['lead', 'send', 'no-prescreen', '-', ...argv], settings({ input: JSON.stringify(lead) }));
      return { id: /[kbp][0-9a-z]{20}-[0-9a-z]{25}/.exec(said.out)?.[0] ?? '', said };
    },
  };
}
