/** Creates all activities from their dependencies. The worker registers them; workflows import only their types. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import type { Upstreams } from '../config/upstreams';
import type { CarryBatch } from '../domain/bulk';
import type { KeyRing } from '../keys/ring';
import { alertActivities, type AlertNeeds } from './alerts';
import { createCircuitBreaker } from './circuit-breaker';
import { clinicsysActivities } from './clinicsys';
import { eraseActivities, type EraseActivityNeeds } from './erase';
import { eventActivities, type EventNeeds } from './events';
import { forwardActivities } from './forward';
import { holdActivities, reportAnswers } from './hold';
import { lockActivities, type LockNeeds } from './locks';
import { meterExchanges } from './meter';
import { ownRun, ownRunActivities } from './own-run';
import { pauseActivities, readPauses, cachePauses, stopAtPauses } from './pauses';
import { reconcileActivities, type ReconcileActivityNeeds } from './reconcile';
import { samePersonActivities, type SamePersonNeeds } from './same-person';
import { taskboardActivities } from './taskboard';

export interface ActivityNeeds extends LockNeeds, EraseActivityNeeds, SamePersonNeeds, AlertNeeds, EventNeeds, ReconcileActivityNeeds {
  readonly config: Config;
  readonly keys: KeyRing;
  readonly upstreams: Upstreams;
  /** The Temporal client, with which activities signal and describe other runs. */
  readonly client: Client;
  /** Carries out a bulk order for a few leads. The worker provides it. */
  readonly carryBatch: CarryBatch;
}

export function createActivities(needs: ActivityNeeds) {
  const breaker = stopAtPauses(
    meterExchanges(createCircuitBreaker({ ownRun, reportAnswer: reportAnswers(needs) }), needs.meter),
    cachePauses(readPauses(needs)),
  );
  const withBreaker = { ...needs, breaker };
  const board = taskboardActivities(needs);
  const siteSystem = clinicsysActivities(withBreaker);
  return {
    ...siteSystem,
    ...forwardActivities(withBreaker),
    ...board,
    ...lockActivities(needs),
    ...eraseActivities(needs),
    ...samePersonActivities(needs),
    ...reconcileActivities(needs, siteSystem),
    ...holdActivities(needs),
    ...pauseActivities(needs),
    ...ownRunActivities(needs),
    carryBatch: needs.carryBatch,
    ...alertActivities({ ...needs, board }),
    ...eventActivities(needs),
  };
}

export type Activities = ReturnType<typeof createActivities>;
