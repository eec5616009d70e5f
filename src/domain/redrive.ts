/** Defines a person's order, which is carried out once, and the order to redrive one failed lead. */
import type { JsonObject } from './lead';

/** An order is carried out once. Its repeats have the same id. */
export interface Order {
  readonly orderId: string;
  /** The digest of the order; absent if the caller gave no Idempotency-Key. */
  readonly orderDigest?: string;
}

/** The order to redrive one failed lead. */
export interface RedriveOrder extends Order {
  readonly leadId: string;
  readonly reason: string;
  readonly fields?: JsonObject;
  /** A person has checked that the upstream does not have the lead, whose run was ended outside of Leadgate and may have sent it. */
  readonly notThere?: boolean;
  /** The name of the caller's API key; absent if callers need none. */
  readonly by?: string;
}
