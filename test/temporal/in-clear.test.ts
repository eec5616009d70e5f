/** What reaches a run without our encryption was not written by this installation: it is refused, and the run goes on. */
import { Client, WorkflowFailedError, WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { leadIdOf } from '../../src/domain/ids';
import { updateOf, type Decision } from '../../src/domain/lead';
import { replayRuns } from '../../tools/replay/replay';
import { dataConverter } from '../../src/temporal/engine';
import { replayBundlePath } from '../support/engine';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
/** Somebody who reaches the engine and has no key, as with Temporal's own command line. */
let stranger: Client;
beforeAll(async () => {
  gateway = await startGateway();
  const { connection, namespace } = gateway.engine;
  stranger = new Client({ connection, namespace });
});
afterAll(() => gateway.stop());

const noPrescreen = '/api/clinicsys/no-prescreen';
const words = expect.stringMatching(/is not encrypted with a key of this installation/);

async function parkedLead() {
  const { body, headers } = await gateway.post(noPrescreen, newLead('comment-422-once'));
  expect(body.state).toBe('parked');
  return { leadId: String(body.leadId), run: stranger.workflow.getHandle(headers.get('x-workflow-id') ?? '') };
}

/** The error of a refused update, as the stranger reads it. */
const refusalOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'accepted',
    (error: unknown) => (error instanceof WorkflowUpdateFailedError ? error.cause : error),
  );

const update = (run: WorkflowHandle, name: string, args: [] | [unknown]) =>
  refusalOf(args.length === 0 ? run.executeUpdate(name) : run.executeUpdate<unknown, [unknown]>(name, { args }));

/** What `leadgate replay` says of a run. */
async function expectSameReplayed(run: WorkflowHandle) {
  const stored = { workflowId: run.workflowId, history: await run.fetchHistory() };
  const against = { bundlePath: replayBundlePath(), converter: dataConverter(gateway.keys) };
  for await (const { same, reason } of replayRuns([stored], against)) expect([same, reason]).toEqual([true, undefined]);
}

const forged: Decision = { verb: 'confirm', upstreamId: '77', reason: 'because', by: 'ops' };

describe('a decision in clear', () => {
  it.each<[string, string, [] | [unknown]]>([
    ['confirm', updateOf(forged), [forged]],
    ['discard', updateOf(forged), [{ ...forged, verb: 'discard' }]],
    ['try', 'try', [{ ...forged, verb: 'try' }]],
    ['without anything', 'decide', []],
    ['without anything to try', 'try', []],
    ['of a null', 'decide', [null]],
  ])('%s is refused with a message, and the lead stays parked', async (_, name, args) => {
    const { leadId, run } = await parkedLead();
    expect(await update(run, name, args)).toMatchObject({ type: 'NOT_ENCRYPTED', message: words });
    expect((await gateway.get(`/api/leads/${leadId}`)).body).toMatchObject({ state: 'parked' });
    const { events } = await run.fetchHistory();
    const accepted = events?.map((event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name);
    expect(accepted).not.toContain(name);
    expect((await gateway.post(`/api/leads/${leadId}/resend`, { reason: 'ours' })).status).toBe(200);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  });

  it('a pause in clear is refused', async () => {
    const pause = { upstream: 'V1', instance: 'ERG/erg-oct', reason: 'ours' };
    expect((await gateway.post('/api/upstreams/pause', pause)).status).toBe(200);
    const run = stranger.workflow.getHandle(`pauses:${gateway.config.TASK_QUEUE}`);
    expect(await update(run, 'change', [{ ...pause, verb: 'resume' }])).toMatchObject({ type: 'NOT_ENCRYPTED', message: words });
    expect((await gateway.post('/api/upstreams/resume', pause)).status).toBe(200);
  });
});

describe('a start in clear', () => {
  const start = (type: string, args: unknown[]) =>
    stranger.workflow.start(type, { workflowId: `forged-${randomUUID()}`, taskQueue: gateway.config.TASK_QUEUE, args });

  it.each([
    ['of a lead', 'noPrescreen', [{ body: newLead('', { email: 'forged@example.org' }), rules: {} }]],
    ['of a lead without anything', 'noPrescreen', []],
    ['of an erasure', 'erasePerson', [{ receiptId: 'e1', emails: ['x'], phones: [], patients: [], known: [] }]],
    ['of a bulk order', 'carryOrder', [{ orderId: 'o1', verb: 'resend', leadIds: [], reason: 'x', ratePerS: 1 }]],
    ['of a lock', 'lock', [{ workflowId: 'lead-x', runId: 'x' }]],
  ])('%s fails with a message, and does nothing', async (_, type, args) => {
    const run = await start(type, args);
    const error = await run.result().catch((failed: unknown) => (failed instanceof WorkflowFailedError ? failed.cause : failed));
    expect(error).toMatchObject({ type: 'NOT_ENCRYPTED', nonRetryable: true, message: words });
    const { events } = await run.fetchHistory();
    expect(events?.some((event) => event.activityTaskScheduledEventAttributes ?? event.markerRecordedEventAttributes)).toBe(false);
    expect((await gateway.sandbox()).requests.filter(({ body, url }) => /forged(@|%40)/.test(body + url))).toEqual([]);
    await expectSameReplayed(run);
  });
});

describe('a signal in clear', () => {
  it.each([
    ['with a reason', ['because']],
    ['with nothing', []],
  ])('%s does not stop a bulk order', async (_, args) => {
    const protocol = `forged ${randomUUID()}`;
    for (let left = 3; left > 0; left--) await gateway.post(noPrescreen, newLead('', { protocol, instanceName: 'erg-oct.key-404' }));
    const order = { filter: { protocol }, reason: 'ours', fields: { instanceName: 'erg-oct' }, ratePerS: 1 };
    await until(async () => (await gateway.post('/api/redrives', order)).body.count === 3, 'all are counted');
    const { body, headers } = await gateway.post('/api/redrives', { ...order, count: 3 });
    const { redriveId } = body;
    const run = stranger.workflow.getHandle(headers.get('x-workflow-id') ?? '');
    await run.signal('stop', ...args);
    await until(async () => (await gateway.get(`/api/redrives/${redriveId}`)).body.state !== 'running', 'the order is over');
    expect((await gateway.get(`/api/redrives/${redriveId}`)).body).toMatchObject({ state: 'done', done: 3 });
    await expectSameReplayed(run);
  });
});

describe('an end in clear', () => {
  const result = { rtResponse: { status: 0, PatientID: 4711, message: 'forged' }, patientHash: 'forged' };
  const notSent = ApplicationFailure.nonRetryable('forged', 'NOT_SENT');

  it.each([
    ['a result', (told: { workflowId: string; activityId: string }) => stranger.activity.complete(told, result)],
    ['a failure', (told: { workflowId: string; activityId: string }) => stranger.activity.fail(told, notSent)],
  ])('%s proves nothing about a send: the lead is looked up, and not sent again', async (_, forge) => {
    const lead = newLead('v1-hold');
    const { headers } = await gateway.post(noPrescreen, lead, { prefer: 'respond-async' });
    const [workflowId, leadId] = [headers.get('x-workflow-id') ?? '', headers.get('x-lead-id')];
    const sending = await until(async () => {
      const { raw } = await gateway.client.workflow.getHandle(workflowId).describe();
      return raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'sendToRt');
    }, 'the send is under way');
    await forge({ workflowId, activityId: sending.activityId ?? '' });
    await until(async () => (await gateway.get(`/api/leads/${leadId}`)).body.state === 'verifying', 'it is looked up');
    await gateway.release();
    const { body } = await gateway.get(`/api/leads/${leadId}?wait=60`);
    expect(body).toMatchObject({ state: 'delivered', result: { rtResponse: { recovered: true } } });
    expect(body.result.rtResponse.PatientID).not.toBe(4711);
    const { requests } = await gateway.sandbox();
    expect(requests.filter(({ call, body: sent }) => call === 'v1' && sent.includes(encodeURIComponent(lead.email)))).toHaveLength(1);
  });
});

describe('a lead of a start in clear', () => {
  it('cannot be redriven, even if the list of failed leads has it', async () => {
    const lead = newLead('', { protocol: `forged ${randomUUID()}` });
    const workflowId = `lead-k${randomUUID().replaceAll('-', '').slice(0, 20)}`;
    const { firstExecutionRunId } = await stranger.workflow.start('noPrescreen', {
      workflowId,
      taskQueue: gateway.config.TASK_QUEUE,
      args: [{ body: lead, rules: {} }],
      searchAttributes: { LeadFlow: ['no-prescreen'], LeadState: ['failed'] },
    });
    const leadId = leadIdOf({ workflowId, runId: firstExecutionRunId });
    await until(async () => (await gateway.get(`/api/leads/${leadId}`)).body.state !== 'running', 'it has ended');
    const redriven = await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'ours', notThere: true });
    expect([redriven.status, redriven.body.error]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    expect((await gateway.get(`/api/leads?state=failed`)).status).toBe(200);
    expect(JSON.stringify(await gateway.sandbox())).not.toContain(lead.email);
  });
});
