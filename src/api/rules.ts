/** The settings that a run remembers, so that replaying it does the same whatever they are then. */
import type { Config } from '../config';
import type { Rules } from '../domain/lead';
import { timeoutMs } from '../upstreams';

export const rulesOf = (config: Config, flow?: string): Rules => ({
  timeZone: config.CLINICSYS_TIMEZONE,
  leadTtlMs: config.LEAD_TTL_H * 3_600_000,
  keyTimeoutMs: config.KEY_SERVICE_TIMEOUT_MS,
  timeoutMs: timeoutMs(config, flow),
  board: {
    timeoutMs: config.TASKBOARD_TIMEOUT_MS,
    cloneMode: config.TASKBOARD_CLONE_MODE,
    cloneTimeoutMs: config.TASKBOARD_CLONE_TIMEOUT_MS,
    clonePollMs: config.TASKBOARD_CLONE_POLL_MS,
  },
});
