/** Combines the simulated site system and its key service, which share one store. */
import type { Simulator } from './call';
import { keyService } from './clinicsys-key';
import { createClinicsysStore } from './clinicsys-store';
import { v1Apply } from './clinicsys-v1';
import { v2Calls } from './clinicsys-v2';
import type { NextId } from './ids';

export function createClinicsys(options: { keyLifetimeMs: number; nextId: NextId }): Simulator {
  const store = createClinicsysStore(options);
  return {
    name: 'clinicsys',
    calls: [keyService(store), v1Apply(store), ...v2Calls(store)],
    state: store.state,
    revokeKeys: store.revokeAll,
    reset: store.reset,
  };
}
