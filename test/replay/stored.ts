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

const options = () => ({ workflowBundle: { codePath: testEngine().bundlePath }, dataConverter: dataConverter(keys) });

export const replay = (history: unknown) => Worker.runReplayHistory(options(), history);

/** Replays them with one worker: what is wrong with each, in their order. */
export async function replayAll(histories: readonly unknown[]): Promise<readonly (Error | undefined)[]> {
  const wrong: (Error | undefined)[] = [];
  const all = histories.map((history) => ({ workflowId: 'stored', history }));
  for await (const { error } of Worker.runReplayHistories(options(), all)) wrong.push(error);
  return wrong;
}
