/** Handles the routes that change a lead: decisions about a parked or waiting lead, and the redrive of a failed one. */
import { randomUUID } from 'node:crypto';
import type { EndpointName } from '../../contract';
import type { Decision } from '../../domain/lead';
import type { RedriveOrder } from '../../domain/redrive';
import type { Decide } from '../../orders/decide';
import { orderOf } from '../../intake/identity';
import type { KeyRing } from '../../keys/ring';
import { replayedHeader } from '../answer';
import type { HandlerContext, Handler, Handlers } from '../handler';
import { idempotencyKey } from '../request';

interface ChangeNeeds {
  readonly keys: KeyRing;
  readonly decide: Decide;
  /** Resolves to undefined if the order was already carried out. */
  readonly redrive: (order: RedriveOrder) => Promise<unknown>;
}

export function changeHandlers({ keys, decide, redrive }: ChangeNeeds) {
  const orderIn = (name: EndpointName, { request, input: { given }, caller }: HandlerContext) =>
    orderOf(keys, { name, given, caller: caller.name, idempotencyKey: idempotencyKey(request) });

  const decisionHandler =
    (verb: Exclude<Decision['verb'], 'replace'>): Handler =>
    async (context) => {
      const { leadId, reason, upstreamId } = context.input.body as { leadId: string; reason: string; upstreamId: string };
      const attribution = { reason, ...(context.caller.name && { by: context.caller.name }) };
      const decision: Decision = verb === 'confirm' ? { verb, ...attribution, upstreamId } : { verb, ...attribution };
      const { state, isRepeat } = await decide(leadId, decision, orderIn(`${verb}Lead`, context));
      return { status: 200, body: { success: true, leadId, state }, ...(isRepeat && { headers: replayedHeader }) };
    };

  return {
    resendLead: decisionHandler('resend'),
    confirmLead: decisionHandler('confirm'),
    discardLead: decisionHandler('discard'),
    tryLead: decisionHandler('try'),

    async redriveLead(context) {
      const { leadId, reason, fields, notThere } = context.input.body as unknown as RedriveOrder;
      const order = orderIn('redriveLead', context) ?? { orderId: randomUUID() };
      const run = await redrive({ leadId, reason, fields, notThere, ...order, by: context.caller.name || undefined });
      return { status: 200, body: { success: true, leadId, state: 'running' }, ...(!run && { headers: replayedHeader }) };
    },
  } satisfies Partial<Handlers>;
}
