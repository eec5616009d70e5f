/** Ids for what the simulators make. */
export type NextId = () => number;

/** Ids count up from the time of the start, so that no later start repeats the id of a stored lead. */
export function idsFromNow(): NextId {
  let next = Date.now();
  return () => next++;
}
