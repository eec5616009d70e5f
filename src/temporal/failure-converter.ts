/** Failure messages and stacks travel as payloads, so that the codec encrypts them like everything else. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
