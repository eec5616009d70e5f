/**
 * Converts between the ids of leads and of their runs. A lead's id contains the workflow id and, in a shorter form, the run id of its first
 * run, so the run is found without a search.
 */

import { isObject } from './formats';

/** The first letter says what the workflow id is made from: `k` an idempotency key, `b` the body. */
const hashForm = '[kb][0-9a-z]{20}';
const runForm = '[0-9a-z]{25}';
/** If the engine did not confirm the start, the run id is unknown and the lead's id ends with a random text. */
const nonceForm = '[0-9a-z]{10}';

export const leadIdForm = new RegExp(`^${hashForm}-(?:${runForm}|${nonceForm})$`);
const confirmedForm = new RegExp(`^(${hashForm})-(${runForm})$`);
const firstRunForm = new RegExp(`^lead-(${hashForm})$`);
const redrivenForm = new RegExp(`^lead-r([0-9]+)-(${hashForm}-${runForm})$`);

export interface Address {
  readonly workflowId: string;
  readonly runId: string;
}

/** True for the run of a call with an Idempotency-Key: the id of any other call has more characters. */
export const isKeyedCall = (workflowId: string): boolean => /^call-k[0-9a-z]{20}$/.test(workflowId);

export const workflowIdOf = (leadId: string): string => `lead-${leadId.split('-')[0] ?? ''}`;

/** The address of a lead's first run; undefined if its start was not confirmed. */
export function addressOf(leadId: string): Address | undefined {
  const [, , run] = confirmedForm.exec(leadId) ?? [];
  return run === undefined ? undefined : { workflowId: workflowIdOf(leadId), runId: longRunId(run) };
}

/** The id of the lead that a run belongs to; empty for a run of no lead. */
export function leadIdOf({ workflowId, runId }: Address): string {
  const [, , redriven] = redrivenForm.exec(workflowId) ?? [];
  const [, own] = firstRunForm.exec(workflowId) ?? [];
  return redriven ?? (own === undefined ? '' : `${own}-${shortRunId(runId)}`);
}

/** The workflow id of an attempt. The first run is attempt 1. */
export const attemptIdOf = (leadId: string, attempt: number): string =>
  attempt === 1 ? workflowIdOf(leadId) : `lead-r${attempt}-${leadId}`;

export const attemptIn = (workflowId: string): number => Number(redrivenForm.exec(workflowId)?.[1] ?? 1);

/** The id of a lead whose start was not confirmed. */
export const unconfirmedIdOf = (workflowId: string, nonce: string): string => `${workflowId.replace('lead-', '')}-${nonce}`;

export const nonceIn = (leadId: string): string => leadId.split('-')[1] ?? '';

export const statusUrlOf = (leadId: string): string => `/api/leads/${leadId}`;

const shortRunId = (runId: string): string =>
  BigInt(`0x${runId.replaceAll('-', '')}`)
    .toString(36)
    .padStart(25, '0');

function longRunId(short: string): string {
  const number = Array.from(short).reduce((sum, digit) => sum * 36n + BigInt(parseInt(digit, 36)), 0n);
  return number
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.*)$/, '$1-$2-$3-$4-$5');
}

/** The lead id in a stored value, such as the result of a run. */
export function leadIdIn(value: unknown): string | undefined {
  const leadId = isObject(value) ? value.leadId : undefined;
  return typeof leadId === 'string' && leadIdForm.test(leadId) ? leadId : undefined;
}
