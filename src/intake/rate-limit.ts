/** Limits how many requests start each second. */

export interface Rate {
  /** The number of requests in one second. */
  readonly perS: number;
  /** The number of requests that may start now. */
  readonly left: number;
}

export interface RateLimit {
  /** Counts one request. Returns false if there is no room for it. */
  take(): boolean;
  now(): Rate;
}

/** A token bucket that refills at `perS` tokens a second and holds at most `perS`. */
export function createRateLimit(perS: number, now: () => number = Date.now): RateLimit {
  let tokens = perS;
  let filledAt = now();
  const refill = () => {
    const at = now();
    tokens = Math.min(perS, tokens + ((at - filledAt) / 1000) * perS);
    filledAt = at;
  };
  return {
    take() {
      refill();
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
    now() {
      refill();
      return { perS, left: Math.floor(tokens) };
    },
  };
}
