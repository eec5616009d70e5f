/** The run of the alerting, replayed from histories in which it looks in vain. */
import { defaultPayloadConverter } from '@temporalio/common';
import { encryptionCodec } from '../../src/temporal/codec';
import { replaying } from '../support/replays';
import { keys, replay, stored } from './stored';

replaying();

/** An answer of `watchForAlerts`, or none: its worker died, and the engine gave it up. */
interface Look {
  readonly answer?: object;
  readonly tookMs: number;
}

/** A run of the alerting that looked in vain, and how it stands after the last look. */
async function alertingAfter(looks: readonly Look[], now: 'waits' | 'ended') {
  const [first] = stored('alerts-tested').events;
  const events: object[] = [{ ...first, eventTime: new Date(0).toISOString() }];
  let at = 0;
  const add = (eventType: string, attributes: object): string => {
    const eventId = String(events.length + 1);
    const name = eventType.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    events.push({
      eventId,
      eventTime: new Date(at).toISOString(),
      eventType: `EVENT_TYPE_${eventType}`,
      [`${name}EventAttributes`]: attributes,
    });
    return eventId;
  };
  const task = (): { workflowTaskCompletedEventId: string } => {
    const scheduledEventId = add('WORKFLOW_TASK_SCHEDULED', { taskQueue: { name: 'any' } });
    const startedEventId = add('WORKFLOW_TASK_STARTED', { scheduledEventId });
    return { workflowTaskCompletedEventId: add('WORKFLOW_TASK_COMPLETED', { scheduledEventId, startedEventId }) };
  };
  const { encode } = encryptionCodec(keys);
  const base64 = (bytes?: Uint8Array | null) => Buffer.from(bytes ?? []).toString('base64');
  const payloadsOf = async (value: object) =>
    (await encode([defaultPayloadConverter.toPayload(value)])).map(({ metadata, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([key, bytes]) => [key, base64(bytes)])),
      data: base64(data),
    }));
  let last = task();
  for (const [index, { answer, tookMs }] of looks.entries()) {
    const number = String(index + 1);
    const scheduledEventId = add('ACTIVITY_TASK_SCHEDULED', { activityId: number, activityType: { name: 'watchForAlerts' }, ...last });
    const startedEventId = add('ACTIVITY_TASK_STARTED', { scheduledEventId });
    at += tookMs;
    if (answer) add('ACTIVITY_TASK_COMPLETED', { scheduledEventId, startedEventId, result: { payloads: await payloadsOf(answer) } });
    else {
      const failure = { message: 'activity Heartbeat timeout', timeoutFailureInfo: { timeoutType: 'TIMEOUT_TYPE_HEARTBEAT' } };
      add('ACTIVITY_TASK_TIMED_OUT', { scheduledEventId, startedEventId, failure });
    }
    last = task();
    if (index === looks.length - 1 && now === 'ended') break;
    const timer = add('TIMER_STARTED', { timerId: number, startToFireTimeout: '5s', ...last });
    at += 5_000;
    if (index === looks.length - 1) break;
    add('TIMER_FIRED', { timerId: number, startedEventId: timer });
    last = task();
  }
  if (now === 'ended') add('WORKFLOW_EXECUTION_COMPLETED', last);
  return { events };
}

describe('the alerting', () => {
  const hour = 3_600_000;
  const off = (count: number): Look[] => Array.from({ length: count }, () => ({ answer: { off: true }, tookMs: 0 }));

  it('goes on after an hour without a worker, and after an hour in which no look succeeds', async () => {
    await expect(replay(await alertingAfter([{ tookMs: hour }], 'waits'))).resolves.toBeUndefined();
    const failing = Array.from({ length: 60 }, () => ({ tookMs: 60_000 }));
    await expect(replay(await alertingAfter(failing, 'waits'))).resolves.toBeUndefined();
  });

  it('ends when workers have answered for ten minutes that no alert is set', async () => {
    const lookedIn = [...off(60), { tookMs: hour }, ...off(60)];
    await expect(replay(await alertingAfter(lookedIn, 'waits'))).resolves.toBeUndefined();
    await expect(replay(await alertingAfter([...lookedIn, ...off(1)], 'ended'))).resolves.toBeUndefined();
  });
});
