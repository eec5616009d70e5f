/** Handles the routes that list and count leads, and that list the deliveries of their events. */
import type { DeliveryList, DeliveryQuery } from '../../leads/deliveries';
import type { Filter } from '../../leads/lead-filter';
import type { LeadList } from '../../leads/lead-list';
import type { LeadsByDay } from '../../leads/leads-by-day';
import type { StuckRuns } from '../../leads/stuck-runs';
import type { Handlers } from '../handler';

interface ListNeeds {
  readonly deliveryList: DeliveryList;
  readonly leadList: LeadList;
  readonly leadsByDay: LeadsByDay;
  readonly readStuckRuns: () => Promise<StuckRuns | undefined>;
}

export const listHandlers = ({ deliveryList, leadList, leadsByDay, readStuckRuns }: ListNeeds) =>
  ({
    async listLeads({ input }) {
      const { limit, ...filter } = input.body;
      return { status: 200, body: await leadList.page(filter as Filter, limit as number | undefined) };
    },

    async listDeliveries({ input }) {
      const { limit, cursor, ...query } = input.body as DeliveryQuery & { limit?: number; cursor?: string };
      return { status: 200, body: await deliveryList.page(query, limit, cursor) };
    },

    async countLeads({ input }) {
      const filter = input.body as Filter;
      const [counts, stuckRuns] = await Promise.all([leadList.counts(filter), filter.groups === 'true' ? readStuckRuns() : undefined]);
      return { status: 200, body: { ...counts, stuckRuns } };
    },

    async countLeadsByDay({ input }) {
      return { status: 200, body: await leadsByDay.read(input.body) };
    },
  }) satisfies Partial<Handlers>;
