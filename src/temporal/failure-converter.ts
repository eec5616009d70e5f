/** Makes payloads of failure messages and stacks, so that the codec encrypts them, too. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
