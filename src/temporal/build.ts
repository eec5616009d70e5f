/** Names the build of this code. The engine records it with every run, and a run's history shows which build carried out each step. */
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../config/version';

/** Next to the compiled code; missing when the sources run. */
const stamp = join(__dirname, '../../.stamp');

export const build = `leadgate@${version}+${existsSync(stamp) ? readFileSync(stamp, 'utf8').slice(0, 12) : 'sources'}`;

/** The value that the engine would write into its index after a run's first workflow task. Setting it at the start saves that write. */
export const buildAttribute: SearchAttributePair = {
  key: defineSearchAttributeKey('BuildIds', 'KEYWORD_LIST'),
  value: ['unversioned', `unversioned:${build}`],
};

/** Returns the name of the worker deployment: the task queue without the characters that Temporal reserves. */
export const deploymentOf = (taskQueue: string): string => taskQueue.replaceAll(/[.:]/g, '-');
