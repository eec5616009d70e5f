/** Makes the run of a waiting lead continue as new. */
import { inGroups } from '../../src/lib/in-groups';
import { attemptsOf, newestRun } from '../../src/leads/attempts';
import { isFirstOfChain } from '../../src/leads/runs';
import { newLead, type Gateway } from './gateway';
import { until } from './until';

/** Each signal adds an event to the history; this many make it continue as new. */
const signals = Array.from({ length: 1_001 }, (_, at) => at);
const atOnce = 20;

export async function continueAsNew(gateway: Gateway, leadId: string): Promise<void> {
  const { workflowId } = await newestRun(gateway.client, leadId);
  const run = gateway.client.workflow.getHandle(workflowId);
  await inGroups(signals, atOnce, () => run.signal('unheard'));
  await until(async () => {
    await gateway.post(`/api/leads/${leadId}/try`, { reason: 'a test' });
    return !(await attemptsOf(gateway.client, leadId)).every(isFirstOfChain);
  }, 'it has continued as new');
}

/** Creates a lead whose first attempt continued as new before its redrive, so that its last run does not have the run id in its lead id. */
export async function redrivenAfterContinuing(
  gateway: Gateway,
  own: Record<string, string> = {},
): Promise<{ readonly leadId: string; readonly email: string }> {
  const lead = newLead('', { instanceName: 'erg-oct.key-500' });
  const { headers } = await gateway.post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async', ...own });
  const leadId = headers.get('x-lead-id') ?? '';
  await continueAsNew(gateway, leadId);
  await until(
    async () =>
      (await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'a test', fields: { instanceName: 'erg-oct' } })).status === 200,
    'it is sent again',
  );
  await until(async () => (await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state === 'delivered', 'it is delivered');
  return { leadId, email: lead.email };
}
