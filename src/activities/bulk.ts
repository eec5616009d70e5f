/** The activity that carries out a bulk order for a few leads. The worker provides the function, which belongs to the intake. */
import type { CarryBatch } from '../domain/bulk';

export interface Bulk {
  readonly carryBatch: CarryBatch;
}

export const bulkActivities = ({ carryBatch }: Bulk) => ({ carryBatch });
