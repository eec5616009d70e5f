/** Types of a person's order about one lead, and of a redrive. */
import type { JsonObject } from './lead';

/** An order is carried out once, so its repeats carry the same id. */
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
  /** A person has looked: what may have been sent before its run was ended outside of Leadgate is not in the upstream. */
  readonly notThere?: boolean;
  /** The name of the caller's key; absent if callers have none. */
  readonly by?: string;
}
