/** Returns the metrics of the process. They are registered only once, because each registration would keep its own timer and observer. */
import { collectDefaultMetrics, Registry } from 'prom-client';

let collected: Registry | undefined;

export function processMetrics(): Registry {
  if (collected) return collected;
  collected = new Registry();
  collectDefaultMetrics({ register: collected });
  return collected;
}
