/** Written by `npm run reference` from src/domain/lead.ts. */

/** The states of a lead that needs nothing more. */
export const deliveredStates: readonly string[] = ['delivered', 'skipped'];

/** The states that a lead stays in until an operator acts. */
export const settledStates: readonly string[] = ['delivered', 'skipped', 'failed', 'discarded', 'parked'];
