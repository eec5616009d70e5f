/** The activity that redrives a batch of failed leads. The worker provides the function, which belongs to the intake. */
import type { RedriveMany } from '../domain/redrive';

export interface Redriving {
  readonly redriveMany: RedriveMany;
}

export const redriveActivities = ({ redriveMany }: Redriving) => ({ redriveMany });
