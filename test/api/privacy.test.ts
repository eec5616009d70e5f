/** What is kept of a person, and what is left after an erasure. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { createHash } from 'node:crypto';
import { auditDir } from '../../src/audit/lines';
import { readTrail } from '../../src/audit/read';
import { readHistory } from '../../src/leads/history';
import { newestRun } from '../../src/leads/runs';
import { eraseUntilDone, sentOf } from '../support/background';
import { logged, newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

describe('kept', () => {
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
      const seen = [await engineView(answer.headers.get('x-workflow-id') ?? ''), logged.join(''), answer.headers.get('x-lead-id')].join(
        '\n',
      );
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
});

describe('an erasure', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await startGateway();
  });
  afterEach(() => gateway.stop());

  const noPrescreen = '/api/clinicsys/no-prescreen';
  const reason = 'The person asked for it';
  /** The receipt of a person's erasure. */
  const erase = async (person: object) => (await eraseUntilDone(gateway, person)).at(-1)?.body;

  /** Every run of the gateway's queue but those that stay: the erasure, whose id is a hash of hashes, and an upstream's hold. */
  async function stored(): Promise<string[]> {
    const found: WorkflowExecutionInfo[] = [];
    for await (const run of gateway.client.workflow.list({ query: `TaskQueue = '${gateway.config.TASK_QUEUE}'` })) found.push(run);
    return found.flatMap(({ type, workflowId }) => (type === 'erasePerson' || type === 'hold' ? [] : [workflowId]));
  }

  /** One person, in every state that a lead can be in. */
  async function personEverywhere() {
    const person = newLead();
    const { email } = person;
    const sent = async (fields: object, path = noPrescreen, headers = {}) =>
      (await gateway.post(path, { ...person, ...fields }, headers)).headers.get('x-lead-id') ?? '';
    const delivered = await sent({});
    const failed = await sent({ instanceName: 'erg-oct.key-404' });
    await gateway.post(`/api/leads/${failed}/redrive`, { reason, fields: { instanceName: 'erg-oct' } });
    await gateway.get(`/api/leads/${failed}?wait=60`);
    const waiting = await sent({ instanceName: 'erg-oct.key-500' }, noPrescreen, { prefer: 'respond-async' });
    await gateway.post(noPrescreen, person, { 'x-dry-run': 'true' });
    await gateway.post('/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct', email });
    const isListed = `/api/leads?email=${encodeURIComponent(email)}&state=waiting`;
    await until(async () => (await gateway.get(isListed)).body.count === 1, 'the last one is listed as waiting');
    return { email, leadIds: [delivered, failed, waiting] };
  }

  it('a person is counted, then forgotten everywhere, and only the counts stay', async () => {
    const { email, leadIds } = await personEverywhere();
    expect(await stored()).not.toEqual([]);

    const counted = await gateway.post('/api/erase', { email: email.toUpperCase(), dryRun: true });
    const counts = expect.arrayContaining([
      { flow: 'no-prescreen', state: 'delivered', site: 'erg-oct', leads: 1 },
      { flow: 'no-prescreen', state: 'waiting', site: 'erg-oct-key-500', leads: 1 },
    ]);
    expect(counted.body).toEqual({ success: true, dryRun: true, leads: 3, runs: expect.any(Number), counts });
    expect((await gateway.get(`/api/leads/${leadIds[0]}`)).status).toBe(200);

    const receipt = await erase({ email });
    expect([receipt.success, receipt.leads]).toEqual([true, 3]);
    expect(receipt).toMatchObject({ receiptId: expect.stringMatching(/^e[0-9a-z]{20}$/), erasedAt: expect.any(String), counts });
    expect(receipt.leadIds.toSorted()).toEqual(leadIds.toSorted());

    for (const leadId of leadIds) expect((await gateway.get(`/api/leads/${leadId}`)).status).toBe(404);
    expect((await gateway.get(`/api/leads?email=${encodeURIComponent(email)}`)).body.count).toBe(0);
    // Dry runs, look-ups and locks are gone, too.
    await until(async () => (await stored()).length === 0, 'nothing is listed any more');

    const { body: totals } = await gateway.get('/api/erasures');
    expect(totals).toEqual({ success: true, erasures: 1, leads: 3, counts: receipt.counts });
    const trail = JSON.stringify(await readTrail(auditDir(gateway.config.LEADGATE_DATA_DIR), { action: 'erase' }));
    expect(trail).toContain(receipt.receiptId);
    expect((await gateway.get('/api/audit?action=erase')).body.entries[0]).toMatchObject({ who: 'local', outcome: 'done', leads: 3 });
    // Made from what the person sent, an id could be found again.
    const { client } = gateway;
    const ends = client.workflow.list({ query: `TaskQueue = '${gateway.config.TASK_QUEUE}' AND WorkflowType = 'erasePerson'` });
    for await (const run of ends) {
      const kept = JSON.stringify([trail, await client.workflow.getHandle(run.workflowId, run.runId).result()]);
      expect(kept).toContain(receipt.receiptId);
      for (const leadId of leadIds) for (const part of [leadId, leadId.split('-')[0]]) expect(kept).not.toContain(part);
    }
    for (const secret of [email, reason]) for (const seen of [trail, logged.join('')]) expect(seen).not.toContain(secret);

    // Nothing came in since: the same request tells of the same erasure.
    const { leadIds: _, underWay: __, ...kept } = receipt;
    expect(await erase({ email })).toEqual(kept);
  });

  it('a lead that waits for a person, and one whose request is on the wire: the receipt names it', async () => {
    const parked = newLead('comment-422', { phone: '555-777-0101' });
    const { leadId: first } = (await gateway.post(noPrescreen, parked)).body;
    const { leadId: next } = (await gateway.post(noPrescreen, { ...parked, protocol: 'AD-302' }, { prefer: 'respond-async' })).body;
    // Now the next one takes the person lock.
    await gateway.post(`/api/leads/${first}/discard`, { reason });
    expect((await gateway.get(`/api/leads/${next}?wait=60`)).body.state).toBe('parked');
    const onTheWire = newLead('v1-hold', { phone: '(555) 777 0101' });
    const { body } = await gateway.post(noPrescreen, onTheWire, { prefer: 'respond-async' });
    await until(async () => (await sentOf(gateway, onTheWire.email)).length === 1, 'it is sent');
    const erasing = erase({ phone: '5557770101' });
    await untilCancelled(body.leadId);
    // What is on the wire is waited for.
    expect((await gateway.get(`/api/leads/${body.leadId}`)).status).toBe(200);
    await gateway.release();
    const receipt = await erasing;
    expect(receipt).toMatchObject({ leads: 3, onTheWire: 1, underWay: [body.leadId] });
    await until(async () => (await stored()).length === 0, 'the person lock is gone, too');
  });

  async function untilCancelled(leadId: string) {
    const { workflowId, runId } = await newestRun(gateway.client, leadId);
    const run = gateway.client.workflow.getHandle(workflowId, runId);
    await until(async () => (await run.describe()).raw.workflowExtendedInfo?.cancelRequested, 'its run is cancelled');
  }

  it('names every deleted lead in the receipt if a deletion fails halfway', async () => {
    const onTheWire = newLead('v1-hold');
    const { body } = await gateway.post(noPrescreen, onTheWire, { prefer: 'respond-async' });
    await until(async () => (await sentOf(gateway, onTheWire.email)).length === 1, 'it is sent');
    const { workflowService } = gateway.engine.connection;
    const deletes = workflowService.deleteWorkflowExecution.bind(workflowService);
    jest.spyOn(workflowService, 'deleteWorkflowExecution').mockImplementationOnce(async (request) => {
      await deletes(request);
      throw new Error('The connection was lost');
    });
    const erasing = erase({ email: onTheWire.email });
    await untilCancelled(body.leadId);
    await gateway.release();
    expect(await erasing).toMatchObject({ leads: 1, leadIds: [body.leadId], underWay: [body.leadId] });
  });

  it('another person, and the same person at another site, stay', async () => {
    const ours = newLead();
    const [here, there, theirs] = await Promise.all([
      gateway.post(noPrescreen, ours),
      gateway.post(noPrescreen, { ...ours, instanceName: 'erg-other' }),
      gateway.post(noPrescreen, newLead()),
    ]);
    expect((await erase({ email: ours.email, instanceName: 'erg-oct' })).leads).toBe(1);
    const statuses = [here, there, theirs].map(async ({ headers }) => (await gateway.get(`/api/leads/${headers.get('x-lead-id')}`)).status);
    expect(await Promise.all(statuses)).toEqual([404, 200, 200]);
  });

  it('at one site, the dry runs, look-ups and locks of that site go, too', async () => {
    const person = newLead();
    await gateway.post(noPrescreen, person, { 'x-dry-run': 'true' });
    await gateway.post('/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct', email: person.email });
    await gateway.post(noPrescreen, person, { 'idempotency-key': 'a-lead' });
    expect(await erase({ email: person.email, instanceName: 'erg-oct' })).toMatchObject({ success: true, leads: 1 });
    await until(async () => (await stored()).length === 0, 'nothing is listed any more');
  });

  it('by the patient id, what named that patient in the request goes, too', async () => {
    const body = { instanceName: 'erg-oct', key: 'any', phone: '5552013344', rtResponse: { PatientID: 4711 } };
    const { headers } = await gateway.post('/api/clinicsys/no-prescreen/send-comments', body, { 'idempotency-key': 'a-comment' });
    const whole = await gateway.post(noPrescreen, newLead('', { subjectID: 4711 }));
    await gateway.post('/api/clinicsys/toolkit/get-patient-statuses', { instanceName: 'erg-oct', subjectID: 4711 });
    expect((await erase({ patientId: '4711' })).leadIds).toEqual([headers.get('x-lead-id')]);
    await until(async () => (await stored()).length === 1, 'a whole flow alone is listed, which knows its patient from the site system');
    expect((await gateway.get(`/api/leads/${whole.headers.get('x-lead-id')}`)).status).toBe(200);
  });

  it('who it is must be said', async () => {
    for (const body of [{ reason, dryRun: null }, { email: 'x' }])
      expect((await gateway.post('/api/erase', body)).body.error.details).toMatchObject([{ field: 'email' }]);
    const { body } = await gateway.post('/api/erase', { email: 'ann@example.org', reason, dryRun: 'true' });
    expect(body.error.details).toEqual([{ field: 'dryRun', message: 'must be true or false' }]);
  });

  it('a lead that was accepted after the request stays, also if no worker was there', async () => {
    const bare = await startGateway({ withoutWorker: true });
    try {
      const lead = newLead();
      const first = bare.post('/api/erase', { email: lead.email, reason });
      const erasures = async () => (await bare.client.workflow.count(`TaskQueue = '${bare.config.TASK_QUEUE}'`)).count;
      await until(async () => (await erasures()) === 1, 'the erasure has begun');
      const { body } = await bare.post(noPrescreen, lead, { prefer: 'respond-async' });
      await bare.startWorker();
      await first;
      const isDone = `TaskQueue = '${bare.config.TASK_QUEUE}' AND WorkflowType = 'erasePerson' AND ExecutionStatus = 'Completed'`;
      await until(async () => (await bare.client.workflow.count(isDone)).count === 1, 'the erasure is done');
      expect((await bare.get(`${body.statusUrl}?wait=60`)).body.state).toBe('delivered');
    } finally {
      await bare.stop();
    }
  });

  it('forgets an order that names the person, with the values that it mends', async () => {
    const [mistyped, right] = [newLead('', { instanceName: 'erg-oct.key-404', protocol: 'named' }), newLead()];
    await gateway.post(noPrescreen, mistyped);
    const order = { filter: { protocol: 'named' }, reason, fields: { email: right.email, instanceName: 'erg-oct' } };
    await until(async () => (await gateway.post('/api/redrives', order)).body.count === 1, 'it is counted');
    const { redriveId } = (await gateway.post('/api/redrives', { ...order, count: 1 })).body;
    await until(async () => (await gateway.get(`/api/redrives/${redriveId}`)).body.state === 'done', 'it is carried out');
    await erase({ email: right.email });
    expect((await gateway.get(`/api/redrives/${redriveId}`)).status).toBe(404);
  });
});
