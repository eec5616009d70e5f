/** The client of Leadgate's HTTP API, published as a package. `npm run reference` writes its methods and types from the contract. */
import { createCalls } from './calls.ts';
import type { LeadgateOptions } from './types.ts';
import { groupsOf } from './generated/groups.ts';

export function createLeadgate(options: LeadgateOptions) {
  const calls = createCalls(options);
  return {
    ...groupsOf(calls),
    /** Sends leads to a path, for a program that chooses the flow while it runs. */
    leadRoute: calls.lead<object, Readonly<Record<string, unknown>>>,
    /** Waits for the end of a lead that was accepted earlier. */
    waitForLead: calls.waitForLead,
  };
}

export type Leadgate = ReturnType<typeof createLeadgate>;

export { LeadgateError, type ClientCode, type Detail } from './error.ts';
export type { Remedy } from './meaning.ts';
export type * from './types.ts';
export type * from './generated/answers.ts';
