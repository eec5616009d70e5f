/** Generates ids for the simulators. */
export type NextId = () => number;

/** Ids count up from the start time, so that a later start does not repeat the id of a stored lead. */
export function idsFromNow(): NextId {
  let next = Date.now();
  return () => next++;
}
