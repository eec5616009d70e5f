/** A lead's reference: the Idempotency-Key of the request that sent it, by which its caller finds it. */
import { isPersonal } from './found-by';
import type { JsonObject } from './lead';
import { maskedValue } from './mask';

export interface Reference {
  readonly key: string;
  /** True if the key contains the person's data, such as an e-mail. Then it is shown masked. */
  readonly isPersonal?: true;
}

/** `"abc"` and `abc` are one key: the header may be a quoted string. */
export const plainKey = (given: string): string => given.trim().replace(/^"(.*)"$/, '$1');

/** Returns the reference of a lead with this body. A key that was personal in an earlier attempt stays so. */
export const referenceWith = ({ key, isPersonal: was }: Reference, body: JsonObject): Reference => ({
  key,
  ...((was || isPersonal(key, body)) && { isPersonal: true }),
});

/** The reference as lists, events and exports show it. */
export const shownReference = (reference: Reference | undefined): string | undefined =>
  reference?.isPersonal ? String(maskedValue('email', reference.key)) : reference?.key;
