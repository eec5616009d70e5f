/** A request that outlasts its time inside a workflow's own task goes on, and the regular activity that follows takes its result. */
import { handOver } from '../../src/activities/hand-over';
import { graceMs } from '../../src/domain/deadlines';

const quickMs = 20;
const workflowExecution = { workflowId: 'lead-1', runId: 'run-1' };
const local = { activityId: '7', isLocal: true, startToCloseTimeoutMs: quickMs + graceMs, scheduleToCloseTimeoutMs: 30_000 };
const regular = { activityId: 'handed-over-7', isLocal: false, startToCloseTimeoutMs: 30_000, scheduleToCloseTimeoutMs: 30_000 };

/** Calls an activity as a worker does. */
function worker() {
  const factory = handOver();
  return (info: object, next: () => Promise<unknown>) => {
    const execute = factory({ info: { workflowExecution, ...info } } as never).inbound?.execute;
    return execute?.({} as never, next) as Promise<unknown>;
  };
}

function heldAnswer() {
  let [answer, fail]: ((value: unknown) => void)[] = [];
  const promise = new Promise<unknown>((resolve, reject) => ([answer, fail] = [resolve, reject]));
  return { ask: jest.fn(() => promise), answer: (value: unknown) => answer?.(value), fail: (error: Error) => fail?.(error) };
}

const notAsked = () => Promise.reject(new Error('asked again'));
const left = { type: 'NOT_HERE', details: [regular.activityId] };

it('gives an answer that comes in time', async () => {
  expect(await worker()(local, () => Promise.resolve('found'))).toBe('found');
});

it.each(['before', 'after'])('gives a late answer to the regular activity that comes %s it', async (when) => {
  const call = worker();
  const { ask, answer } = heldAnswer();
  await expect(call(local, ask)).rejects.toMatchObject(left);
  if (when === 'after') answer('found');
  const taken = call(regular, notAsked);
  answer('found');
  expect(await taken).toBe('found');
  expect(ask).toHaveBeenCalledTimes(1);
});

it('gives a late failure', async () => {
  const call = worker();
  const { ask, fail } = heldAnswer();
  await expect(call(local, ask)).rejects.toMatchObject(left);
  fail(new Error('reset'));
  await expect(call(regular, notAsked)).rejects.toThrow('reset');
});

it.each([
  ['a later activity of the run', { activityId: '8' }],
  ['another run', { workflowExecution: { workflowId: 'lead-1', runId: 'run-2' } }],
  ["a later try inside the run's task", local],
])('%s asks for itself', async (_, other) => {
  const call = worker();
  await expect(call(local, heldAnswer().ask)).rejects.toMatchObject(left);
  expect(await call({ ...regular, ...other }, () => Promise.resolve('its own'))).toBe('its own');
});

it('leaves nothing that has all its time inside the task', async () => {
  const { ask, answer } = heldAnswer();
  const send = worker()({ ...local, scheduleToCloseTimeoutMs: local.startToCloseTimeoutMs }, ask);
  setTimeout(answer, 3 * quickMs, 'sent');
  expect(await send).toBe('sent');
});
