/** Written by `npm run reference` from src/domain/lead.ts. */

/** The states of a lead that is where it should be. */
export const deliveredStates: readonly string[] = ['delivered', 'skipped'];

/** The states that a lead stays in unless a person does something. */
export const settledStates: readonly string[] = ['delivered', 'skipped', 'failed', 'discarded', 'parked'];
