import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

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
  it('is newest first, whatever became of them, without steps and results', async () => {
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

  it('comes in pages that neither miss nor repeat one', async () => {
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

  it('tells the error code and the upstream of a lead that stands still or failed', async () => {
    const { leads } = await list({ code: 'UPSTREAM_REJECTED' });
    expect(leads).toMatchObject([
      { state: 'failed', code: 'UPSTREAM_REJECTED', upstream: 'V1' },
      { state: 'parked', code: 'UPSTREAM_REJECTED', upstream: 'V2' },
    ]);
    const { steps } = (await gateway.get(`/api/leads/${sent[4]?.leadId}`)).body;
    expect(steps.at(-1).error).toMatchObject({ code: 'UPSTREAM_REJECTED', upstream: 'V2' });
  });

  it('finds a lead that was skipped by the patient who was there', async () => {
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

  it('is filtered by the time of the last change, whenever the lead came in', async () => {
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

  it.each(['state=lost', 'since=yesterday', 'changedSince=2h', 'since=2026-02-31', 'cursor=x', 'limit=many'])('refuses %s', async (query) =>
    expect((await gateway.get(`/api/leads?${query}`)).status).toBe(400),
  );
});
