/** Every activity, made from what it needs. The worker registers them; workflows see only their types. */
import { clinicsysActivities } from './clinicsys';
import { forwardActivities } from './forward';
import { taskboardActivities } from './taskboard';

export type ActivityNeeds = Parameters<typeof clinicsysActivities>[0];

export const createActivities = (needs: ActivityNeeds) => ({
  ...clinicsysActivities(needs),
  ...forwardActivities(needs),
  ...taskboardActivities(needs),
});

export type Activities = ReturnType<typeof createActivities>;
