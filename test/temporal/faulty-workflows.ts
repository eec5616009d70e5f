/** Workflows that break what a worker relies on. */
import { condition, sleep } from '@temporalio/workflow';

export async function endless(): Promise<void> {
  for (;;);
}

export async function endlessAfterWaiting(): Promise<void> {
  await sleep(1);
  for (;;);
}

export async function rejected(): Promise<void> {
  void Promise.reject(new Error('out of order'));
  await sleep('1 minute');
}

/** Its task fails while a promise waits, whose continuation would start a timer. */
export async function unfinished(): Promise<void> {
  let looks = 0;
  void Promise.resolve().then(() => sleep(1));
  await condition(() => {
    looks++;
    if (looks > 1) throw new Error('no condition');
    return false;
  });
}

export async function sound(): Promise<string> {
  await sleep(1);
  return 'sound';
}
