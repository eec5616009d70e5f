import { activityInfo } from '@temporalio/activity';

/** Leaves the activity time to report before the engine gives it up. */
const reportMs = 250;

/** The deadline of a request inside an activity: the setting's, or what the engine still grants. */
export const deadlineMs = (settingMs: number): number => Math.max(1, Math.min(settingMs, activityInfo().startToCloseTimeoutMs - reportMs));
