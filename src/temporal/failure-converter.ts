/**
 * Makes payloads of failure messages and stacks, so that the codec encrypts them, too. The refusal of what did not come encrypted stays in
 * clear: whoever sent it has no key to read it with.
 */
import { ApplicationFailure, DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import { notEncrypted } from '../domain/in-clear';

const encoding = new DefaultFailureConverter({ encodeCommonAttributes: true });
const plain = new DefaultFailureConverter();

const isForStrangers = (error: unknown): boolean => error instanceof ApplicationFailure && error.type === notEncrypted;

export const failureConverter: FailureConverter = {
  errorToFailure: (error, ...context) => (isForStrangers(error) ? plain : encoding).errorToFailure(error, ...context),
  failureToError: (failure, ...context) => encoding.failureToError(failure, ...context),
};
