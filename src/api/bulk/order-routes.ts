/** Handles the routes of bulk orders: redrives and decisions of many leads. */
import type { Input } from '../../contract/input';
import type { Answer } from '../answer';
import type { Handler, Handlers } from '../handler';
import { idempotencyKey } from '../request';
import { decisionKind, redriveKind, type OrderKind } from './order-answers';
import type { BulkOrders } from './orders';

type Verbs = Readonly<Record<'start' | 'list' | 'read' | 'stop', Handler>>;

function verbsOf({ idName }: OrderKind, orders: BulkOrders): Verbs {
  const orderId = ({ body }: Input) => String(body[idName]);
  const withFacts = (answer: Answer) => ({ ...answer, facts: { [idName]: answer.body[idName], count: answer.body.count } });
  return {
    start: async ({ request, input, caller }) => withFacts(await orders.start(input, idempotencyKey(request), caller.name)),
    list: () => orders.list(),
    read: ({ input }) => orders.read(orderId(input), input.body),
    stop: async ({ input }) => withFacts(await orders.stop(orderId(input), String(input.body.reason))),
  };
}

export function bulkHandlers(ordersOf: (kind: OrderKind) => BulkOrders) {
  const redrives = verbsOf(redriveKind, ordersOf(redriveKind));
  const decisions = verbsOf(decisionKind, ordersOf(decisionKind));
  return {
    startRedrive: redrives.start,
    listRedrives: redrives.list,
    getRedrive: redrives.read,
    stopRedrive: redrives.stop,
    startDecision: decisions.start,
    listDecisions: decisions.list,
    getDecision: decisions.read,
    stopDecision: decisions.stop,
  } satisfies Partial<Handlers>;
}
