/** A lead that waits for long, and is tried again and again, continues in a new run before its history grows long, as the same lead. */
import { chainOf, newestRun } from '../../src/leads/runs';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

/** Far below the engine's limit of 51,200. */
const eventsMost = 2_000;
/** Enough for two runs to grow long. */
const tries = 260;

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway.stop());

async function waitingLead(sentinels: string, fields: Record<string, unknown>) {
  const lead = newLead(sentinels, fields);
  const { body } = await gateway.post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async', 'idempotency-key': lead.email });
  await until(async () => (await stateOf(body.leadId)) === 'waiting', 'the lead waits');
  return { lead, leadId: String(body.leadId) };
}

const stateOf = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body.state;

/** A try may find the lead at work: then nothing is done. */
const tryNow = (leadId: string) => gateway.post(`/api/leads/${leadId}/try`, { reason: 'a loop' });

async function runsOf(leadId: string) {
  const chain = await chainOf(gateway.client, await newestRun(gateway.client, leadId));
  return Promise.all(
    chain.map(async ({ workflowId, runId }) => (await gateway.client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? []),
  );
}

it.each([
  // Each has an instance of its own, so that its failures hold no lead of the other.
  ['a read that the engine tries again', `lookup-503-x${tries * 4}`, 'erg-oct.read', 'check-email'],
  ['a send before its held upstream', `v1-429-x${tries * 4}`, 'erg-oct.send', 'send-to-rt'],
])(
  '%s',
  async (_what, sentinel, instanceName, step) => {
    const { lead, leadId } = await waitingLead(sentinel, { instanceName });
    const before = await gateway.get(`/api/leads/${leadId}`);
    let runs = await runsOf(leadId);
    for (let done = 0; done < 4 * tries && runs.length < 3; done++) {
      await tryNow(leadId);
      if (done % 20 === 19) runs = await runsOf(leadId);
    }
    expect(runs.length).toBeGreaterThan(2);
    expect(Math.max(...runs.map((events) => events.length))).toBeLessThan(eventsMost);

    const { body } = await gateway.get(`/api/leads/${leadId}`);
    expect(body).toMatchObject({ leadId, step, createdAt: before.body.createdAt });
    const repeat = await gateway.post('/api/clinicsys/no-prescreen', lead, { 'idempotency-key': lead.email, prefer: 'wait=0' });
    expect([repeat.status, repeat.body.leadId, repeat.headers.get('idempotency-replayed')]).toEqual([202, leadId, 'true']);
    const listed = await gateway.get(`/api/leads?email=${encodeURIComponent(lead.email)}`);
    expect(listed.body.leads.map((one: { leadId: string }) => one.leadId)).toEqual([leadId]);
    const { body: told } = await gateway.get(`/api/leads/${leadId}/exchanges`);
    expect(told.exchanges.filter((one: { step: string }) => one.step === 'get-api-key').length).toBeGreaterThan(0);
    expect(told.decisions.length).toBeGreaterThan(50);
  },
  240_000,
);
