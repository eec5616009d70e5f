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
  /** Check that the process answers. */
  isLive: calls.get<None, IsLiveOutput>('/health/live'),
  /** Check that leads can be accepted: the engine answers, a worker polls, files can be written, and there is capacity. */
  isReady: calls.get<None, IsReadyOutput>('/health/ready'),
  /** Get the name and version of the service. */
  version: calls.get<None, VersionOutput>('/version'),
});
