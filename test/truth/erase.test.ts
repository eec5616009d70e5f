/** Tests the erasure of a person with recent leads: it answers 200 only if none of them can be sent any more. */
import { atOnce, eraseUntilDone, isRunning, leadIdOf, listed, noPrescreen, sentOf, underLoad } from '../support/background';
import { newLead, type GatewayAnswer } from '../support/gateway';
import { until } from '../support/until';

/** An erasure waits for the longest request to an upstream. */
const deadlines = Object.fromEntries(
  ['RECRUIT', 'LEADFORMS', 'SCREENING', 'KEY_SERVICE', 'CLINICSYS', 'TASKBOARD'].map((name) => [`${name}_TIMEOUT_MS`, '10000']),
);
const gateway = underLoad(deadlines);

const reason = 'The input is mended';
const release = () => gateway().release();

/** Checks that nothing of the person is left after an erasure that was answered 200. */
async function expectGone(leadId: string, ...emails: string[]) {
  expect((await gateway().get(`/api/leads/${leadId}`)).status).toBe(404);
  for (const email of emails) expect(await listed(gateway(), { email })).toEqual([]);
}

/** Sends a lead after the erasure. It is new and delivered, and is the only one that was sent of the person. */
async function expectNewLead(lead: ReturnType<typeof newLead>, before: string, headers?: Record<string, string>) {
  const answer = await gateway().post(noPrescreen, { ...lead, instanceName: 'erg-oct', lastName: 'Later' }, headers);
  expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null]);
  expect(leadIdOf(answer)).not.toBe(before);
  expect((await gateway().get(`/api/leads/${leadIdOf(answer)}`)).body.state).toBe('delivered');
  const sent = await sentOf(gateway(), lead.email);
  expect(sent.map(({ body }) => new URLSearchParams(body).get('LastName'))).toEqual(['Later']);
}

/** Checks that the audit trail has the receipt of the request and of the erasure, and no lead id. */
async function expectReceipt(answers: readonly GatewayAnswer[], leadId: string) {
  const receiptId = answers.at(-1)?.body.receiptId;
  const ofAll = (await gateway().get('/api/audit?action=erase')).body.entries;
  expect(ofAll).toContainEqual(expect.objectContaining({ receiptId, outcome: 'done' }));
  expect(ofAll).toContainEqual(expect.objectContaining({ receiptId, outcome: 'erased' }));
  expect(JSON.stringify(ofAll)).not.toContain(leadId);
}

it('an accepted, unsent lead is never sent after its erasure, and a later lead of the person is accepted as new', async () => {
  const [slowKey, slowLookUp] = ['erg-oct.key-hold', 'erg-oct.lookup-hold'].map((instanceName) => ({ instanceName }));
  const leads = [newLead('', slowKey), newLead('', slowLookUp), newLead('', slowLookUp)];
  const keyed = leads.at(-1);
  const headersOf = (lead: object): Record<string, string> => (lead === keyed ? { 'idempotency-key': `erase-${keyed.email}` } : {});
  const scenes = await Promise.all(
    leads.map(async (lead) => {
      const { status, headers, body } = await gateway().post(noPrescreen, lead, { ...atOnce, ...headersOf(lead) });
      expect(status).toBe(202);
      return { lead, leadId: String(body.leadId), workflowId: headers.get('x-workflow-id') ?? '' };
    }),
  );
  const erasures = Promise.all(scenes.map(({ lead }) => eraseUntilDone(gateway(), { email: lead.email })));
  const areRunning = () => Promise.all(scenes.map(({ workflowId }) => isRunning(gateway(), workflowId)));
  await until(async () => !(await areRunning()).includes(true), 'their runs are ended');
  // What they waited for comes too late.
  await release();
  const answers = await erasures;
  for (const [at, { lead, leadId }] of scenes.entries()) {
    await expectGone(leadId, lead.email);
    await expectReceipt(answers[at] ?? [], leadId);
    await expectNewLead(lead, leadId, headersOf(lead));
  }
});

it.concurrent.each(['before', 'after'])('a lead redriven with a new e-mail is erased by its e-mail from %s the redrive', async (which) => {
  const before = newLead('', { instanceName: 'erg-oct.key-404' });
  const after = newLead();
  const { leadId } = (await gateway().post(noPrescreen, before)).body;
  const fields = { email: after.email, instanceName: 'erg-oct.lookup-hang' };
  expect((await gateway().post(`/api/leads/${leadId}/redrive`, { reason, fields })).status).toBe(200);

  const answers = await eraseUntilDone(gateway(), { email: which === 'before' ? before.email : after.email });
  await expectGone(leadId, before.email, after.email);
  await expectReceipt(answers, leadId);
  await expectNewLead(after, leadId);
});

it.concurrent('an erased parked lead cannot be resent', async () => {
  const lead = newLead('comment-422');
  const { leadId, state } = (await gateway().post(noPrescreen, lead)).body;
  expect(state).toBe('parked');
  const answers = await eraseUntilDone(gateway(), { email: lead.email });
  await expectGone(leadId, lead.email);
  expect((await gateway().post(`/api/leads/${leadId}/resend`, { reason })).status).toBe(404);
  await expectReceipt(answers, leadId);
});

it.concurrent('two concurrent erasures of one person both complete, and nothing of the person is left', async () => {
  const lead = newLead('', { instanceName: 'erg-oct.lookup-hang' });
  const { leadId } = (await gateway().post(noPrescreen, lead, atOnce)).body;
  const [answers = []] = await Promise.all([1, 2].map(() => eraseUntilDone(gateway(), { email: lead.email })));
  await expectGone(leadId, lead.email);
  await expectReceipt(answers, leadId);
  await expectNewLead(lead, leadId);
});

it('an erasure is not complete while a request of the person is in flight', async () => {
  const lead = newLead('v1-hold');
  const { leadId } = (await gateway().post(noPrescreen, lead, atOnce)).body;
  await until(async () => (await sentOf(gateway(), lead.email)).length > 0, 'the request is on the wire');

  const first = gateway().post('/api/erase', { reason, email: lead.email });
  // An API that answers only at the end would wait for a release that never comes.
  const late = setTimeout(() => void release(), 6_000);
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
