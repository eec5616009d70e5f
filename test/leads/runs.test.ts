/** Which runs a lead has is asked of the runs: against a real engine. */
import { randomUUID } from 'node:crypto';
import { memoOf } from '../../src/domain/memo';
import { attemptIdOf, unconfirmedIdOf, workflowIdOf } from '../../src/domain/ids';
import { attemptsOf, leadIdOfRun, newestRun, standingOf } from '../../src/leads/runs';
import { describe } from '../../src/temporal/ask';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const noPrescreen = '/api/clinicsys/no-prescreen';
const send = async (lead: object, headers = {}) => (await gateway.post(noPrescreen, lead, headers)).headers.get('x-lead-id') ?? '';
const forget = async (workflowId: string, runId: string) => {
  const { client } = gateway;
  await client.workflowService.deleteWorkflowExecution({ namespace: client.options.namespace, workflowExecution: { workflowId, runId } });
  await until(async () => (await describe(client, workflowId, runId)) === undefined, 'the engine has forgotten it');
};

it('several leads under one id are each found by their own', async () => {
  const lead = newLead();
  const leadIds = [await send(lead), await send(lead), await send(lead)];
  expect(new Set(leadIds.map(workflowIdOf)).size).toBe(1);
  for (const leadId of leadIds) expect(leadIdOfRun(await newestRun(gateway.client, leadId))).toBe(leadId);
});

it('a lead whose first attempt the engine has forgotten is still found, in its newest', async () => {
  const leadId = await send(newLead('v1-refused'));
  await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'again', fields: { email: newLead().email } });
  const [first, second] = await attemptsOf(gateway.client, leadId);
  expect(second?.workflowId).toBe(attemptIdOf(leadId, 2));
  await forget(first.workflowId, first.runId);
  expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({
    leadId,
    state: 'delivered',
    attempts: [{ attempt: 2 }],
  });
});

it('a lead whose run was reset by hand is the same lead', async () => {
  const leadId = await send(newLead('comment-422'));
  const { workflowId, runId } = await newestRun(gateway.client, leadId);
  const { client } = gateway;
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: '4' as unknown as Long,
    requestId: randomUUID(),
    reason: 'a test',
  });
  const after = await newestRun(client, leadId);
  expect([after.runId === runId, leadIdOfRun(after)]).toEqual([false, leadId]);
  expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({ leadId, state: 'parked' });
});

it('a lead whose start was not confirmed is found by what was drawn for it, also when another one came after it', async () => {
  const lead = newLead();
  const leadId = await send(lead);
  const run = await newestRun(gateway.client, leadId);
  const unconfirmed = unconfirmedIdOf(run.workflowId, memoOf(run)?.nonce ?? '');
  expect((await gateway.get(`/api/leads/${unconfirmed}`)).body).toMatchObject({ leadId, state: 'delivered' });
  await send(lead);
  expect((await gateway.get(`/api/leads/${unconfirmed}`)).body).toMatchObject({ leadId, state: 'delivered' });
});

it.each(['x', `b${'0'.repeat(20)}-${'0'.repeat(25)}`, `b${'0'.repeat(20)}-${'0'.repeat(10)}`])('there is no lead %s', async (leadId) =>
  expect((await gateway.get(`/api/leads/${leadId}`)).status).toBe(404),
);

it('a run that has told nothing yet stands at the moment of its start', async () => {
  const leadId = await send(newLead('', { instanceName: 'erg-oct.key-hold' }), { prefer: 'respond-async' });
  const run = await newestRun(gateway.client, leadId);
  const { LeadUpdatedAt: _, ...searchAttributes } = run.searchAttributes;
  expect(standingOf({ ...run, searchAttributes }).updatedAt).toBe(run.startTime.toISOString());
  await gateway.release();
});
