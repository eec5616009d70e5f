/** What the decoder of the Temporal UI knows of the values in payloads. */
import { withoutSecrets } from './credentials';
import { leadIdIn } from './ids';

export const payloadReader = { leadOf: leadIdIn, withoutSecrets };
