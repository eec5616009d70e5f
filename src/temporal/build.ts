/** Which code runs here. The engine notes it on every run; each step in a run's history says by which build it was taken. */
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../config/version';

/** Lies beside the compiled code. */
const stamp = join(__dirname, '../.stamp');

export const build = `leadgate@${version}+${existsSync(stamp) ? readFileSync(stamp, 'utf8').slice(0, 12) : 'sources'}`;

/** What the engine would write into its index after a run's first task. Where it stands there from the start, that write, one of three, is saved. */
export const builtBy: SearchAttributePair = {
  key: defineSearchAttributeKey('BuildIds', 'KEYWORD_LIST'),
  value: ['unversioned', `unversioned:${build}`],
};
