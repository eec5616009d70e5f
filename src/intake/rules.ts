/** The settings that a run remembers, so that replaying it does the same whatever they are then. */
import type { Config } from '../config/config';
import type { Rules } from '../domain/lead';
import { limitedIn } from '../domain/limits';
import { timeoutMs } from '../config/upstreams';

export function rulesOf(config: Config, flow?: string, journal?: string): Rules {
  const limited = limitedIn(config.UPSTREAM_LIMITS ?? {});
  return {
    timeZone: config.CLINICSYS_TIMEZONE,
    leadTtlMs: config.LEAD_TTL_H * 3_600_000,
    keyTimeoutMs: config.KEY_SERVICE_TIMEOUT_MS,
    timeoutMs: timeoutMs(config, flow),
    ...(journal && { journal }),
    board: {
      timeoutMs: config.TASKBOARD_TIMEOUT_MS,
      cloneMode: config.TASKBOARD_CLONE_MODE,
      cloneTimeoutMs: config.TASKBOARD_CLONE_TIMEOUT_MS,
      clonePollMs: config.TASKBOARD_CLONE_POLL_MS,
    },
    // Absent without limits, so that such a run is started and carried as if there were none to be had.
    ...(limited.length > 0 && { limited }),
  };
}
