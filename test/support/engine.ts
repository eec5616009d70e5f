/**
 * Locates the engines that tests share. `address` has a namespace and search attributes; each file uses its own task queue and ids. The
 * index of `lateAddress` lags behind its runs, as on a busy engine; each file creates its own namespace there.
 */
import { dirname, join } from 'node:path';

export const engineVariables = {
  address: 'LEADGATE_TEST_ADDRESS',
  lateAddress: 'LEADGATE_TEST_LATE_ADDRESS',
  namespace: 'LEADGATE_TEST_NAMESPACE',
  executable: 'LEADGATE_TEST_ENGINE',
  bundlePath: 'LEADGATE_TEST_BUNDLE',
} as const;

/** The replay bundle is in the directory of the workflow bundle. */
export const replayBundlePath = (): string => join(dirname(testEngine().bundlePath), 'replay-bundle.js');

export type TestEngine = Readonly<Record<keyof typeof engineVariables, string>>;

/** Shared by the global set-up and tear-down, which run in one process but load their modules separately. */
export const shared = globalThis as { stop?: () => Promise<void>; dir?: string };

export function testEngine(): TestEngine {
  const read = ([name, variable]: [string, string]) => {
    const value = process.env[variable];
    if (!value) throw new Error(`${variable} is not set: run the tests through jest, whose global set-up starts the engine`);
    return [name, value];
  };
  return Object.fromEntries(Object.entries(engineVariables).map(read)) as TestEngine;
}
