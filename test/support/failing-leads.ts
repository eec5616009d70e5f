import { newLead, type Gateway } from './gateway';

/** Sends three leads to an instance that fails: enough to hold its upstream. Returns their ids. */
export const sendFailing = (gateway: Pick<Gateway, 'post'>, instanceName: string, sentinels = ''): Promise<string[]> =>
  Promise.all(
    [1, 2, 3].map(async () => {
      const lead = newLead(sentinels, { instanceName });
      const { headers } = await gateway.post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async' });
      return headers.get('x-lead-id') ?? '';
    }),
  );
