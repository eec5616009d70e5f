/** Written by `npm run reference` from src/contract. */
import type { Calls, None } from '../types.ts';

export type IsLiveOutput = {
  status: 'live';
};

export type IsReadyOutput = {
  status: 'ready';
};

export type VersionOutput = {
  name: string;
  version: string;
};

export const service = (calls: Calls) => ({
  /** The process answers. */
  isLive: calls.get<None, IsLiveOutput>('/health/live'),
  /** Leads can be taken: the engine answers, a worker is polling, files can be written, and there is room for one more lead. */
  isReady: calls.get<None, IsReadyOutput>('/health/ready'),
  /** Name and version. */
  version: calls.get<None, VersionOutput>('/version'),
});
