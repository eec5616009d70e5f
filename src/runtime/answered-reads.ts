/**
 * Every minute, deletes the runs of answered calls that only read. Every worker does so; a run that another one has deleted is no error.
 */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { deleteAnsweredReads } from '../leads/answered-reads';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { repeating } from '../lib/repeating';
import type { Stop } from './process';

const everyMs = 60_000;

export const dropAnsweredReads = ({ TASK_QUEUE: taskQueue }: Config, client: Client): Stop =>
  repeating(everyMs, () =>
    deleteAnsweredReads(client, taskQueue).catch((error: unknown) =>
      log.warn('could not delete the runs of answered reads; it is retried', { reason: errorNameOf(error) }),
    ),
  );
