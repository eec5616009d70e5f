/** Retries a call until its deadline, or until it is aborted. */
import { LeadgateError } from './error.ts';
import { isLost, canRetry } from './meaning.ts';

export interface Patience {
  readonly signal?: AbortSignal;
  leftMs(): number;
  /** Waits and resolves to true; to false if the deadline would pass, or the call is aborted. */
  pause(ms: number): Promise<boolean>;
}

export function patienceOf(ms: number, signal?: AbortSignal): Patience {
  const deadline = Date.now() + ms;
  const leftMs = () => Math.max(0, deadline - Date.now());
  return {
    signal,
    leftMs,
    pause: (pauseMs) =>
      new Promise((done) => {
        if (signal?.aborted || pauseMs >= leftMs()) return done(false);
        const timer = setTimeout(() => end(true), pauseMs);
        const aborted = () => end(false);
        const end = (goesOn: boolean) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', aborted);
          done(goesOn);
        };
        signal?.addEventListener('abort', aborted, { once: true });
      }),
  };
}

const [shortestPauseMs, longestPauseMs] = [250, 5_000];

const pauseMs = ({ retryAfterS }: LeadgateError, tries: number): number =>
  retryAfterS === undefined ? Math.min(longestPauseMs, shortestPauseMs * 2 ** tries) : Math.max(shortestPauseMs, retryAfterS * 1000);

/** Retries if that sends nothing twice. After a lost answer, the error stays NO_ANSWER even if no retry reaches the gateway. */
export async function retry<T>(once: () => Promise<T>, patience: Patience, isSafe: boolean): Promise<T> {
  let lost: LeadgateError | undefined;
  for (let tries = 0; ; tries++) {
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof LeadgateError) || !canRetry(error, isSafe)) throw error;
      if (isLost(error)) lost ??= error;
      if (!(await patience.pause(pauseMs(error, tries)))) throw lost ?? error;
    }
  }
}
