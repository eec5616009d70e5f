/** Replays the alerting run from histories in which no alerts are configured on the workers. */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { encryptionCodec } from '../../src/temporal/codec';
import { replaying } from '../support/replays';
import { keys, replay, stored } from './stored';

replaying();

/** The history of an alerting run that got an answer that no alerts are configured after each of these times, and its state after the last one. */
async function alertingAfter(answersMs: readonly number[], now: 'waits' | 'ended') {
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
  const result = { payloads: (await encryptionCodec(keys).encode([defaultPayloadConverter.toPayload(undefined)])).map(asJson) };
  for (const [index, tookMs] of answersMs.entries()) {
    const number = String(index + 1);
    const scheduledEventId = add('ACTIVITY_TASK_SCHEDULED', { activityId: number, activityType: { name: 'lookForTrouble' }, ...task() });
    const startedEventId = add('ACTIVITY_TASK_STARTED', { scheduledEventId });
    at += tookMs;
    add('ACTIVITY_TASK_COMPLETED', { scheduledEventId, startedEventId, result });
    const timer = add('TIMER_STARTED', { timerId: number, startToFireTimeout: '5s', ...task() });
    at += 5_000;
    if (now === 'waits' && index === answersMs.length - 1) break;
    add('TIMER_FIRED', { timerId: number, startedEventId: timer });
  }
  if (now === 'ended') add('WORKFLOW_EXECUTION_COMPLETED', task());
  return { events };
}

const base64 = (bytes?: Uint8Array | null) => Buffer.from(bytes ?? []).toString('base64');

const asJson = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([key, bytes]) => [key, base64(bytes)])),
  data: base64(data),
});

describe('the alerting', () => {
  const answers = (count: number): number[] => Array.from({ length: count }, () => 0);
  const hourMs = 3_600_000;

  it('ends after ten minutes of answers that no alerts are configured, but not while no worker answers', async () => {
    const almost = [...answers(60), hourMs, ...answers(59)];
    await expect(replay(await alertingAfter(almost, 'waits'))).resolves.toBeUndefined();
    await expect(replay(await alertingAfter([...almost, ...answers(1)], 'ended'))).resolves.toBeUndefined();
  });
});
