/** What is kept of a person, and what is left after an erasure. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReads } from '../../src/api/privacy/reads';
import { createEvidenceStore } from '../../src/audit/evidence';
import { auditDir } from '../../src/audit/lines';
import { readTrail } from '../../src/audit/read';
import { verifyTrail } from '../../src/audit/verify';
import { isObject } from '../../src/domain/formats';
import { payloadReader } from '../../src/domain/payload-reader';
import { newestRun } from '../../src/leads/attempts';
import { readHistory } from '../../src/leads/history';
import { startDecoder } from '../../src/temporal-ui/decoder';
import { deleteRun } from '../../src/temporal/ask';
import { encryptionCodec } from '../../src/temporal/codec';
import { askAs } from '../support/ask-as';
import { eraseUntilDone, patientOf, sentOf } from '../support/background';
import { endedOrder } from '../support/carry-batch';
import { redrivenAfterContinuing } from '../support/continued';
import { logged, newLead, sameInstallation, startGateway, type Gateway } from '../support/gateway';
import { csv } from '../support/imports';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

describe('stored data', () => {
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
    it('is not readable in the engine, the log or the ids', async () => {
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

  it('the reason of a bulk order is not readable in the engine', async () => {
    const order = { filter: { protocol: 'nobody' }, verb: 'discard', reason: `${canaries.firstName} ${canaries.lastName} asked`, count: 0 };
    const { body } = await gateway.post('/api/decisions', order);
    // The memo is written twice: at the start, and by the run at its end.
    expect(await endedOrder(gateway, `/api/decisions/${body.decisionId}`)).toMatchObject({ state: 'done', reason: order.reason });
    const seen = [await engineView(`bulk-${body.decisionId}`), logged.join('')].join('\n');
    for (const secret of [canaries.firstName, canaries.lastName]) expect(seen).not.toContain(secret);
    expect(seen).toContain('binary/encrypted');
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

  it('has named steps and is searchable by business terms', async () => {
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
    const { activities } = await readHistory(gateway.client, { workflowId: answer.headers.get('x-workflow-id') ?? '', runId });
    expect(activities.map(({ call }) => call)).toEqual(['takeLock', 'getApiKey', 'checkEmail', 'formatData', 'sendToRt', 'sendComments']);
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

  it('counts a redriven lead once, also by its reference, if its run continued as new', async () => {
    const reference = randomUUID();
    const { email, leadId } = await redrivenAfterContinuing(gateway, { 'idempotency-key': reference });
    expect((await gateway.get(`/api/leads?reference=${reference}`)).body.leads).toMatchObject([{ leadId, reference }]);
    const counted = await gateway.post('/api/erase', { email, dryRun: true });
    expect(counted.body).toMatchObject({ leads: 1, counts: [{ flow: 'no-prescreen', state: 'delivered', site: 'erg-oct', leads: 1 }] });
  });

  it("counts a person's runs, then deletes them everywhere and keeps only the counts", async () => {
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

  describe('of evidence', () => {
    const dirOf = ({ config }: Gateway) => auditDir(config.LEADGATE_DATA_DIR);
    const files = ({ config }: Gateway) =>
      readdirSync(config.LEADGATE_DATA_DIR, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
        .join('\n');
    const pieces = (of = gateway) => readdirSync(join(dirOf(of), 'evidence'));
    const entriesOf = async (leadId: string, of = gateway, action = 'redrive') =>
      (await of.get(`/api/audit?leadId=${leadId}&action=${action}`)).body.entries;
    const problems = async (of = gateway) => (await verifyTrail(dirOf(of), of.keys)).problems;
    const about = 'Ann Lee asked for it on the phone';

    /** A lead with a mistyped name, which an operator has redriven by the gateway. */
    async function redriven(by = gateway, lead = newLead('', { instanceName: 'erg-oct.key-404', lastName: 'Featherstonehaugh' })) {
      const leadId = String((await gateway.post(noPrescreen, lead)).body.leadId);
      const fields = { instanceName: 'erg-oct', lastName: 'Cholmondeley' };
      expect((await by.post(`/api/leads/${leadId}/redrive`, { reason: about, fields })).status).toBe(200);
      expect((await by.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
      return { lead, leadId };
    }

    it('makes it unreadable, also by the PatientID that it does not name, and the trail verifies', async () => {
      const { leadId } = await redriven();
      const other = await redriven();
      expect((await entriesOf(leadId))[0].evidence.reason).toBe(about);
      const receipt = await erase({ patientId: await patientOf(gateway, leadId) });
      expect(receipt).toMatchObject({ leads: 1 });
      for (const { evidence } of await entriesOf(leadId)) expect(evidence).toEqual({ erased: true });
      expect((await entriesOf(other.leadId))[0].evidence.reason).toBe(about);
      expect(await problems()).toEqual([]);
      const { entries } = (await gateway.get('/api/audit?action=erase')).body;
      expect(entries).toContainEqual(expect.objectContaining({ receiptId: receipt.receiptId, evidenceErased: [expect.any(String)] }));
      // The reason of the erasure stays.
      expect(entries[0].evidence).toEqual({ reason });
    });

    it('finds it when the runs are gone, also in a repeat of an earlier erasure', async () => {
      const lead = newLead('', { instanceName: 'erg-oct.key-404' });
      const first = await erase({ email: lead.email });
      const { leadId } = await redriven(gateway, lead);
      const areGone = async () => {
        for (const workflowId of await stored()) await deleteRun(gateway.client, { workflowId, runId: '' });
        return (await stored()).length === 0 && (await gateway.get(`/api/leads/${leadId}`)).status === 404;
      };
      await until(areGone, 'its runs are deleted, as after their retention');
      expect((await entriesOf(leadId))[0].evidence.reason).toBe(about);
      const second = await erase({ email: lead.email });
      expect([second.leads, second.receiptId === first.receiptId, pieces()]).toEqual([0, false, [expect.any(String), expect.any(String)]]);
      expect((await entriesOf(leadId))[0].evidence).toEqual({ erased: true });
      expect(await problems()).toEqual([]);
    });

    it('leaves none of a decision that comes after it', async () => {
      const settings = { ...sameInstallation(gateway), LEADGATE_DATA_DIR: mkdtempSync(join(tmpdir(), 'leadgate-other-')) };
      const lead = newLead('comment-422');
      const { leadId } = (await gateway.post(noPrescreen, lead)).body;
      const store = createEvidenceStore(auditDir(settings.LEADGATE_DATA_DIR), gateway.keys);
      const keep: typeof store.keep = async (...evidence) => {
        const digest = await store.keep(...evidence);
        await erase({ email: lead.email });
        return digest;
      };
      const other = await startGateway({ settings, withoutWorker: true, shared: { evidence: { ...store, keep } } });
      try {
        expect((await other.post(`/api/leads/${leadId}/discard`, { reason: about })).status).toBe(404);
        expect(pieces(other)).toEqual([]);
        const shown = (await entriesOf(leadId, other, 'discard')).map(({ outcome, evidence }: Record<string, unknown>) => [
          outcome,
          evidence,
        ]);
        expect(shown).toEqual([
          ['NOT_FOUND', undefined],
          ['asked', { erased: true }],
        ]);
        expect(await problems(other)).toEqual([]);
      } finally {
        await other.stop();
        rmSync(settings.LEADGATE_DATA_DIR, { recursive: true, force: true });
      }
    });

    it('reaches the trail of another machine, before the 200 of the request there and in the background', async () => {
      const settings = { ...sameInstallation(gateway), LEADGATE_DATA_DIR: mkdtempSync(join(tmpdir(), 'leadgate-other-')) };
      let other = await startGateway({ settings, withoutWorker: true });
      try {
        const [asked, unasked] = [await redriven(other), await redriven(other)];
        expect([pieces(other).length, files(gateway).includes('evidence')]).toEqual([2, false]);
        await eraseUntilDone(other, { email: asked.lead.email });
        expect((await entriesOf(asked.leadId, other))[0].evidence).toEqual({ erased: true });
        // The reason of the erasure is one of them.
        expect(pieces(other)).toHaveLength(2);
        await erase({ email: unasked.lead.email });
        await other.stop();
        other = await startGateway({ settings, withoutWorker: true });
        await until(async () => pieces(other).length === 1, 'the other machine has looked for erasures');
        expect((await entriesOf(unasked.leadId, other))[0].evidence).toEqual({ erased: true });
        expect(await problems(other)).toEqual([]);
      } finally {
        await other.stop();
        rmSync(settings.LEADGATE_DATA_DIR, { recursive: true, force: true });
      }
    });

    it('is needed for the keys alone: without them nothing of it can be read on the disk', async () => {
      const { lead } = await redriven();
      for (const word of [about, 'Featherstonehaugh', 'Cholmondeley', lead.email]) expect(files(gateway)).not.toContain(word);
      expect(pieces()).toHaveLength(1);
    });
  });

  it('erases a parked lead, and one with a request in flight, which the receipt names', async () => {
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

  it('names a lead that is being looked up: it may have arrived', async () => {
    const lead = newLead('v1-500');
    const { body } = await gateway.post(noPrescreen, lead, { prefer: 'respond-async' });
    await until(async () => (await gateway.get(`/api/leads/${body.leadId}`)).body.state === 'verifying', 'it is looked up');
    expect(await erase({ email: lead.email })).toMatchObject({ leads: 1, onTheWire: 1, underWay: [body.leadId] });
  });

  async function untilCancelled(leadId: string) {
    const { workflowId, runId } = await newestRun(gateway.client, leadId);
    const run = gateway.client.workflow.getHandle(workflowId, runId);
    await until(async () => (await run.describe()).raw.workflowExtendedInfo?.cancelRequested, 'its run is cancelled');
  }

  it('names every deleted lead in the receipt if a deletion fails midway', async () => {
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

  it('keeps other persons, and the same person at another site', async () => {
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

  it('by site erases the dry runs, look-ups and locks of that site, too', async () => {
    const person = newLead();
    await gateway.post(noPrescreen, person, { 'x-dry-run': 'true' });
    await gateway.post('/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct', email: person.email });
    await gateway.post(noPrescreen, person, { 'idempotency-key': 'a-lead' });
    expect(await erase({ email: person.email, instanceName: 'erg-oct' })).toMatchObject({ success: true, leads: 1 });
    await until(async () => (await stored()).length === 0, 'nothing is listed any more');
  });

  it('by patient id erases runs with that patient in the request, too', async () => {
    const body = { instanceName: 'erg-oct', key: 'any', phone: '5552013344', rtResponse: { PatientID: 4711 } };
    const { headers } = await gateway.post('/api/clinicsys/no-prescreen/send-comments', body, { 'idempotency-key': 'a-comment' });
    const whole = await gateway.post(noPrescreen, newLead('', { subjectID: 4711 }));
    await gateway.post('/api/clinicsys/toolkit/get-patient-statuses', { instanceName: 'erg-oct', subjectID: 4711 });
    expect((await erase({ patientId: '4711' })).leadIds).toEqual([headers.get('x-lead-id')]);
    await until(async () => (await stored()).length === 1, 'a whole flow alone is listed, which knows its patient from the site system');
    expect((await gateway.get(`/api/leads/${whole.headers.get('x-lead-id')}`)).status).toBe(200);
  });

  it('requires an e-mail, a phone or a patient id', async () => {
    for (const body of [{ reason, dryRun: null }, { email: 'x' }])
      expect((await gateway.post('/api/erase', body)).body.error.details).toMatchObject([{ field: 'email' }]);
    const { body } = await gateway.post('/api/erase', { email: 'ann@example.org', reason, dryRun: 'true' });
    expect(body.error.details).toEqual([{ field: 'dryRun', message: 'must be true or false' }]);
  });

  it('keeps a lead that was accepted after the request, even if no worker ran', async () => {
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

  it('erases a bulk order that names the person, with its corrected values', async () => {
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

describe('reading in clear', () => {
  const names = ['web', 'form', 'tool', 'desk'] as const;
  type Name = (typeof names)[number];
  const keyOf = (name: Name) => `${name}-key-of-twenty-characters`;
  const scopes: Readonly<Record<Name, string>> = { web: 'send', form: 'send', tool: 'leads', desk: 'operator' };
  const as = (name: Name) => ({ 'x-gateway-key': keyOf(name) });
  const orchestrator = '/api/clinicsys/no-prescreen';
  const subjects = '/api/clinicsys/toolkit/get-subjects';

  let gateway: Gateway;
  let receiver: Upstream;
  beforeAll(async () => {
    const GATEWAY_API_KEYS = [...names.map((name) => `${name}:${keyOf(name)}:${scopes[name]}`), `old:old-${keyOf('tool')}`].join(',');
    receiver = await openUpstream();
    const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
    const events = { EVENTS_WEBHOOK_URL: receiver.url, EVENTS_WEBHOOK_SECRET, EVENTS_PERSONAL_DATA: 'on' };
    gateway = await startGateway({ settings: { GATEWAY_API_KEYS, ...events } });
  });
  afterAll(async () => {
    await gateway.stop();
    await receiver.close();
  });

  async function sent(name: Name, fields = {}) {
    const lead = newLead('', { lastName: 'Featherstone', ...fields });
    const answer = await gateway.post(orchestrator, lead, as(name));
    return { lead, answer, leadId: answer.headers.get('x-lead-id') ?? '' };
  }
  const leadAs = async (name: Name, leadId: string, query = '') => gateway.get(`/api/leads/${leadId}${query}`, as(name));
  const readsOf = async (query: string) => (await gateway.get(`/api/audit?action=read+in+clear&${query}`, as('desk'))).body.entries;
  const unwritable = async <T>(act: () => Promise<T>): Promise<T> => {
    const dir = auditDir(gateway.config.LEADGATE_DATA_DIR);
    await gateway.stopTrail();
    rmSync(dir, { recursive: true, force: true });
    writeFileSync(dir, 'no directory');
    return act().finally(() => rmSync(dir));
  };

  it('is for the key that sent the lead and for operators; others get it masked', async () => {
    const { lead, leadId } = await sent('web');
    for (const name of ['web', 'desk'] as const) {
      const { body } = await leadAs(name, leadId);
      expect(body).toMatchObject({ state: 'delivered', result: { email: lead.email, lastName: 'Featherstone' } });
      expect(body).not.toHaveProperty('masked');
    }
    const { status, body } = await leadAs('tool', leadId);
    expect([status, body.masked, body.state, body.result.StudyID]).toEqual([200, true, 'delivered', 12]);
    for (const word of [lead.email, 'Featherstone', '201-3344', '1980-03-05', 'Eczema']) expect(JSON.stringify(body)).not.toContain(word);
    const asked = (await leadAs('desk', leadId, '?clear=false')).body;
    expect(asked.result).toEqual(body.result);
  });

  it('of an imported lead is for the key that sent the file', async () => {
    const lead = newLead();
    const file = `${Object.keys(lead).join(',')}\n${Object.values(lead).join(',')}\n`;
    const answer = await gateway.post('/api/imports?flow=no-prescreen', Buffer.from(file), { ...csv, ...as('form') });
    const [row] = String(answer.body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === 'row');
    expect((await leadAs('form', row.leadId)).body.result.email).toBe(lead.email);
    expect((await leadAs('tool', row.leadId)).body.masked).toBe(true);
  });

  it('of a redriven lead stays with the key that sent it, and others do not see the reason', async () => {
    const { lead, leadId } = await sent('web', { instanceName: 'erg-oct.key-404' });
    const order = { reason: 'Ann Featherstone called', fields: { instanceName: 'erg-oct' } };
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, order, as('desk'))).status).toBe(200);
    const { body } = await leadAs('web', leadId, '?wait=60');
    expect(body).toMatchObject({ state: 'delivered', result: { email: lead.email }, attempts: [{}, { reason: order.reason, by: 'desk' }] });
    const other = (await leadAs('tool', leadId)).body;
    expect([other.masked, other.attempts[1].reason, other.attempts[1].by]).toEqual([true, '•••', 'desk']);
  });

  it('is also for a key that sent the same body while the lead was open', async () => {
    const lead = newLead('v1-hold');
    const send = async (name: Name) => (await gateway.post(orchestrator, lead, { ...as(name), prefer: 'respond-async' })).body.leadId;
    const leadId = await send('web');
    expect((await leadAs('form', leadId)).status).toBe(403);
    expect([await send('form'), await send('form')]).toEqual([leadId, leadId]);
    expect((await leadAs('form', leadId)).status).toBe(200);
    await until(async () => (await sentOf(gateway, lead.email)).length === 1, 'it is sent');
    await gateway.release();
    for (const name of ['web', 'form'] as const)
      expect((await leadAs(name, leadId, '?wait=60')).body).toMatchObject({ state: 'delivered', result: { email: lead.email } });
    expect((await leadAs('tool', leadId)).body.masked).toBe(true);
  });

  it('with the scope send covers only the leads that the key sent', async () => {
    const { leadId } = await sent('web');
    const other = await leadAs('form', leadId);
    expect([other.status, other.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await leadAs('form', 'b00000000000000000000-0000000000')).status).toBe(404);
    const { status, body } = await gateway.post(orchestrator, newLead(), { ...as('web'), prefer: 'respond-async' });
    expect([status, (await gateway.get(`${body.statusUrl}?wait=60`, as('web'))).body.state]).toEqual([202, 'delivered']);
    const own = `/api/leads/${leadId}`;
    const closed = [
      '/api/leads',
      '/api/leads/counts',
      '/api/leads.csv',
      `${own}/exchanges`,
      `${own}/events`,
      '/api/audit',
      '/api/upstreams',
    ];
    for (const path of [...closed, '/api/taskboard/users', '/api/clinicsys/toolkit/sites?instanceName=erg-oct'])
      expect([path, (await gateway.get(path, as('web'))).status]).toEqual([path, 403]);
    const steps = ['get-api-key', 'check-email', 'format-data'].map((step) => `${orchestrator}/${step}`);
    for (const path of [subjects, ...steps, `${own}/discard`, '/api/erase'])
      expect([path, (await gateway.post(path, newLead(), as('web'))).status]).toEqual([path, 403]);
  });

  it('works for a key without scopes, which can send and read leads', async () => {
    const key = { 'x-gateway-key': `old-${keyOf('tool')}` };
    const answer = await gateway.post(orchestrator, newLead(), key);
    const read = await gateway.get(`/api/leads/${answer.headers.get('x-lead-id')}`, key);
    expect([answer.status, read.status, read.body.masked]).toEqual([200, 200, undefined]);
    expect((await gateway.get('/api/taskboard/users', key)).status).toBe(200);
  });

  describe('the access key of the site system', () => {
    const accessKey = /^sandbox-key-/;
    /** All that can be read of a lead after its answer, and its events. */
    async function everyRead(sender: Name, leadId: string, email: string): Promise<string> {
      const paths = ['', '?clear=false', '/exchanges', '/exchanges?clear=true', '/exchanges?clear=true&attempt=1', '/events'];
      const reads = [
        ...paths.map((path) => leadAs('desk', `${leadId}${path}`)),
        leadAs(sender, leadId),
        leadAs('tool', leadId),
        ...['/api/leads?', '/api/leads.csv?clear=true&'].map((list) =>
          gateway.get(`${list}email=${encodeURIComponent(email)}`, as('desk')),
        ),
        gateway.get('/api/audit?limit=1000', as('desk')),
      ];
      const answers = await Promise.all(reads);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const told = () => receiver.received.filter(({ body }) => body.data.leadId === leadId);
      await until(() => told().some(({ body }) => body.type === 'lead.delivered' && body.data.lead.email === email), 'its events are told');
      return JSON.stringify([answers, told()].flat().map(({ body }) => body));
    }

    it('is only in the answer of the call that fetched it, and in the repeats of that request, which get the same answer', async () => {
      const lead = newLead();
      const headers = { ...as('web'), 'idempotency-key': lead.email };
      const first = await gateway.post(orchestrator, lead, headers);
      expect(first.body.key).toMatch(accessKey);
      expect((await gateway.post(orchestrator, lead, headers)).body).toEqual(first.body);
      const leadId = first.headers.get('x-lead-id') ?? '';
      const { key, ...others } = first.body;
      expect((await leadAs('web', leadId)).body.result).toEqual(others);
      const read = await everyRead('web', leadId, lead.email);
      expect([read.includes(lead.email), read.includes(key)]).toEqual([true, false]);
      // The same Idempotency-Key of another caller is another request, with a run of its own.
      const other = await gateway.post(orchestrator, lead, { ...headers, ...as('form') });
      expect([other.headers.get('x-lead-id') === leadId, other.headers.get('idempotency-replayed')]).toEqual([false, null]);
    });

    it('is in no answer about a lead that failed, was redriven, or was sent step by step', async () => {
      const lead = newLead('', { instanceName: 'erg-oct.v1-refused' });
      const refused = await gateway.post(orchestrator, lead, as('web'));
      expect([refused.status, accessKey.test(refused.body.record.key)]).toEqual([422, false]);
      const leadId = String(refused.body.leadId);
      await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'a test', fields: { instanceName: 'erg-oct' } }, as('desk'));
      expect((await leadAs('desk', leadId, '?wait=60')).body.state).toBe('delivered');
      expect(await everyRead('web', leadId, lead.email)).not.toContain('sandbox-key-');

      const { body: record } = await gateway.post(`${orchestrator}/get-api-key`, newLead(), as('tool'));
      const step = await gateway.post(`${orchestrator}/send-to-rt`, { ...record, emailExists: false }, as('tool'));
      expect([step.status, step.body.key]).toEqual([200, record.key]);
      expect(await everyRead('tool', step.headers.get('x-lead-id') ?? '', record.email)).not.toContain(record.key);
    });

    it('is not shown in the Temporal UI, which decodes the run otherwise', async () => {
      const lead = newLead();
      const { headers, body } = await gateway.post(orchestrator, lead, as('web'));
      const shown = await decodedRun(headers.get('x-workflow-id') ?? '');
      expect([shown.includes(lead.email), shown.includes('[secret]'), shown.includes(body.key)]).toEqual([true, true, false]);
    });
  });

  /** All payloads of a run, as the Temporal UI gets them from the decoder. */
  async function decodedRun(workflowId: string): Promise<string> {
    const { namespace, connection } = gateway.engine;
    const { history } = await connection.workflowService.getWorkflowExecutionHistory({ namespace, execution: { workflowId } });
    const payloads: unknown[] = [];
    JSON.stringify(history, (_, value: unknown) => {
      if (isObject(value) && 'metadata' in value && 'data' in value) payloads.push(value);
      return value;
    });
    const trail = { write: async () => ({ file: '', seq: 0, hash: '' }), close: async () => undefined };
    const origin = 'http://127.0.0.1:8233';
    const decoder = await startDecoder({ codec: encryptionCodec(gateway.keys), uiOrigins: [origin], trail, reader: payloadReader });
    try {
      const answer = await fetch(`${decoder.url}/decode`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({ payloads }),
      });
      const decoded = (await answer.json()) as { readonly payloads: readonly { readonly data: string }[] };
      return decoded.payloads.map(({ data }) => Buffer.from(data, 'base64').toString()).join('\n');
    } finally {
      await decoder.close();
    }
  }

  it('is recorded once an hour; sending a lead and reading it masked are not', async () => {
    const { leadId } = await sent('web');
    for (const query of ['', '?clear=false', '/exchanges']) await leadAs(query ? 'desk' : 'tool', `${leadId}${query}`);
    expect(await readsOf(`leadId=${leadId}`)).toEqual([]);
    for (const name of ['web', 'web', 'desk', 'web', 'desk'] as const) await leadAs(name, leadId);
    for (const _ of [1, 2]) await leadAs('desk', leadId, '/exchanges?clear=true');
    const route = '/api/leads/{leadId}';
    const entry = { action: 'read in clear', outcome: 'done', leadId, address: expect.stringContaining('127.0.0.1') };
    expect(await readsOf(`leadId=${leadId}`)).toEqual(
      [
        { who: 'desk', route },
        { who: 'web', route },
      ].map((told) => expect.objectContaining({ ...entry, ...told })),
    );
  });

  it('by a repeat of the request that sent the lead is recorded, also if the answer is an error that holds the record', async () => {
    for (const [sentinel, status] of [
      ['', 200],
      ['v1-refused', 422],
    ] as const) {
      const lead = newLead(sentinel);
      const send = () => gateway.post(orchestrator, lead, { ...as('web'), 'idempotency-key': lead.email });
      const first = await send();
      const leadId = first.headers.get('x-lead-id') ?? '';
      expect([first.status, await readsOf(`leadId=${leadId}`)]).toEqual([status, []]);
      for (const { body } of [await send(), await send()]) expect(body).toEqual(first.body);
      expect(await readsOf(`leadId=${leadId}`)).toMatchObject([{ who: 'web', route: orchestrator, address: '127.0.0.1' }]);
    }
  });

  it('by a request with the same body, which waits for the same lead, is recorded', async () => {
    const lead = newLead('v1-hold');
    const { leadId } = (await gateway.post(orchestrator, lead, { ...as('web'), prefer: 'respond-async' })).body;
    await until(async () => (await sentOf(gateway, lead.email)).length === 1, 'it is sent');
    const waiting = gateway.post(orchestrator, lead, as('form'));
    await until(async () => (await leadAs('form', leadId)).status === 200, 'the other request waits for it, too');
    await gateway.release();
    expect((await waiting).body.email).toBe(lead.email);
    expect(await readsOf(`leadId=${leadId}`)).toMatchObject([{ who: 'form', route: orchestrator }]);
  });

  it('by an export is recorded with each lead', async () => {
    const { lead, leadId } = await sent('web');
    const file = `/api/leads.csv?email=${encodeURIComponent(lead.email)}`;
    await gateway.get(file, as('desk'));
    expect(await readsOf(`leadId=${leadId}`)).toEqual([]);
    expect((await gateway.get(`${file}&clear=true`, as('desk'))).body).toContain('Featherstone');
    expect(await readsOf(`leadId=${leadId}`)).toMatchObject([{ who: 'desk', route: '/api/leads.csv' }]);
  });

  it.each([
    ['subjects', subjects],
    ['the statuses of a patient', '/api/clinicsys/toolkit/get-patient-statuses'],
    ['who has an e-mail', `${orchestrator}/check-email`],
    ['an access key', `${orchestrator}/get-api-key`],
  ])('who looks up %s is on the trail, once an hour for the same question', async (_, path) => {
    const { lead, answer } = await sent('web');
    const asked = { instanceName: 'erg-oct', email: lead.email, key: 'any', subjectID: answer.body.rtResponse.PatientID };
    const before = (await readsOf('limit=1000')).length;
    const answers = [await gateway.post(path, asked, as('tool')), await gateway.post(path, asked, as('tool'))];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const entries = await readsOf('limit=1000');
    expect([entries.length - before, entries[0]]).toEqual([1, expect.objectContaining({ who: 'tool', route: path })]);
    expect(entries[0].run).toBe(answers[0]?.headers.get('x-workflow-id'));
    expect(JSON.stringify(entries)).not.toContain(asked.email);
  });

  it('is refused if it cannot be recorded; a masked read is not', async () => {
    const { lead, leadId } = await sent('web');
    await unwritable(async () => {
      const asked = { instanceName: 'erg-oct', email: lead.email };
      const refused = [
        await leadAs('web', leadId),
        await leadAs('desk', `${leadId}/exchanges?clear=true`),
        await gateway.post(subjects, asked, as('tool')),
        await gateway.get(`/api/leads.csv?clear=true&email=${encodeURIComponent(lead.email)}`, as('desk')),
      ];
      for (const { status, body, headers } of refused) {
        expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'NOT_ACCEPTED', '5']);
        expect(JSON.stringify(body)).not.toContain(lead.email);
      }
      expect((await leadAs('tool', leadId)).body.masked).toBe(true);
    });
    expect((await leadAs('web', leadId)).body.result.email).toBe(lead.email);
    expect(await readsOf(`leadId=${leadId}`)).toHaveLength(1);
  });

  it('by a repeat that cannot be recorded shows no record, and is no error, on which a tool would send the lead again', async () => {
    const lead = newLead();
    const send = () => gateway.post(orchestrator, lead, { ...as('web'), 'idempotency-key': lead.email });
    const first = await send();
    const leadId = first.headers.get('x-lead-id');
    const { status, body, headers } = await unwritable(send);
    expect([status, headers.get('location')]).toEqual([202, `/api/leads/${leadId}`]);
    expect(body).toEqual({
      success: false,
      pending: true,
      state: 'delivered',
      message: expect.any(String),
      leadId,
      statusUrl: `/api/leads/${leadId}`,
    });
    expect((await send()).body).toEqual(first.body);
  });

  it('is recorded again after an hour, for another address, and if too many are remembered', async () => {
    const written: unknown[] = [];
    const write = async (facts: unknown) => ({ file: '', seq: written.push(facts), hash: '' });
    let nowMs = 0;
    const reads = createReads({ write, close: async () => undefined }, () => nowMs);
    const countAfter = async (leadId: string, address = '192.0.2.1') => {
      await reads.record({ who: 'web', address }, { route: '/', leadIds: [leadId] });
      return written.length;
    };
    expect([await countAfter('one'), await countAfter('one'), await countAfter('one', '192.0.2.2')]).toEqual([1, 1, 2]);
    nowMs = 3_599_999;
    expect(await countAfter('one')).toBe(2);
    nowMs = 3_600_000;
    expect([await countAfter('one'), await countAfter('one')]).toEqual([3, 3]);
    for (let at = 0; at < 10_000; at++) await countAfter(`lead ${at}`);
    expect(await countAfter('one')).toBe(10_004);
  });

  it('without keys is for this machine; other machines get leads masked', async () => {
    const open = await startGateway();
    try {
      const lead = newLead();
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' };
      const answer = await askAs(open.url, orchestrator, { method: 'POST', headers, body: JSON.stringify(lead) });
      const path = `/api/leads/${String(answer.headers['x-lead-id'])}`;
      expect((await open.get(path)).body.result.email).toBe(lead.email);
      const far = JSON.parse((await askAs(open.url, path, { headers })).body);
      expect([far.masked, far.state, JSON.stringify(far).includes(lead.email)]).toEqual([true, 'delivered', false]);
      const { entries } = (await open.get('/api/audit?action=read+in+clear')).body;
      expect(entries.map(({ who }: { who: string }) => who)).toEqual(['local']);
      const asked = { instanceName: 'erg-oct', email: lead.email };
      await askAs(open.url, subjects, { method: 'POST', headers, body: JSON.stringify(asked) });
      expect((await open.get('/api/audit?limit=1')).body.entries).toMatchObject([{ who: 'without a key', route: subjects }]);
    } finally {
      await open.stop();
    }
  });
});
