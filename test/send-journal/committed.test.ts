import { areIn } from '../../src/send-journal/committed';

const marker = (activity: string) => ({
  markerRecordedEventAttributes: {
    markerName: 'core_local_activity',
    details: { data: { payloads: [{ data: Buffer.from(JSON.stringify({ activity_type: activity })) }] } },
  },
});
const taskOver = { workflowTaskCompletedEventAttributes: { startedEventId: 6 } };
const entry = (place: string) => ({ workflowId: 'lead-1', runId: 'run-1', place, length: 3 });

it.each([
  ['its marker is there', [marker('checkEmail'), marker('sendToRt')], ['checkEmail:1', 'sendToRt:1'], true],
  ['a task is over without it', [taskOver, marker('getApiKey')], ['sendToRt:1'], false],
  ['one of two is there', [marker('checkEmail')], ['checkEmail:1', 'sendToRt:1'], false],
  ['the first of its kind is there and the second is not', [marker('sendToRt')], ['sendToRt:1', 'sendToRt:2'], false],
  ['both of its kind are there', [marker('sendToRt'), marker('sendToRt')], ['sendToRt:2'], true],
  ['nothing is there', [], ['sendToRt:1'], false],
])('a send is committed if: %s', (_, events, places, expected) => expect(areIn(events as never, places.map(entry))).toBe(expected));
