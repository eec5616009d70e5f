/** An activity has this long after its request's deadline to report. Then the engine ends the try, as if the worker were dead. */
export const graceMs = 2_000;

/** The deadline of one message to a webhook. */
export const webhookTimeoutMs = 10_000;
