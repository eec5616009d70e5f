/** Generates the console's copy of the contract: the names of states, flows, upstreams and error codes. Browsers load it unchanged. */
import { deliveryStates, eventTypes, receivers } from '../../src/domain/events';
import { upstreamNames } from '../../src/domain/upstreams';
import { deliveredStates, flows, leadCodes, overStates, settledStates, states } from '../../src/domain/lead';
import { attemptFailures } from '../../src/domain/outcome';
import { findingNames, proposals } from '../../src/domain/reconcile';
import { arrivalChecks } from '../../src/domain/sends';
import { literal } from './client-types';

const lists: Readonly<Record<string, readonly string[]>> = {
  states,
  overStates,
  settledStates,
  deliveredStates,
  flows,
  upstreams: upstreamNames,
  leadCodes,
  attemptFailures,
  sends: Object.keys(arrivalChecks),
  eventTypes,
  deliveryStates,
  receivers,
  findings: findingNames,
  proposals,
};

const list = ([name, values]: readonly [string, readonly string[]]) =>
  `export const ${name} = /** @type {const} */ ([${values.map(literal).join(', ')}]);\n`;

/** Returns the text of each file by its path. */
export const consoleFiles = (): Readonly<Record<string, string>> => ({
  'tools/console/generated/contract.js': `/** Written by \`npm run reference\` from src/domain. */\n${Object.entries(lists).map(list).join('')}`,
});
