/** Every minute, publishes the end of leads whose run was ended outside of Leadgate, if events are on. Every worker does so. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { createEndedEvents } from '../events/ended';
import type { KeyRing } from '../keys/ring';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { repeating } from '../lib/repeating';
import type { Stop } from './process';

const everyMs = 60_000;

export function publishEndedLeads(config: Config, client: Client, keys: KeyRing, copiedAt?: number): Stop {
  if (!config.EVENTS_WEBHOOK_SECRET) return async () => undefined;
  const { publishMissing } = createEndedEvents({ client, config, keys, copiedAt });
  return repeating(everyMs, () =>
    publishMissing().catch((error: unknown) => log.warn('could not search for ended runs; it is retried', { reason: errorNameOf(error) })),
  );
}
