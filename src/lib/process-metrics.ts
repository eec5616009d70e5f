/** Returns the metrics of the process. They are registered only once, because each registration would keep its own timer and observer. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

let collected: Registry | undefined;

export function processMetrics(version: string): Registry {
  if (collected) return collected;
  collected = new Registry();
  collectDefaultMetrics({ register: collected });
  const build = { name: 'leadgate_build_info', help: 'The version that runs, as a label', labelNames: ['version'] };
  new Gauge({ ...build, registers: [collected] }).set({ version }, 1);
  return collected;
}
