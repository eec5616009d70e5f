/** Simulates an engine whose start calls fail. */
import type { Client } from '@temporalio/client';
import { DeadlineExceeded } from '../../src/temporal/ask';

export type StartCall = (start: () => Promise<unknown>) => Promise<unknown>;

/** Returns a client whose first start calls behave as `calls`, in order. Later calls are unchanged. */
export function withFailingStarts(client: Client, ...calls: readonly StartCall[]): Client {
  const left = [...calls];
  const start = (...given: Parameters<Client['workflow']['start']>) => {
    // The call has its own deadline, because it has already reached the engine when the caller times out.
    const real = () => client.withDeadline(Date.now() + 10_000, () => client.workflow.start(...given));
    return (left.shift() ?? ((go) => go()))(real);
  };
  const workflow = Object.assign(Object.create(client.workflow), { start });
  return Object.assign(Object.create(client), { workflow });
}

export const lost = () => Promise.reject(new DeadlineExceeded('no answer'));

/** The engine refuses the call. */
export const refused = () => Promise.reject(Object.assign(new Error('PERMISSION_DENIED'), { code: 7, details: '', metadata: {} }));

export const startedWithoutAnswer: StartCall = async (start) => {
  await start();
  return lost();
};

/** Two calls: the engine processes the first only after the look-up, and before the second. */
export function startedLate(): readonly StartCall[] {
  let late: Promise<unknown> = Promise.resolve();
  const first: StartCall = (start) => {
    late = new Promise((resolve) => setTimeout(resolve, 50)).then(start);
    return lost();
  };
  const second: StartCall = async (start) => {
    await late;
    return start();
  };
  return [first, second];
}
