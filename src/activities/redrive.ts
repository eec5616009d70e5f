/** Failed leads driven again: what that takes is the door's, and is given by whoever starts the worker. */
import type { RedriveMany } from '../domain/redrive';

export interface Redriving {
  readonly redriveMany: RedriveMany;
}

export const redriveActivities = ({ redriveMany }: Redriving) => ({ redriveMany });
