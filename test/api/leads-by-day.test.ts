/** How many leads came in on each day, and how they stand. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { workflowIdOf } from '../../src/domain/ids';
import { createLeadsByDay, withRedrives, type Day } from '../../src/leads/leads-by-day';
import { createSearch } from '../../src/leads/search';
import { eraseUntilDone } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { until, untilHolds } from '../support/until';

const dayMs = 86_400_000;
const none = { leads: 0, delivered: 0, skipped: 0, failed: 0, parked: 0, discarded: 0, open: 0 };
const patient = { siteId: 9999, clientId: 'c', environment: 'us', firstName: 'Bo', lastName: 'Ray', bearerToken: 't', studyId: 12 };
const mended = { reason: 'mistyped', fields: { instanceName: 'erg-oct' } };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { TEMPORAL_NAMESPACE: await ownNamespace(`by-day-${process.pid}`, undefined, 72) } });
});
afterAll(() => gateway.stop());

const history = async (query = '') => (await gateway.get(`/api/leads/history?${query}`)).body.days as Day[];
const today = async (query = '') => (await history(query)).at(-1);
const send = async (sentinel: string, fields = {}, headers = {}) =>
  String((await gateway.post('/api/clinicsys/no-prescreen', newLead(sentinel, fields), headers)).headers.get('x-lead-id'));

describe('the leads of each day', () => {
  it('are counted by how they stand, in the very next answer; a lead that was sent again counts once, as its newest attempt', async () => {
    await send('');
    await send('v1-refused');
    await send('comment-422');
    await send('', { instanceName: 'erg-oct.key-500' }, { prefer: 'respond-async' });
    const again = await send('', { instanceName: 'erg-oct.key-404' });
    const ended = await send('comment-422');
    await gateway.client.workflow.getHandle(workflowIdOf(ended)).terminate();
    const flow = 'flow=no-prescreen';
    // The engine's own tools ended it, so the index tells of it after its lag.
    await untilHolds(
      async () => expect(await today(flow)).toMatchObject({ leads: 6, delivered: 1, failed: 3, parked: 1, open: 1 }),
      'all are counted',
    );
    await gateway.post(`/api/leads/${again}/redrive`, mended);
    await gateway.get(`/api/leads/${again}?wait=60`);
    expect(await today(flow)).toMatchObject({ leads: 6, delivered: 2, failed: 2, parked: 1, open: 1 });
    expect((await gateway.get(`/api/leads/counts?${flow}`)).body.counts).toMatchObject({ delivered: 2, failed: 2, parked: 1 });
  });

  it('are those of one flow alone where one is named', async () => {
    const before = (await today('flow=recruit'))!.leads;
    await gateway.post('/api/recruit/send-to-recruit', { ...patient, email: newLead().email });
    expect(await today('flow=recruit')).toMatchObject({ leads: before + 1 });
    expect(await today('flow=leadforms')).toMatchObject(none);
    expect((await gateway.get('/api/leads/history?flow=recruits')).status).toBe(400);
  });

  it('have every day of the retention, oldest first, today in UTC last, with zeros where none came', async () => {
    const days = await history();
    const count = 3;
    const names = Array.from({ length: count }, (_, at) => new Date(Date.now() - (count - 1 - at) * dayMs).toISOString().slice(0, 10));
    expect(days.map(({ day }) => day)).toEqual(names);
    expect(days[0]).toEqual({ day: names[0], ...none });
    expect((await history('days=1')).map(({ day }) => day)).toEqual(names.slice(-1));
    expect(await history('days=30')).toHaveLength(count);
  });

  it.each(['days=0', 'days=31', 'days=many', 'day=1'])('refuses %s', async (query) =>
    expect((await gateway.get(`/api/leads/history?${query}`)).status).toBe(400),
  );

  it('are found on their day when that is past, and an ended one is counted again after an erasure', async () => {
    const email = newLead().email;
    const before = (await today('flow=recruit'))!.leads;
    await gateway.post('/api/recruit/send-to-recruit', { ...patient, firstName: 'Al', email });
    const days = createLeadsByDay(
      createSearch(gateway.client),
      gateway.keys,
      () => Promise.resolve(240),
      () => Date.now() + 2 * dayMs,
    );
    const read = async () => ((await days.read({ flow: 'recruit', days: 4 })).days as Day[]).map(({ leads }) => leads);
    await today();
    expect(await read()).toEqual([0, before + 1, 0, 0]);
    await eraseUntilDone(gateway, { email });
    await until(async () => (await read()).join() === [0, before, 0, 0].join(), 'it is counted no more');
  });
});

describe('a lead that was sent again on another day', () => {
  const leadId = `k${'0'.repeat(20)}-${'0'.repeat(25)}`;
  const attempt = (number: number, state: string, receivedAt: string) =>
    ({
      workflowId: `lead-r${number}-${leadId}`,
      memo: { lead: { redrive: { receivedAt } } },
      searchAttributes: { LeadState: [state] },
      status: { name: state === 'waiting' ? 'RUNNING' : 'COMPLETED' },
    }) as unknown as WorkflowExecutionInfo;
  const days: Day[] = [
    { day: '2026-11-20', ...none, leads: 2, failed: 2 },
    { day: '2026-11-21', ...none },
  ];

  it.each([
    ['delivered', { failed: 1, delivered: 1 }],
    ['waiting', { failed: 1, open: 1 }],
    ['failed', { failed: 2 }],
  ])('counts on the day on which it came in, now %s', (state, changed) =>
    expect(withRedrives(days, [attempt(3, state, '2026-11-20T23:59:59.999Z'), attempt(2, 'failed', '2026-11-20T23:59:59.999Z')])).toEqual([
      { ...days[0], ...changed },
      days[1],
    ]),
  );

  it('counts on no day if it came in before the first', () =>
    expect(withRedrives(days, [attempt(2, 'delivered', '2026-11-19T23:59:59.999Z')])).toEqual(days));
});
