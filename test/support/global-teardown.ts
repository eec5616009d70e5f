/** Stops the shared engine and removes its files. */
import { rmSync } from 'node:fs';
import { shared } from './engine';

export default async function globalTeardown(): Promise<void> {
  await shared.stop?.();
  if (shared.dir) rmSync(shared.dir, { recursive: true, force: true });
}
