import { temporal } from '@temporalio/proto';
import { endsWithFreshTask } from '../../src/activities/first-time';

const { TIMEOUT_TYPE_SCHEDULE_TO_START: nobodyTookIt, TIMEOUT_TYPE_START_TO_CLOSE: diedWithIt } = temporal.api.enums.v1.TimeoutType;

const began = { workflowExecutionStartedEventAttributes: {} };
const activityEnded = { activityTaskCompletedEventAttributes: {} };
const scheduled = { workflowTaskScheduledEventAttributes: {} };
const started = { workflowTaskStartedEventAttributes: {} };
const completed = { workflowTaskCompletedEventAttributes: {} };
const failed = { workflowTaskFailedEventAttributes: {} };
const timedOut = (timeoutType: number) => ({ workflowTaskTimedOutEventAttributes: { timeoutType } });

/** As the engine tells them: the newest first. */
const told = (events: readonly object[]) => events.map((event, at) => ({ ...event, eventId: at + 1 }) as never).toReversed();

describe('whether a send inside a workflow task is the first', () => {
  it.each([
    ['the first task of a run', [began, scheduled, started], 3, true],
    ['the task after an activity', [began, scheduled, started, completed, activityEnded, scheduled, started], 7, true],
    ['a task that nobody took up in time', [began, activityEnded, scheduled, timedOut(nobodyTookIt), scheduled, started], 6, true],
    ['a task whose worker died', [began, activityEnded, scheduled, started, timedOut(diedWithIt), scheduled, started], 7, false],
    ['a first task whose worker died', [began, scheduled, started, timedOut(diedWithIt)], 6, false],
    [
      'one that nobody took up after one whose worker died',
      [began, scheduled, started, timedOut(diedWithIt), scheduled, timedOut(nobodyTookIt), scheduled, started],
      8,
      false,
    ],
    ['a task that failed', [began, scheduled, started, failed, scheduled, started], 6, false],
    ['a task that was prolonged after the send was asked for', [began, scheduled, started, completed, scheduled, started], 3, false],
    ['a send asked for in a task that was prolonged before', [began, scheduled, started, completed, scheduled, started], 6, true],
    ['nothing is known', [], 3, false],
  ])('%s', (_, events, length, expected) => expect(endsWithFreshTask(told(events), length)).toBe(expected));
});
