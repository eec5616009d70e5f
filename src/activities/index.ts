/** Every activity, made from what it needs. The worker registers them; workflows see only their types. */
import { clinicsysActivities } from './clinicsys';

export type ActivityNeeds = Parameters<typeof clinicsysActivities>[0];

export const createActivities = (needs: ActivityNeeds) => ({ ...clinicsysActivities(needs) });

export type Activities = ReturnType<typeof createActivities>;
