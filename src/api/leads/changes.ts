/** The routes that change one lead: a person's decision about a parked or waiting one, and the redrive of a failed one. */
import { randomUUID } from 'node:crypto';
import type { EndpointName } from '../../contract';
import type { Decision } from '../../domain/lead';
import type { RedriveOrder } from '../../domain/redrive';
import type { Decide } from '../../orders/decide';
import { orderOf } from '../../intake/identity';
import type { KeyRing } from '../../keys/ring';
import { replayed } from '../answer';
import type { Asked, Handler, Handlers } from '../handler';
import { idempotencyKey } from '../request';

interface ChangeNeeds {
  readonly keys: KeyRing;
  readonly decide: Decide;
  /** Undefined if this order was carried out before. */
  readonly redrive: (order: RedriveOrder) => Promise<unknown>;
}

export function changeHandlers({ keys, decide, redrive }: ChangeNeeds) {
  const orderIn = (name: EndpointName, { request, input: { given }, caller }: Asked) =>
    orderOf(keys, { name, given, caller: caller.name, idempotencyKey: idempotencyKey(request) });

  const decided =
    (verb: Exclude<Decision['verb'], 'replace'>): Handler =>
    async (asked) => {
      const { leadId, reason, upstreamId } = asked.input.body as { leadId: string; reason: string; upstreamId: string };
      const said = { reason, ...(asked.caller.name && { by: asked.caller.name }) };
      const decision: Decision = verb === 'confirm' ? { verb, ...said, upstreamId } : { verb, ...said };
      const { state, isRepeat } = await decide(leadId, decision, orderIn(`${verb}Lead`, asked));
      return { status: 200, body: { success: true, leadId, state }, ...(isRepeat && { headers: replayed }) };
    };

  return {
    resendLead: decided('resend'),
    confirmLead: decided('confirm'),
    discardLead: decided('discard'),
    tryLead: decided('try'),

    async redriveLead(asked) {
      const { leadId, reason, fields, notThere } = asked.input.body as unknown as RedriveOrder;
      const order = orderIn('redriveLead', asked) ?? { orderId: randomUUID() };
      const run = await redrive({ leadId, reason, fields, notThere, ...order, by: asked.caller.name || undefined });
      return { status: 200, body: { success: true, leadId, state: 'running' }, ...(!run && { headers: replayed }) };
    },
  } satisfies Partial<Handlers>;
}
