/** The time that an activity has beyond its request's deadline, to report. After it the engine gives the worker up as dead. */
export const graceMs = 2_000;
