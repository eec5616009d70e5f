/** An activity has this long after its request's deadline to report. Then the engine ends the try, as if the worker were dead. */
export const graceMs = 2_000;

/** The longest first try of a read, which runs inside the workflow's own task. */
export const quickReadMs = 3_000;
/** The part of that time in which such a try reports. */
export const quickGraceMs = 250;

/** A worker tells the engine this often that an activity goes on … */
export const heartbeatEveryMs = 2_000;
/** … and after this silence the engine takes the worker for dead. */
export const heartbeatTimeoutMs = 10_000;

/** The deadline of one message to a webhook. */
export const webhookTimeoutMs = 10_000;

/** An upstream's Retry-After is obeyed up to this. */
export const retryAfterObeyedMs = 300_000;
