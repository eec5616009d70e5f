/** Names the build of this code. The engine notes it on every run, and a run's history tells which build took each step. */
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../config/version';

/** A file next to the compiled code; it is missing when the sources run. */
const stamp = join(__dirname, '../../.stamp');

export const build = `leadgate@${version}+${existsSync(stamp) ? readFileSync(stamp, 'utf8').slice(0, 12) : 'sources'}`;

/** The engine would write this value into its index after a run's first task. Setting it at the start saves that write. */
export const builtBy: SearchAttributePair = {
  key: defineSearchAttributeKey('BuildIds', 'KEYWORD_LIST'),
  value: ['unversioned', `unversioned:${build}`],
};

/** The name of the workers' deployment: their task queue, without what Temporal reserves in such a name. */
export const deploymentOf = (taskQueue: string): string => taskQueue.replaceAll(/[.:]/g, '-');
