/** The stored histories, and a replay of one with the workflows as they are now. */
import { Worker } from '@temporalio/worker';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseKeyRing } from '../../src/keys/ring';
import { dataConverter } from '../../src/temporal/engine';
import { testEngine } from '../support/engine';

/** They protect nothing: the stored people are made up. */
export const LEADGATE_KEYS = `replay:${Buffer.alloc(32, 7).toString('base64')}`;
export const keys = parseKeyRing(LEADGATE_KEYS);

export const dir = join(__dirname, 'histories');

interface History {
  readonly events: { activityTaskScheduledEventAttributes?: { activityType?: { name?: string } } }[];
}

export const stored = (name: string) => JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')) as History;

export const replay = (history: unknown) =>
  Worker.runReplayHistory({ workflowBundle: { codePath: testEngine().bundlePath }, dataConverter: dataConverter(keys) }, history);
