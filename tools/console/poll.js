/** Polls while the page is visible: one request at a time, and more slowly if answers take long. */

const restShare = 3;

/**
 * @param {number} pauseMs
 * @param {(signal: AbortSignal) => Promise<void>} work
 * @returns {{ now(): void, stop(): void }}
 */
export function poll(pauseMs, work) {
  const stopping = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let round = new AbortController();

  async function run() {
    if (stopping.signal.aborted) return;
    clearTimeout(timer);
    round.abort();
    round = new AbortController();
    const { signal } = round;
    const startedAt = performance.now();
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) console.error(error);
    }
    const restMs = Math.max(pauseMs, (performance.now() - startedAt) * restShare);
    if (!signal.aborted && !document.hidden) timer = setTimeout(() => void run(), restMs);
  }

  const seen = () => void (document.hidden ? clearTimeout(timer) : run());
  document.addEventListener('visibilitychange', seen, { signal: stopping.signal });
  void run();
  return {
    now: () => void run(),
    stop: () => {
      stopping.abort();
      round.abort();
      clearTimeout(timer);
    },
  };
}
