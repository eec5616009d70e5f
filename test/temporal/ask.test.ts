/** A question to the engine ends at its deadline, and an answer that came before it is used. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe as find, TimeUp, within } from '../../src/temporal/ask';
import { startGateway, type Gateway } from '../support/gateway';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ withoutWorker: true });
  // The connection stands before a test asks.
  await find(gateway.client, 'nobody');
});
afterAll(() => gateway.stop());

const deadlineMs = 1_000;

/** As in a process that gets no core, or collects garbage. */
function standStill(forMs: number) {
  const until = Date.now() + forMs;
  while (Date.now() < until);
}

it('an answer that came while the process stood still is read', async () => {
  const { client } = gateway;
  const asked = within(client, Date.now() + deadlineMs, () => client.workflow.count("WorkflowId = 'nobody'"));
  // The request goes out first.
  for (let turns = 0; turns < 3; turns++) await turn();
  standStill(deadlineMs + 200);
  expect((await asked).count).toBe(0);
});

it('a question ends at its deadline if no answer comes', async () => {
  const never = () => new Promise(() => {});
  await expect(within(gateway.client, Date.now() + 50, never)).rejects.toThrow(TimeUp);
});
