/** Looks every minute for the runs of answered reads, and deletes them. Each worker does: one that is gone already is no error. */
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
      log.warn('the runs of answered reads could not be deleted: it is tried again', { reason: errorNameOf(error) }),
    ),
  );
