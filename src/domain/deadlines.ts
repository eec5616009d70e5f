/** Defines time limits of activities. `graceMs`: the time to report after the request's deadline, before the engine times the try out. */
export const graceMs = 2_000;

/** The longest first try of a read, a local activity. */
export const quickReadMs = 3_000;
/** The part of it that is left for reporting. */
export const quickGraceMs = 250;

/** The interval between the heartbeats of an activity. */
export const heartbeatEveryMs = 2_000;
/** Without a heartbeat for this long, the engine assumes that the worker is dead. */
export const heartbeatTimeoutMs = 10_000;

/** The deadline of one message to a webhook. */
export const webhookTimeoutMs = 10_000;

/** The longest Retry-After that is followed. */
export const retryAfterObeyedMs = 300_000;
