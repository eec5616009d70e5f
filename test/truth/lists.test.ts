/** A list and the counts tell what was answered before they were asked, whatever they are asked by. */
import { atOnce, eraseUntilDone, leadIdOf, listed, noPrescreen, patientOf, underLoad } from '../support/background';
import { newLead } from '../support/gateway';
import { until } from '../support/until';

/** A lead whose key is held back is running for that long. */
const gateway = underLoad({ KEY_SERVICE_TIMEOUT_MS: '120000' });

const reason = 'The input is mended';
let people = 0;

/** A lead that nothing else in this file has a term in common with, and what it is found by. */
function makeLead(sentinels = '', instance = '') {
  const tag = `${process.pid}-${++people}`;
  const digits = String(2_000_000_000 + Math.floor(Math.random() * 7_999_999_999)).slice(0, 10);
  const lead = newLead(sentinels, {
    phone: digits,
    protocol: `AD-${tag}`,
    StudyID: 10_000 + people,
    instanceName: ['erg-oct', tag, instance].filter(Boolean).join('.'),
  });
  const since = new Date().toISOString();
  const terms: Record<string, string>[] = [
    { email: lead.email.toUpperCase() },
    { phone: `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)} ${digits.slice(6)}` },
    { protocol: `AD-${tag}` },
    { studyId: String(10_000 + people) },
    { instanceName: String(lead.instanceName) },
    { site: String(lead.instanceName) },
    { since, protocol: `AD-${tag}` },
  ];
  return { lead, terms };
}

interface Shown {
  readonly leadId: string;
  readonly state: string;
}

/** Asked by each of its terms at once, and counted by each: it is there in this state, and in no other. */
async function expectListed(leadId: string, state: string, terms: readonly Record<string, string>[]) {
  const ask = async (path: string, filter: Record<string, string>) => {
    const { status, body } = await gateway().get(`${path}?${new URLSearchParams(filter).toString()}`);
    expect(status).toBe(200);
    return body;
  };
  const flow = { flow: 'no-prescreen', limit: '200' };
  const all = [...terms, ...terms.map((term) => ({ ...term, state })), { state, limit: '200' }, flow, { state, ...flow }];
  const [found, counts] = await Promise.all([
    Promise.all(
      all.map(async (filter) => {
        const { leads } = (await ask('/api/leads', filter)) as { leads: Shown[] };
        return { filter, state: leads.find((one) => one.leadId === leadId)?.state };
      }),
    ),
    Promise.all(
      terms.map(async (filter) => {
        const { counts } = (await ask('/api/leads/counts', filter)) as { counts: Record<string, number> };
        return { filter, counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) };
      }),
    ),
  ]);
  expect(found).toEqual(all.map((filter) => ({ filter, state })));
  expect(counts).toEqual(terms.map((filter) => ({ filter, counts: { [state]: 1 } })));
}

const protocolOf = (terms: readonly Record<string, string>[]) => terms.find((term) => 'protocol' in term) ?? {};

/** The trouble that the lead has. */
const troubled = (terms: readonly Record<string, string>[], code: string, upstream: string) => [
  { ...protocolOf(terms), code },
  { ...protocolOf(terms), code, upstream },
];

/** In no list of a state that it has left. */
async function expectNotListed(leadId: string, states: readonly string[], terms: readonly Record<string, string>[]) {
  const filters = terms.flatMap((term) => states.map((state) => ({ ...term, state })));
  const found = await Promise.all(filters.map(async (filter) => ({ filter, ids: await listed(gateway(), filter) })));
  expect(found.filter(({ ids }) => ids.includes(leadId))).toEqual([]);
}

/** Lets this lead go on, until it is delivered. */
async function release(leadId: string) {
  const isDelivered = async () => {
    await gateway().release();
    return (await gateway().get(`/api/leads/${leadId}`)).body.state === 'delivered';
  };
  await until(isDelivered, 'it is delivered');
}

describe('the very next list and counts have a lead that was answered as', () => {
  it('accepted', async () => {
    const { lead, terms } = makeLead('', 'key-hold');
    const { status, body } = await gateway().post(noPrescreen, lead, atOnce);
    expect([status, body.state]).toEqual([202, 'running']);
    await expectListed(body.leadId, 'running', terms);
    await release(body.leadId);
  });

  it('driven again, and then as what became of it', async () => {
    const { lead, terms } = makeLead('', 'key-404');
    const { leadId } = (await gateway().post(noPrescreen, lead)).body;
    const instanceName = String(lead.instanceName).replace('key-404', 'key-hold');
    const [, , , , , , since] = terms;
    const now = [...terms.filter((term) => !('site' in term || 'instanceName' in term || term === since)), { instanceName }];
    const sent = await gateway().post(`/api/leads/${leadId}/redrive`, { reason, fields: { instanceName } });
    expect(sent.status).toBe(200);
    await expectListed(leadId, 'running', now);
    await expectNotListed(leadId, ['failed'], now);
    expect(await listed(gateway(), { ...protocolOf(terms), code: 'UPSTREAM_REJECTED' })).toEqual([]);
    await release(leadId);
    await expectListed(leadId, 'delivered', now);
  });

  it('delivered', async () => {
    const { lead, terms } = makeLead();
    const answer = await gateway().post(noPrescreen, lead);
    expect(answer.status).toBe(200);
    const patientId = String(answer.body.rtResponse.PatientID);
    await expectListed(leadIdOf(answer), 'delivered', [...terms, { patientId }]);
    await expectNotListed(leadIdOf(answer), ['running', 'waiting'], terms);
  });

  it('failed', async () => {
    const { lead, terms } = makeLead('v1-refused');
    const { status, body } = await gateway().post(noPrescreen, lead);
    expect([status, body.state]).toEqual([422, 'failed']);
    await expectListed(body.leadId, 'failed', [...terms, ...troubled(terms, 'UPSTREAM_REJECTED', 'V1')]);
  });

  it('waiting, by its latest error', async () => {
    const { lead, terms } = makeLead('', 'key-429');
    const { leadId } = (await gateway().post(noPrescreen, lead, atOnce)).body;
    const shown = async () => (await gateway().get(`/api/leads/${leadId}`)).body;
    await until(async () => (await shown()).state === 'waiting', 'it waits');
    await expectListed(leadId, 'waiting', [...terms, ...troubled(terms, 'RATE_LIMITED', 'key-service')]);
  });

  it('parked', async () => {
    const { lead, terms } = makeLead('comment-422');
    const { body } = await gateway().post(noPrescreen, lead);
    expect(body.state).toBe('parked');
    await expectListed(body.leadId, 'parked', [...terms, ...troubled(terms, 'UPSTREAM_REJECTED', 'V2')]);
    await expectNotListed(body.leadId, ['running'], terms);
  });

  it.each([
    ['discard', 'discarded'],
    ['confirm', 'delivered'],
    ['resend', 'delivered'],
  ])('decided by a person: %s', async (verb, state) => {
    const { lead, terms } = makeLead('comment-422-once');
    const { leadId } = (await gateway().post(noPrescreen, lead)).body;
    const fields = verb === 'confirm' ? { upstreamId: await patientOf(gateway(), leadId) } : {};
    expect((await gateway().post(`/api/leads/${leadId}/${verb}`, { reason, ...fields })).status).toBe(200);
    await expectNotListed(leadId, ['parked'], terms);
    expect(await listed(gateway(), { ...protocolOf(terms), upstream: 'V2' })).toEqual([]);
    expect((await gateway().get(`/api/leads/${leadId}?wait=60`)).body.state).toBe(state);
    await expectListed(leadId, state, terms);
  });
});

it('the very next list and counts are without a lead that was erased', async () => {
  const { lead, terms } = makeLead();
  const leadId = leadIdOf(await gateway().post(noPrescreen, lead));
  await eraseUntilDone(gateway(), { email: lead.email });
  const found = await Promise.all([...terms, { state: 'delivered' }, { flow: 'no-prescreen' }].map((filter) => listed(gateway(), filter)));
  expect(found.flat()).not.toContain(leadId);
  const counts = await Promise.all(
    terms.map(async (filter) => (await gateway().get(`/api/leads/counts?${new URLSearchParams(filter).toString()}`)).body.counts),
  );
  expect(counts.map((each: Record<string, number>) => Object.values(each).filter(Boolean))).toEqual(terms.map(() => []));
});
