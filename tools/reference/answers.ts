/** Provides the example answers of the reference. `RECORD_ANSWERS=1 npm test -- test/api/answers` records answers.json from the sandbox. */
import type { Endpoint } from '../../src/contract/endpoint';
import { ApiError, endedOutsideMessage, errorBody } from '../../src/contract/errors';
import { erasurePendingMessage } from '../../src/contract/operators';
import type { ErrorCode, JsonObject } from '../../src/domain/lead';
import { possibleRepeat } from '../../src/domain/repeats';
import recorded from './answers.json';

/** The kind of a row, by what answers it: a lead run, a call run, a call of the task board, or the API. A kind shares its example errors. */
export type RowKind = 'lead' | 'call' | 'board' | 'api';

export const kindOf = ({ handledBy, group }: Endpoint): RowKind => (handledBy === 'call' && group.startsWith('A') ? 'board' : handledBy);

type Bodies = Readonly<Record<string, JsonObject | undefined>>;

/** Errors that cannot be recorded from the sandbox. */
const handwritten: readonly (readonly [ErrorCode, RowKind | 'every', string])[] = [
  ['COPY_IN_PROGRESS', 'board', 'Another copy is being made: nothing was ordered'],
  ['INTERNAL_ERROR', 'every', 'Internal error: the log has the details under the X-Log-Id of this answer'],
  ['OUTCOME_UNKNOWN', 'call', 'The engine stopped answering while the request was in progress'],
  ['OUTCOME_UNKNOWN', 'api', 'The decision was not confirmed in time and may still be carried out: read the lead before you decide again'],
  ['NOT_ACCEPTED', 'api', 'The engine does not answer'],
];

const errors: Bodies = {
  ...recorded.errors,
  ...Object.fromEntries(handwritten.map(([code, kind, message]) => [`${code} ${kind}`, errorBody(new ApiError(code, message))])),
  'POSSIBLE_REPEAT every': errorBody(new ApiError('POSSIBLE_REPEAT', possibleRepeat('bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q'))),
  'RUN_ENDED every': errorBody(new ApiError('RUN_ENDED', endedOutsideMessage('terminated'))),
};

export const handwrittenMessages = handwritten.map(([, , message]) => message);

/** The example of a file is text. */
type Successes = Readonly<Record<string, JsonObject | string | undefined>>;

/** Written by hand, because recording it would take half a minute. */
const erasePerson = {
  ...{ success: false, pending: true, message: erasurePendingMessage, leads: 1, runs: 2 },
  counts: [{ flow: 'no-prescreen', state: 'running', site: 'erg-oct', leads: 1 }],
};

export const answers: Readonly<Record<'dryRun' | 'accepted' | 'pending' | 'errors', Bodies>> & { readonly success: Successes } = {
  ...recorded,
  accepted: { ...recorded.accepted, erasePerson },
  errors,
};

/** Returns the best example of an error, and whether only this kind of row has it. */
export function errorExample(code: ErrorCode, kind: RowKind): { readonly body?: JsonObject; readonly isOwn: boolean } {
  const own = errors[`${code} ${kind}`];
  return { body: own ?? errors[`${code} every`], isOwn: own !== undefined };
}
