/** Prepares a file whose tests run at the same time, each with a gateway of its own. */
import { endpoints } from '../../src/contract';
import { newLead, startGateway, type Gateway } from './gateway';

type Stops = (() => Promise<unknown>)[];

/** Returns a list: what a test adds to it is stopped after all tests of the file, the newest first. */
export function stopsAfterAll(): Stops {
  const stops: Stops = [];
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });
  return stops;
}

/** Sends a lead: packages load some modules with their first call, and Jest lets nothing load while concurrent tests run. */
export async function startWarmedGateway(stops: Stops): Promise<Gateway> {
  const gateway = await startGateway();
  stops.push(gateway.stop);
  await gateway.post(endpoints.noPrescreen.path, newLead());
  return gateway;
}
