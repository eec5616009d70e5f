/** Leads in lists: in pages, as a file, and day by day. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createExport, type ExportLeads } from '../../src/api/bulk/export';
import { workflowIdOf } from '../../src/domain/ids';
import { createLeadList } from '../../src/leads/lead-list';
import { createLeadsByDay, withRedrives, type Day } from '../../src/leads/leads-by-day';
import { createSearch } from '../../src/leads/search';
import { csvRows, csvText } from '../../src/lib/csv';
import { eraseUntilDone } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { until, untilHolds } from '../support/until';

let gateway: Gateway;
const site = 'erg-tampa';
const protocol = `P'"\\${process.pid}`;
let sent: { leadId: string; email: string; patientId: string }[];

beforeAll(async () => {
  gateway = await startGateway();
  sent = [];
  for (const sentinel of ['comment-422', '', 'v1-refused', '', '']) {
    const lead = newLead(sentinel, { protocol, instanceName: site, phone: '5550001111' });
    const { headers, body } = await gateway.post('/api/clinicsys/no-prescreen', lead);
    sent.unshift({ leadId: headers.get('x-lead-id') ?? '', email: lead.email, patientId: String(body.rtResponse?.PatientID) });
  }
  // The engine's index is a moment behind.
  const isListed = ({ leads }: Awaited<ReturnType<typeof list>>) => leads.length === 5 && leads.every(({ state }) => state !== 'running');
  await until(async () => isListed(await list()), 'all five are listed as what they became');
  await until(async () => (await list({ code: 'UPSTREAM_REJECTED' })).count === 2, 'both are found by their error code');
});
afterAll(() => gateway.stop());

const list = async (filter: Record<string, string> = {}) =>
  (await gateway.get(`/api/leads?${new URLSearchParams({ protocol, ...filter }).toString()}`)).body as {
    count: number;
    leads: { leadId: string; state: string; updatedAt: string }[];
    nextCursor?: string;
  };
const ids = (answer: { leads: { leadId: string }[] }) => answer.leads.map(({ leadId }) => leadId);

describe('the list of leads', () => {
  it('is newest first, in all states, without steps and results', async () => {
    const answer = await list();
    expect(ids(answer)).toEqual(sent.map(({ leadId }) => leadId));
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(answer.leads[0]).toEqual({
      leadId: sent[0]?.leadId,
      flow: 'no-prescreen',
      state: 'delivered',
      step: 'send-comments',
      site: 'erg-tampa',
      studyId: '12',
      protocol: expect.any(String),
      createdAt: time,
      updatedAt: time,
    });
    expect(answer.nextCursor).toBeUndefined();
  });

  it('has pages that neither miss nor repeat a lead', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: '2', ...(cursor && { cursor }) });
      expect(page.count).toBe(page.leads.length);
      seen.push(...ids(page));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(sent.map(({ leadId }) => leadId));
  });

  it.each<[string, () => Record<string, string>, number[]]>([
    ['state', () => ({ state: 'parked' }), [4]],
    ['another state', () => ({ state: 'failed' }), [2]],
    ['flow', () => ({ flow: 'with-prescreen' }), []],
    ['e-mail, in any case', () => ({ email: sent[1]?.email.toUpperCase() ?? '' }), [1]],
    ['phone, in any punctuation', () => ({ phone: '+1 (555) 000-1111' }), [0, 1, 2, 3, 4]],
    ['patient id', () => ({ patientId: sent[3]?.patientId ?? '' }), [3]],
    ['instance', () => ({ instanceName: site, studyId: '12' }), [0, 1, 2, 3, 4]],
    ['error code', () => ({ code: 'upstream_rejected' }), [2, 4]],
    ['upstream', () => ({ upstream: 'v2' }), [4]],
    ['error code and upstream', () => ({ code: 'UPSTREAM_REJECTED', upstream: 'V1' }), [2]],
    ['time', () => ({ until: '2025-01-01' }), []],
  ])('is filtered by %s', async (_name, filter, at) => expect(ids(await list(filter()))).toEqual(at.map((index) => sent[index]?.leadId)));

  it('has the error code and upstream of a lead that waits, is parked or failed', async () => {
    const { leads } = await list({ code: 'UPSTREAM_REJECTED' });
    expect(leads).toMatchObject([
      { state: 'failed', code: 'UPSTREAM_REJECTED', upstream: 'V1' },
      { state: 'parked', code: 'UPSTREAM_REJECTED', upstream: 'V2' },
    ]);
    const { steps } = (await gateway.get(`/api/leads/${sent[4]?.leadId}`)).body;
    expect(steps.at(-1).error).toMatchObject({ code: 'UPSTREAM_REJECTED', upstream: 'V2' });
  });

  it('finds a skipped lead by the id of the existing patient', async () => {
    const instanceName = `${site}.twice`;
    const lead = newLead('', { instanceName });
    const first = await gateway.post('/api/clinicsys/no-prescreen', lead);
    const second = await gateway.post('/api/clinicsys/no-prescreen', { ...lead, condition: 'Acne' });
    expect(second.body.rtResponse).toMatchObject({ PatientID: first.body.rtResponse.PatientID, skipped: true });
    const query = new URLSearchParams({ patientId: first.body.rtResponse.PatientID, instanceName });
    const { body } = await gateway.get(`/api/leads?${query.toString()}`);
    expect(ids(body)).toEqual([second, first].map(({ headers }) => headers.get('x-lead-id')));
  });

  it('is counted by state, error code and upstream', async () => {
    const counted = async (query: Record<string, string>) =>
      (await gateway.get(`/api/leads/counts?${new URLSearchParams({ protocol, ...query }).toString()}`)).body;
    const code = 'UPSTREAM_REJECTED';
    const groups = [
      { state: 'parked', code, upstream: 'V2', count: 1 },
      { state: 'failed', code, upstream: 'V1', count: 1 },
    ];
    expect((await counted({ groups: 'true' })).groups).toEqual(groups);
    expect((await counted({ groups: 'true', upstream: 'V1' })).groups).toEqual([groups[1]]);
    expect(await counted({ code })).not.toHaveProperty('groups');
  });

  it.each([
    ['code=UPSTREAM_REJECTD', 'code', 'UPSTREAM_REJECTED'],
    ['upstream=V22', 'upstream', 'V2'],
    ['upstreams=V2', 'upstreams', 'upstream'],
  ])('refuses %s and names the nearest', async (query, field, meant) => {
    const message = expect.stringContaining(`did you mean ${meant}?`);
    const refused = { status: 400, body: { error: { details: [{ field, message }] } } };
    expect(await gateway.get(`/api/leads?${query}`)).toMatchObject(refused);
    expect(await gateway.get(`/api/leads/counts?${query}`)).toMatchObject(refused);
  });

  it('filters by the time of the last change', async () => {
    // Leads of its own: the other tests count on the parked one.
    const own = { protocol: `${protocol}-changed` };
    for (const sentinel of ['comment-422', '']) await gateway.post('/api/clinicsys/no-prescreen', newLead(sentinel, own));
    const bothListed = async () => {
      const { leads } = await list(own);
      return leads.map(({ state }) => state).join() === 'delivered,parked' ? leads : undefined;
    };
    const [newer, older] = await until(bothListed, 'both are listed as what they became');
    const changedSince = newer?.updatedAt ?? '';
    expect(ids(await list({ ...own, changedSince }))).toEqual([newer?.leadId]);
    await gateway.post(`/api/leads/${older?.leadId}/discard`, { reason: 'a test' });
    const now = await list({ ...own, changedSince });
    expect(ids(now)).toEqual([newer?.leadId, older?.leadId]);
    expect(now.leads[1]).toMatchObject({ state: 'discarded' });
    expect(await list({ ...own, changedSince, state: 'parked' })).toMatchObject({ count: 0 });
  });

  it.each(['state=lost', 'since=yesterday', 'changedSince=2h', 'since=2026-02-31', 'cursor=x', 'limit=many'])('rejects %s', async (query) =>
    expect((await gateway.get(`/api/leads?${query}`)).status).toBe(400),
  );
});

const send = async (protocol: string, fields = {}) => {
  const lead = newLead('', { protocol, ...fields });
  const { headers } = await gateway.post('/api/clinicsys/no-prescreen', lead);
  return { ...lead, leadId: String(headers.get('x-lead-id')) };
};

async function rowsOf(query: string, url = gateway.url) {
  const response = await fetch(`${url}/api/leads.csv?${query}`);
  const read: (readonly string[])[] = [];
  for await (const { cells } of csvRows(csvText(new Uint8Array(await response.arrayBuffer())))) read.push(cells);
  const [head = [], ...rows] = read;
  return { response, rows: rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [head[at] ?? '', cell]))) };
}

/** No report is read for a lead that goes well. */
const unused = { now: () => Promise.reject(new Error('a report was read')) };

/** The leads of a protocol as a file that this export writes. */
async function rowsOfExport(write: ExportLeads, protocol: string) {
  const app = express().get('/api/leads.csv', (_request, response, next) => {
    write(response, { protocol }).then(() => response.end(), next);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return (await rowsOf('', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)).rows;
  } finally {
    server.close();
  }
}

/** The same, from a list whose pages are this short. */
async function rowsInPages(protocol: string, limit: number) {
  const { client, keys } = gateway;
  const list = createLeadList(createSearch(client), keys, { sites: () => undefined });
  const write = createExport(client, { page: (filter) => list.page(filter, limit) }, unused);
  return rowsOfExport(write, protocol);
}

describe('leads as a CSV file', () => {
  it('has a row for each lead of the filter, over all pages of the list, newest first', async () => {
    const sent = await Promise.all(Array.from({ length: 5 }, () => send('EXPORT-1')));
    const { response, rows } = await rowsOf('protocol=EXPORT-1');
    expect(await rowsInPages('EXPORT-1', 2)).toEqual(rows);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="leads.csv"');
    expect(rows.map(({ leadId }) => leadId).toSorted()).toEqual(sent.map(({ leadId }) => leadId).toSorted());
    const times = rows.map(({ createdAt }) => String(createdAt));
    expect(times).toEqual(times.toSorted().toReversed());
    expect(rows[0]).toMatchObject({ state: 'delivered', flow: 'no-prescreen', site: 'erg-oct', studyId: '12', protocol: 'EXPORT-1' });
  });

  it('says why a lead waits, is parked or failed, and at which upstream', async () => {
    const own = { protocol: 'EXPORT-WHY' };
    for (const sentinel of ['comment-422', 'v1-refused', '']) await gateway.post('/api/clinicsys/no-prescreen', newLead(sentinel, own));
    const waiting = newLead('', { ...own, instanceName: 'erg-oct.key-500' });
    await gateway.post('/api/clinicsys/no-prescreen', waiting, { prefer: 'respond-async' });
    const why = await until(async () => {
      const { rows } = await rowsOf('protocol=EXPORT-WHY');
      return rows[0]?.state === 'waiting' ? rows : undefined;
    }, 'the last one waits');
    const { steps } = (await gateway.get(`/api/leads/${why[3]?.leadId}`)).body;
    expect(why).toMatchObject([
      { state: 'waiting', code: 'UPSTREAM_ERROR', upstream: 'key-service', reason: expect.stringContaining('500') },
      { state: 'delivered', code: '', upstream: '', reason: '' },
      { state: 'failed', code: 'UPSTREAM_REJECTED', upstream: 'V1', reason: expect.stringContaining('refused') },
      { state: 'parked', code: 'UPSTREAM_REJECTED', upstream: 'V2', reason: steps.at(-1).error.message },
    ]);
  });

  it('waits for a slow reader, and leaves no listener behind', async () => {
    const pages = 20;
    const leads = Array.from({ length: 20 }, (_, at) => ({ leadId: String(at), protocol: 'x'.repeat(10_000) }));
    const listeners: number[] = [];
    const rows = await rowsOfExport((response, ...asked) => {
      const page = async () => {
        listeners.push(response.listenerCount('close') + response.listenerCount('drain') + response.listenerCount('error'));
        return { leads, ...(listeners.length < pages && { nextCursor: 'more' }) };
      };
      return createExport(gateway.client, { page }, unused)(response, ...asked);
    }, '');
    expect(rows).toHaveLength(pages * leads.length);
    expect(listeners).toEqual(Array.from({ length: pages }, () => listeners[0]));
  });

  it('contains no personal data, or in clear with an entry on the audit trail', async () => {
    const { email, leadId } = await send('EXPORT-2', { lastName: 'Featherstone' });
    const { rows: masked } = await rowsOf('protocol=EXPORT-2');
    expect(masked).toEqual([expect.not.objectContaining({ email: expect.anything() })]);
    expect(JSON.stringify(masked)).not.toContain('Featherstone');
    const { rows: clear } = await rowsOf('protocol=EXPORT-2&clear=true');
    expect(clear).toEqual([
      expect.objectContaining({ leadId, email, firstName: 'Ann', lastName: 'Featherstone', phone: '(555) 201-3344' }),
    ]);
    const { body } = await gateway.get('/api/audit?action=export+in+clear');
    // The other tests export in clear, too.
    expect(body.entries.slice(0, 2)).toEqual([
      expect.objectContaining({ who: 'local', outcome: 'done', leads: 1 }),
      expect.objectContaining({ who: 'local', outcome: 'asked' }),
    ]);
  });

  it.each(['=1+1', '+1', '-1', '@x'])('makes the formula %s text', async (formula) => {
    const { email } = await send('EXPORT-3', { firstName: formula });
    const { rows } = await rowsOf(`email=${encodeURIComponent(email)}&clear=true`);
    expect(rows).toEqual([expect.objectContaining({ firstName: `'${formula}` })]);
  });

  it('has only a header if no lead matches, and is rejected for an unknown filter', async () => {
    expect((await rowsOf('protocol=nobody')).rows).toEqual([]);
    const { status, body } = await gateway.get('/api/leads.csv?stat=failed');
    expect([status, body.error.details[0].field]).toEqual([400, 'stat']);
  });
});

/** How many leads came in on each day, and how they stand. */
describe('by day', () => {
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
    it('are counted by their current state; a redriven lead counts once, by its newest attempt', async () => {
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

    it('can be limited to a flow', async () => {
      const before = (await today('flow=recruit'))!.leads;
      await gateway.post('/api/recruit/send-to-recruit', { ...patient, email: newLead().email });
      expect(await today('flow=recruit')).toMatchObject({ leads: before + 1 });
      expect(await today('flow=leadforms')).toMatchObject(none);
      expect((await gateway.get('/api/leads/history?flow=recruits')).status).toBe(400);
    });

    it('cover every day of the retention in UTC, oldest first, with zeros for days without leads', async () => {
      const days = await history();
      const count = 3;
      const names = Array.from({ length: count }, (_, at) => new Date(Date.now() - (count - 1 - at) * dayMs).toISOString().slice(0, 10));
      expect(days.map(({ day }) => day)).toEqual(names);
      expect(days[0]).toEqual({ day: names[0], ...none });
      expect((await history('days=1')).map(({ day }) => day)).toEqual(names.slice(-1));
      expect(await history('days=30')).toHaveLength(count);
    });

    it.each(['days=0', 'days=31', 'days=many', 'day=1'])('rejects %s', async (query) =>
      expect((await gateway.get(`/api/leads/history?${query}`)).status).toBe(400),
    );

    it('stay on their day when it is past, and are counted again after an erasure', async () => {
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

  describe('a lead that was redriven on another day', () => {
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
      expect(withRedrives(days, [attempt(3, state, '2026-11-20T23:59:59.999Z'), attempt(2, 'failed', '2026-11-20T23:59:59.999Z')])).toEqual(
        [{ ...days[0], ...changed }, days[1]],
      ),
    );

    it('does not count if it was received before the first day', () =>
      expect(withRedrives(days, [attempt(2, 'delivered', '2026-11-19T23:59:59.999Z')])).toEqual(days));
  });
});
