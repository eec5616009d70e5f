/** A lead's reference: the Idempotency-Key of the request that sent it, by which its caller finds it. */
import { maskedValue } from './mask';

export interface Reference {
  readonly key: string;
  /** True if the key contains the person's data, such as an e-mail. Then it is shown masked. */
  readonly isPersonal?: true;
}

/** `"abc"` and `abc` are one key: the header may be a quoted string. */
export const plainKey = (given: string): string => given.trim().replace(/^"(.*)"$/, '$1');

/** Marks a key that contains the person's data. A key that was personal in an earlier attempt stays so. */
export const markedReference = ({ key, isPersonal: was }: Reference, isPersonal: (text: string) => boolean): Reference => ({
  key,
  ...((was || isPersonal(key)) && { isPersonal: true }),
});

/** The reference as lists, events and exports show it. */
export const shownReference = (reference: Reference | undefined): string | undefined =>
  reference?.isPersonal ? String(maskedValue('email', reference.key)) : reference?.key;
