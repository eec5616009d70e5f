/** Erasing a person whose leads were accepted a moment ago: 200 is answered only when none of them can be sent any more. */
import { atOnce, eraseUntilDone, isRunning, leadIdOf, listed, noPrescreen, rounds, sentOf, underLoad } from '../support/background';
import { newLead, type Answered } from '../support/gateway';
import { until } from '../support/until';

const gateway = underLoad();

const reason = 'The input is mended';
const namedIn = (answers: readonly Answered[]): string[] => answers.flatMap(({ body }) => body.leadIds ?? []);

/** The person's trace after an erasure that was answered 200. */
async function expectGone(leadId: string, ...emails: string[]) {
  expect((await gateway().get(`/api/leads/${leadId}`)).status).toBe(404);
  for (const email of emails) expect(await listed(gateway(), { email })).toEqual([]);
}

/** A lead that comes after the erasure: another one, which is delivered. All that was sent of the person is of it alone. */
async function expectNewLead(lead: ReturnType<typeof newLead>, before: string, headers?: Record<string, string>) {
  const answer = await gateway().post(noPrescreen, { ...lead, lastName: 'Later' }, headers);
  expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null]);
  expect(leadIdOf(answer)).not.toBe(before);
  expect((await gateway().get(`/api/leads/${leadIdOf(answer)}`)).body.state).toBe('delivered');
  const sent = await sentOf(gateway(), lead.email);
  expect(sent.map(({ body }) => new URLSearchParams(body).get('LastName'))).toEqual(['Later']);
}

async function expectReceipt(answers: readonly Answered[], leadId: string) {
  expect(namedIn(answers)).toContain(leadId);
  const receiptId = answers.at(-1)?.body.receiptId;
  const ofAll = (await gateway().get('/api/audit?action=erase')).body.entries;
  expect(ofAll).toContainEqual(expect.objectContaining({ receiptId, outcome: 'done' }));
  const ofLead = (await gateway().get(`/api/audit?leadId=${leadId}`)).body.entries;
  expect(ofLead).toContainEqual(expect.objectContaining({ action: 'erase', outcome: 'done' }));
}

it.concurrent('a lead that was accepted before and not sent yet is never sent, and a later one of the person is new', () =>
  rounds(6, async (round) => {
    const lead = round % 2 ? newLead('lookup-slow-2500') : newLead('', { instanceName: 'erg-oct.key-slow-2500' });
    const headers: Record<string, string> = round % 3 ? {} : { 'idempotency-key': `erase-${lead.email}` };
    const accepted = await gateway().post(noPrescreen, lead, { ...atOnce, ...headers });
    expect(accepted.status).toBe(202);

    const answers = await eraseUntilDone(gateway(), { email: lead.email });
    expect(await isRunning(gateway(), accepted.headers.get('x-workflow-id') ?? '')).toBe(false);
    await expectGone(accepted.body.leadId, lead.email);
    await expectReceipt(answers, accepted.body.leadId);
    await expectNewLead(lead, accepted.body.leadId, headers);
  }),
);

it.concurrent('a lead that was driven again with another e-mail is erased by either of the two', () =>
  rounds(2, async (round) => {
    const before = newLead('', { instanceName: 'erg-oct.key-404' });
    const after = newLead('lookup-slow-2500');
    const { leadId } = (await gateway().post(noPrescreen, before)).body;
    const fields = { email: after.email, instanceName: 'erg-oct' };
    expect((await gateway().post(`/api/leads/${leadId}/redrive`, { reason, fields })).status).toBe(200);

    const answers = await eraseUntilDone(gateway(), { email: round % 2 ? before.email : after.email });
    await expectGone(leadId, before.email, after.email);
    await expectReceipt(answers, leadId);
    await expectNewLead(after, leadId);
  }),
);

it.concurrent('a parked lead is gone, and cannot be sent again', () =>
  rounds(2, async () => {
    const lead = newLead('comment-500-once+readback-405');
    const { leadId, state } = (await gateway().post(noPrescreen, lead)).body;
    expect(state).toBe('parked');
    const answers = await eraseUntilDone(gateway(), { email: lead.email });
    await expectGone(leadId, lead.email);
    expect((await gateway().post(`/api/leads/${leadId}/resend`, { reason })).status).toBe(404);
    await expectReceipt(answers, leadId);
  }),
);

it.concurrent('two erasures of one person at the same time both end, and nothing of the person is left', () =>
  rounds(2, async () => {
    const lead = newLead('lookup-slow-2500');
    const { leadId } = (await gateway().post(noPrescreen, lead, atOnce)).body;
    const both = await Promise.all([1, 2].map(() => eraseUntilDone(gateway(), { email: lead.email })));
    await expectGone(leadId, lead.email);
    expect(namedIn(both.flat())).toContain(leadId);
    await expectNewLead(lead, leadId);
  }),
);

it.concurrent('is not done while a request of the person is on the wire', async () => {
  const lead = newLead('v1-hold');
  const { leadId } = (await gateway().post(noPrescreen, lead, atOnce)).body;
  await until(async () => (await sentOf(gateway(), lead.email)).length > 0, 'the request is on the wire');
  const release = () => fetch(`${gateway().sandboxUrl}/__release`, { method: 'POST' });

  const first = gateway().post('/api/erase', { reason, email: lead.email });
  // An API that answers only at the end would wait for a release that never comes.
  const late = setTimeout(() => void release(), 10_000);
  const { status } = await first;
  clearTimeout(late);
  const [request] = await sentOf(gateway(), lead.email);
  const isOnTheWire = request?.answered === null;
  expect([isOnTheWire, status]).not.toEqual([true, 200]);

  await release();
  await eraseUntilDone(gateway(), { email: lead.email });
  await expectGone(leadId, lead.email);
  expect(await sentOf(gateway(), lead.email)).toHaveLength(1);
});
