/** Workflows that break what a worker relies on. */
import { sleep } from '@temporalio/workflow';

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

export async function sound(): Promise<string> {
  await sleep(1);
  return 'sound';
}
