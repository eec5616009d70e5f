/** Example answers for the reference. answers.json is recorded from the sandbox: `RECORD_ANSWERS=1 npm test -- test/api/answers`. */
import type { Endpoint } from '../../src/contract/endpoint';
import { ApiError, endedOutsideMessage, errorBody } from '../../src/contract/errors';
import { goesOnMessage } from '../../src/contract/operators';
import type { ErrorCode, JsonObject } from '../../src/domain/lead';
import recorded from './answers.json';

/** How a row is answered: as a lead, as a call, by the task board, or by the API itself. Errors look alike on all rows of a kind. */
export type Kind = 'lead' | 'call' | 'board' | 'here';

export const kindOf = ({ carried, group }: Endpoint): Kind => (carried === 'call' && group.startsWith('A') ? 'board' : carried);

type Bodies = Readonly<Record<string, JsonObject | undefined>>;

/** Errors that no simulator can cause. */
const written: readonly (readonly [ErrorCode, Kind | 'every', string])[] = [
  ['COPY_IN_PROGRESS', 'board', 'Another copy is being made: nothing was ordered'],
  ['INTERNAL_ERROR', 'every', 'Something went wrong here; X-Log-Id names it in the log'],
  ['OUTCOME_UNKNOWN', 'call', 'The engine stopped answering while the request was in progress'],
  ['OUTCOME_UNKNOWN', 'here', 'The decision was not confirmed in time and may still be carried out: read the lead before you decide again'],
  ['NOT_ACCEPTED', 'here', 'The engine does not answer'],
];

const errors: Bodies = {
  ...recorded.errors,
  ...Object.fromEntries(written.map(([code, kind, message]) => [`${code} ${kind}`, errorBody(new ApiError(code, message))])),
  'RUN_ENDED every': errorBody(new ApiError('RUN_ENDED', endedOutsideMessage('terminated'))),
};

export const writtenMessages = written.map(([, , message]) => message);

/** A file is text. */
type Successes = Readonly<Record<string, JsonObject | string | undefined>>;

/** It takes half a minute to bring about. */
const erasePerson = {
  ...{ success: false, pending: true, message: goesOnMessage, leads: 1, runs: 2 },
  counts: [{ flow: 'no-prescreen', state: 'running', site: 'erg-oct', leads: 1 }],
};

export const answers: Readonly<Record<'dryRun' | 'accepted' | 'pending' | 'errors', Bodies>> & { readonly success: Successes } = {
  ...recorded,
  accepted: { ...recorded.accepted, erasePerson },
  errors,
};

/** The best example of an error, and whether it belongs to this kind of row alone. */
export function errorExample(code: ErrorCode, kind: Kind): { readonly body?: JsonObject; readonly isOwn: boolean } {
  const own = errors[`${code} ${kind}`];
  return { body: own ?? errors[`${code} every`], isOwn: own !== undefined };
}
