/** The functions by which the decoder of the Temporal UI reads the values of payloads. */
import { withoutSecrets } from './credentials';
import { leadIdIn } from './ids';

export const payloadReader = { leadOf: leadIdIn, withoutSecrets };
