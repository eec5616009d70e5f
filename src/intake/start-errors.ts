/** Builds the errors of a start: nothing was started, or the outcome is unknown. */
import { ApiError, engineAway } from '../contract/errors';
import { unconfirmedIdOf } from '../domain/ids';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import type { Identity } from './identity';
import type { StartRequest } from './run-options';

export const missingKeyError = () =>
  new ApiError(
    'OUTCOME_UNKNOWN',
    'This request was accepted before, but the encryption key of its run is missing, so its state is unknown: restore the key',
  );

export const engineAwayError = () => engineAway('The engine does not answer: nothing was started');
export const concurrentStartError = () => engineAway('Other requests are starting the same lead at this moment: nothing was started');

export function unknownStartError(
  { carried, dryRun }: StartRequest,
  workflowId: string,
  { nonce }: Identity,
  error: unknown,
  known?: string,
): ApiError {
  const leadId = carried === 'lead' && !dryRun ? (known ?? unconfirmedIdOf(workflowId, nonce)) : undefined;
  log.error('start outcome unknown', { reason: errorNameOf(error), leadId });
  return new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering during the start: the lead may have been accepted', {
    errorContext: leadId ? { leadId } : {},
  });
}
