/** Handles the routes that list the upstreams, and that pause or resume one. */
import type { JsonObject } from '../domain/lead';
import type { PauseChange } from '../domain/pauses';
import { orderOf } from '../intake/identity';
import type { ChangePause } from '../orders/pause';
import type { KeyRing } from '../keys/ring';
import type { LeadList } from '../leads/lead-list';
import { replayedHeader } from './answer';
import type { Handler, Handlers } from './handler';
import { idempotencyKey } from './request';

interface UpstreamNeeds {
  readonly keys: KeyRing;
  readonly leadList: Pick<LeadList, 'page'>;
  readonly listUpstreams: () => Promise<JsonObject>;
  readonly changePause: ChangePause;
}

export function upstreamHandlers({ keys, leadList, listUpstreams, changePause }: UpstreamNeeds) {
  /** Warns of an instance of the site system that no known lead was sent to, because a mistyped name would pause nothing. */
  async function warnIfUnknown(instance = ''): Promise<string | undefined> {
    const [, instanceName] = instance.split('/');
    const found = instanceName && (await leadList.page({ instanceName }).catch(() => undefined));
    return found && found.count === 0
      ? `No known lead was sent to ${instance}: check its name, because a mistyped name pauses nothing`
      : undefined;
  }

  const changeHandler =
    (verb: PauseChange['verb']): Handler =>
    async ({ request, input, caller: { name: caller } }) => {
      const { upstream, instance, reason } = input.body as Pick<PauseChange, 'upstream' | 'reason'> & { instance?: string };
      const order = orderOf(keys, { name: `${verb}Upstream`, given: input.given, caller, idempotencyKey: idempotencyKey(request) });
      const change = { verb, upstream, instance: instance ?? '', reason, ...(caller && { by: caller }) };
      const [{ isRepeat }, warning] = await Promise.all([
        changePause(change, order),
        verb === 'pause' ? warnIfUnknown(instance) : undefined,
      ]);
      const body = { success: true, upstream, instance, state: verb === 'pause' ? 'paused' : 'resumed', warning };
      return { status: 200, body, ...(isRepeat && { headers: replayedHeader }) };
    };

  return {
    listUpstreams: async () => ({ status: 200, body: await listUpstreams() }),
    pauseUpstream: changeHandler('pause'),
    resumeUpstream: changeHandler('resume'),
  } satisfies Partial<Handlers>;
}
