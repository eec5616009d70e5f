/** The errors of a start: nothing was started, or it is not known whether it was. */
import { ApiError, engineAway } from '../contract/errors';
import { unconfirmedIdOf } from '../domain/ids';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import type { Identity } from './identity';
import type { Request } from './run-options';

export const unreadable = () =>
  new ApiError(
    'OUTCOME_UNKNOWN',
    'This was accepted before. The encryption key that wrote it is not here, so it cannot be said what became of it',
  );

export const notAccepted = () => engineAway('The engine does not answer: nothing was started');
export const takenIn = () => engineAway('The same lead is being taken in at this moment: nothing was started');

export function outcomeUnknown(
  { carried, dryRun }: Request,
  workflowId: string,
  { nonce }: Identity,
  error: unknown,
  known?: string,
): ApiError {
  const leadId = carried === 'lead' && !dryRun ? (known ?? unconfirmedIdOf(workflowId, nonce)) : undefined;
  log.error('start outcome unknown', { reason: errorNameOf(error), leadId });
  return new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering while the lead was handed over: it may have been accepted', {
    errorContext: leadId ? { leadId } : {},
  });
}
