/** Handles the routes of bulk orders: redrives, decisions and resends of events of many leads. */
import type { Input } from '../../contract/input';
import { mostLeads } from '../../domain/bulk';
import { givenUp, type DeliveryFilter } from '../../domain/events';
import type { DeliveryList } from '../../leads/deliveries';
import type { BulkFilter } from '../../leads/lead-filter';
import type { LeadList } from '../../leads/lead-list';
import type { Answer } from '../answer';
import type { Handler, Handlers } from '../handler';
import { idempotencyKey } from '../request';
import { decisionKind, redriveKind, resendKind, tooManyLeads, type OrderKind } from './order-answers';
import type { BulkOrders, IdsOf } from './orders';

type Verbs = Readonly<Record<'start' | 'list' | 'read' | 'stop', Handler>>;

function verbsOf({ idName }: OrderKind, orders: BulkOrders): Verbs {
  const orderId = ({ body }: Input) => String(body[idName]);
  const withFacts = (answer: Answer) => ({ ...answer, facts: { [idName]: answer.body[idName], count: answer.body.count } });
  return {
    start: async ({ request, input, caller, requester }) =>
      withFacts(await orders.start(input, idempotencyKey(request), { by: caller.name || undefined, address: requester.address })),
    list: () => orders.list(),
    read: ({ input }) => orders.read(orderId(input), input.body),
    stop: async ({ input }) => withFacts(await orders.stop(orderId(input), String(input.body.reason))),
  };
}

interface BulkNeeds {
  readonly ordersOf: (kind: OrderKind, idsOf: IdsOf) => BulkOrders;
  readonly leadList: LeadList;
  readonly deliveryList: DeliveryList;
}

export function bulkHandlers({ ordersOf, leadList, deliveryList }: BulkNeeds) {
  const ofLeads = (kind: typeof redriveKind | typeof decisionKind) =>
    verbsOf(
      kind,
      ordersOf(kind, (filter, leadState = kind.leadState) => leadList.idsIn(leadState, filter)),
    );
  const redrives = ofLeads(redriveKind);
  const decisions = ofLeads(decisionKind);
  const resends = verbsOf(resendKind, ordersOf(resendKind, givenUpIds));

  /** Each outbox must be read, so more of them than an order can have are not even counted. */
  async function givenUpIds(filter: BulkFilter): Promise<string[]> {
    const leadIds = await deliveryList.leadIdsOf(givenUp(filter as DeliveryFilter), mostLeads + 1);
    if (leadIds.length > mostLeads) throw tooManyLeads(resendKind);
    return leadIds;
  }

  return {
    startRedrive: redrives.start,
    listRedrives: redrives.list,
    getRedrive: redrives.read,
    stopRedrive: redrives.stop,
    startDecision: decisions.start,
    listDecisions: decisions.list,
    getDecision: decisions.read,
    stopDecision: decisions.stop,
    startResend: resends.start,
    listResends: resends.list,
    getResend: resends.read,
    stopResend: resends.stop,
  } satisfies Partial<Handlers>;
}
