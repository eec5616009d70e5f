/** An open lead tells what it waits for and when it is tried next, by the API and in the current details of the Temporal UI. */
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

interface Asked {
  readonly leadId: string;
  readonly workflowId: string;
  readonly email: string;
}

async function post(lead: ReturnType<typeof newLead>): Promise<Asked> {
  const { headers } = await gateway.post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async' });
  return { leadId: headers.get('x-lead-id') ?? '', workflowId: headers.get('x-workflow-id') ?? '', email: lead.email };
}

/** The engine's own query, by which the Temporal UI shows the current details. */
const metadata = '__temporal_workflow_metadata';

async function details(workflowId: string): Promise<string> {
  const { currentDetails } = await gateway.client.workflow.getHandle(workflowId).query<{ readonly currentDetails?: string }>(metadata);
  return currentDetails ?? '';
}

/** The lead's answer and its current details, once both tell of this wait. */
const waiting = ({ leadId, workflowId }: Asked, what: string) =>
  until(async () => {
    const [{ body }, shown] = await Promise.all([gateway.get(`/api/leads/${leadId}`), details(workflowId)]);
    return body.waitsFor?.what === what && shown.includes(body.waitsFor.words) ? { body, shown } : undefined;
  }, `it waits for its ${what}`);

it.each([
  ['retry', newLead('', { instanceName: 'erg-oct.key-500' }), 'waiting'],
  ['look-up', newLead('v1-500'), 'verifying'],
])('%s: it tells the moment of its next try', async (what, lead, state) => {
  const asked = await post(lead);
  const { shown } = await waiting(asked, what);
  // Of a read that the engine tries again, only the engine knows the moment.
  const body = await until(async () => {
    const read = (await gateway.get(`/api/leads/${asked.leadId}`)).body;
    return read.waitsFor?.nextTryAt ? read : undefined;
  }, 'it tells the moment');
  expect(body.state).toBe(state);
  expect(Date.parse(body.waitsFor.nextTryAt)).toBeGreaterThan(Date.parse(body.createdAt));
  expect(shown).toMatch(new RegExp(`^\\*\\*${state}\\*\\* at [\\w-]+: Waits for its next `));
  expect(shown).not.toContain(asked.email);
});

it('hold: it tells which upstream is held, and when the next lead of the line goes', async () => {
  const asked = await post(newLead('', { instanceName: 'erg-oct.key-429' }));
  const { body } = await waiting(asked, 'hold');
  expect(body.waitsFor).toMatchObject({ upstream: 'key-service', instance: 'ERG/erg-oct.key-429' });
  await until(async () => (await gateway.get(`/api/leads/${asked.leadId}`)).body.waitsFor?.nextTryAt, 'the moment');
  const hold = `hold:${gateway.config.TASK_QUEUE}:key-service:ERG/erg-oct.key-429`;
  expect(await details(hold)).toMatch(/^key-service ERG\/erg-oct\.key-429 is (held|probing); leads in the line: [01]/);
});

it('decision and person lock: the second lead of a person waits for the first, which waits for a person', async () => {
  const first = newLead('comment-422');
  const parked = await post(first);
  const { body, shown } = await waiting(parked, 'decision');
  expect(body).toMatchObject({ state: 'parked', waitsFor: { words: "Waits for a person's decision" } });
  expect(shown).toBe("**parked** at send-comments: Waits for a person's decision");
  const second = await post({ ...first, protocol: 'another' });
  const parkedWords = 'aits for another lead of the same person, which is parked: a person must decide about that one first';
  const { body: behind } = await waiting(second, 'person-lock');
  expect(behind).toMatchObject({ state: 'waiting', waitsFor: { words: `W${parkedWords}` } });
  // Nothing sends it by itself.
  const repeat = await gateway.post('/api/clinicsys/no-prescreen', { ...first, protocol: 'another' }, { prefer: 'wait=1' });
  expect([repeat.status, repeat.body.message]).toEqual([202, `The lead is not sent yet: it w${parkedWords}`]);
  await gateway.post(`/api/leads/${parked.leadId}/discard`, { reason: 'a test' });
});

it('a lead that has ended waits for nothing', async () => {
  const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead());
  expect((await gateway.get(`/api/leads/${body.leadId}`)).body).not.toHaveProperty('waitsFor');
});

it('the engine carries the current details encrypted', async () => {
  const { workflowId } = await post(newLead('comment-422'));
  const { client } = gateway;
  const { queryResult } = await client.workflowService.queryWorkflow({
    namespace: client.options.namespace,
    execution: { workflowId },
    query: { queryType: metadata },
  });
  const [payload] = queryResult?.payloads ?? [];
  expect(Buffer.from(payload?.metadata?.encoding ?? []).toString()).toBe('binary/encrypted');
});
