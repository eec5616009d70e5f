/** An engine whose start calls break off. */
import type { Client } from '@temporalio/client';
import { DeadlineExceeded } from '../../src/temporal/ask';

export type Call = (start: () => Promise<unknown>) => Promise<unknown>;

/** The engine of this client, whose start calls end as `calls` says, one after the other; all later ones end as they are. */
export function engineWhere(client: Client, ...calls: readonly Call[]): Client {
  const left = [...calls];
  const start = (...given: Parameters<Client['workflow']['start']>) => {
    // The engine has it already when the call breaks off, so it does not end with the caller's time.
    const real = () => client.withDeadline(Date.now() + 10_000, () => client.workflow.start(...given));
    return (left.shift() ?? ((go) => go()))(real);
  };
  const workflow = Object.assign(Object.create(client.workflow), { start });
  return Object.assign(Object.create(client), { workflow });
}

export const lost = () => Promise.reject(new DeadlineExceeded('no answer'));

/** The engine has read the call and refuses it. */
export const refused = () => Promise.reject(Object.assign(new Error('PERMISSION_DENIED'), { code: 7, details: '', metadata: {} }));

export const doneUnheard: Call = async (start) => {
  await start();
  return lost();
};

/** Two calls: the engine does the first one only after it was asked about it, and before the second one. */
export function doneLate(): readonly Call[] {
  let late: Promise<unknown> = Promise.resolve();
  const first: Call = (start) => {
    late = new Promise((resolve) => setTimeout(resolve, 50)).then(start);
    return lost();
  };
  const second: Call = async (start) => {
    await late;
    return start();
  };
  return [first, second];
}
