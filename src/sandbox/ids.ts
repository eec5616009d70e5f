/** Numbers for what the simulators make. */
export type NextId = () => number;

/** They begin with the time of the start, so that no later start gives an id again that a stored lead already has. */
export function idsFromNow(): NextId {
  let next = Date.now();
  return () => next++;
}
