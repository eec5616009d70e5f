import { temporal } from '@temporalio/proto';
import { createHash } from 'node:crypto';
import { readHistory } from '../../src/leads/history';
import { logged, newLead, startGateway, type Gateway } from '../support/gateway';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const canaries = {
  firstName: 'Canaria',
  lastName: 'Zeisig',
  phone: '5559871234',
  zipCode: 'ZK-90210-Q',
  condition: 'Kanarienfieber',
  race: 'Finkenart',
};

/** All that the engine keeps of a run and shows without a key: its history, its description, its entry in the list. */
async function engineView(workflowId: string): Promise<string> {
  const { namespace, connection } = gateway.engine;
  const execution = { workflowId };
  const history = await connection.workflowService.getWorkflowExecutionHistory({ namespace, execution });
  const described = await connection.workflowService.describeWorkflowExecution({ namespace, execution });
  const History = temporal.api.workflowservice.v1.GetWorkflowExecutionHistoryResponse;
  const Description = temporal.api.workflowservice.v1.DescribeWorkflowExecutionResponse;
  return Buffer.concat([History.encode(history).finish(), Description.encode(described).finish()]).toString('latin1');
}

describe.each([
  ['a delivered lead', '', 200],
  ['a refused one', 'v1-refused', 422],
  ['a parked one', 'comment-422', 422],
])('%s', (_name, sentinel, status) => {
  it('leaves nothing readable in the engine, the log or the ids', async () => {
    const lead = newLead(sentinel, canaries);
    const answer = await gateway.post('/api/clinicsys/no-prescreen', lead);
    expect(answer.status).toBe(status);
    const key = answer.body.key ?? 'sandbox-key';
    const seen = [await engineView(answer.headers.get('x-workflow-id') ?? ''), logged.join(''), answer.headers.get('x-lead-id')].join('\n');
    for (const secret of [...Object.values(canaries), lead.email, '555-987-1234', key]) expect(seen).not.toContain(secret);
    for (const plainHash of [
      createHash('sha256').update(lead.email).digest('hex'),
      createHash('sha256').update(lead.email).digest('base64'),
    ])
      expect(seen).not.toContain(plainHash);
  });
});

it.each([
  ['the e-mail', (lead: ReturnType<typeof newLead>) => lead.email],
  ['the phone', () => 'call (555) 987-1234'],
  ['the name', () => 'Zeisig, Canaria'],
])('a field that was filled in wrongly, with %s, is nothing to find a lead by', async (_, wrong) => {
  const lead = newLead('', canaries);
  const answer = await gateway.post('/api/clinicsys/no-prescreen', { ...lead, protocol: wrong(lead) });
  const { searchAttributes } = await gateway.client.workflow.getHandle(answer.headers.get('x-workflow-id') ?? '').describe();
  expect(searchAttributes).toMatchObject({ LeadSite: ['erg-oct'], LeadStudy: ['12'] });
  expect(searchAttributes).not.toHaveProperty('LeadProtocol');
});

it('a run reads well: named steps, searchable by business terms', async () => {
  const answer = await gateway.post('/api/clinicsys/no-prescreen', newLead());
  const { searchAttributes, runId } = await gateway.client.workflow.getHandle(answer.headers.get('x-workflow-id') ?? '').describe();
  expect(searchAttributes).toMatchObject({
    LeadFlow: ['no-prescreen'],
    LeadState: ['delivered'],
    LeadSite: ['erg-oct'],
    LeadProtocol: ['AD-301'],
    LeadStudy: ['12'],
  });
  for (const name of ['LeadEmails', 'LeadPhones', 'LeadPatientHash']) expect(searchAttributes[name]?.[0]).toMatch(/^[0-9a-z]{26}$/);
  const { happened } = await readHistory(gateway.client, { workflowId: answer.headers.get('x-workflow-id') ?? '', runId });
  expect(happened.map(({ call }) => call)).toEqual(['takeLock', 'getApiKey', 'checkEmail', 'formatData', 'sendToRt', 'sendComments']);
});
