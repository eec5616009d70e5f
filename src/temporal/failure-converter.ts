/**
 * Encodes failure messages and stacks as payloads, so that the codec encrypts them. The refusal of unencrypted input stays in clear, because
 * its sender has no key.
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
