/** The metrics of the process itself, collected once however many serve them: each collection keeps a timer and an observer for good. */
import { collectDefaultMetrics, Registry } from 'prom-client';

let collected: Registry | undefined;

export function processMetrics(): Registry {
  if (collected) return collected;
  collected = new Registry();
  collectDefaultMetrics({ register: collected });
  return collected;
}
