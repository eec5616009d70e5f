import type { WorkflowExecutionInfo } from '@temporalio/client';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditDir } from '../../src/audit/lines';
import { readTrail } from '../../src/audit/read';
import { logged, newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

jest.setTimeout(60_000);

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const noPrescreen = '/api/clinicsys/no-prescreen';
const reason = 'The person asked for it';
const erase = (body: object) => gateway.post('/api/erase', { reason, ...body });

/** Every run of this test's engine that the gateway's queue served, by id. */
async function stored(): Promise<string[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const run of gateway.client.workflow.list({ query: `TaskQueue = '${gateway.config.TASK_QUEUE}'` })) found.push(run);
  // What has erased stays, with its receipt: its id is a hash of hashes.
  return found.flatMap(({ type, workflowId, runId }) => (type === 'erasePerson' ? [] : [`${workflowId} ${runId}`])).toSorted();
}

async function settledStore(): Promise<string[]> {
  let before = await stored();
  await until(async () => {
    const now = await stored();
    const isSame = now.join() === before.join();
    before = now;
    return isSame;
  }, 'the list of runs stands still');
  return before;
}

/** The runs in the send journal, as it lies on the disk. That a run was stopped stays for a while, and says nothing else. */
function notedRuns(): string[] {
  const dir = join(gateway.config.LEADGATE_DATA_DIR, 'sends');
  const texts = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'latin1'));
  return [...new Set(texts.flatMap((text) => text.match(/^[0-9a-f-]{36}(?= \S+ (?!stopped:))/gm) ?? []))].toSorted();
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
  await gateway.get(`/api/leads/${failed}?wait=10`);
  const waiting = await sent({ instanceName: 'erg-oct.key-500' }, noPrescreen, { prefer: 'respond-async' });
  await gateway.post(noPrescreen, person, { 'x-dry-run': 'true' });
  await gateway.post('/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct', email });
  const isListed = `/api/leads?email=${encodeURIComponent(email)}&state=waiting`;
  await until(async () => (await gateway.get(isListed)).body.count === 1, 'the last one is listed as waiting');
  return { email, leadIds: [delivered, failed, waiting] };
}

interface Count {
  readonly flow: string;
  readonly state: string;
  readonly site: string;
  readonly leads: number;
}

const countedAs = ({ flow, state, site }: Count, { counts }: { readonly counts: readonly Count[] }) =>
  counts.find((one) => one.flow === flow && one.state === state && one.site === site)?.leads ?? 0;

it('a person is counted, then forgotten everywhere, and only the counts stay', async () => {
  const before = await settledStore();
  const notedBefore = notedRuns();
  const { body: totalsBefore } = await gateway.get('/api/erasures');
  const { email, leadIds } = await personEverywhere();
  await settledStore();
  expect(notedRuns().length).toBeGreaterThan(notedBefore.length);

  const counted = await erase({ email: email.toUpperCase(), dryRun: true });
  const counts = expect.arrayContaining([
    { flow: 'no-prescreen', state: 'delivered', site: 'erg-oct', leads: 1 },
    { flow: 'no-prescreen', state: 'waiting', site: 'erg-oct-key-500', leads: 1 },
  ]);
  expect(counted.body).toEqual({ success: true, dryRun: true, leads: 3, runs: expect.any(Number), counts });
  expect((await gateway.get(`/api/leads/${leadIds[0]}`)).status).toBe(200);

  const { status, body: receipt } = await erase({ email });
  expect([status, receipt.success, receipt.leads]).toEqual([200, true, 3]);
  expect(receipt).toMatchObject({ receiptId: expect.stringMatching(/^e[0-9a-z]{20}$/), erasedAt: expect.any(String), counts });
  expect(receipt.leadIds.toSorted()).toEqual(leadIds.toSorted());

  for (const leadId of leadIds) expect((await gateway.get(`/api/leads/${leadId}`)).status).toBe(404);
  expect((await gateway.get(`/api/leads?email=${encodeURIComponent(email)}`)).body.count).toBe(0);
  // Dry runs, look-ups and claims are gone, too.
  expect(await settledStore()).toEqual(before);
  expect(notedRuns()).toEqual(notedBefore);

  const { body: totals } = await gateway.get('/api/erasures');
  expect([totals.erasures - totalsBefore.erasures, totals.leads - totalsBefore.leads]).toEqual([1, 3]);
  for (const each of receipt.counts) expect(countedAs(each, totals) - countedAs(each, totalsBefore)).toBe(each.leads);
  const trail = JSON.stringify(await readTrail(auditDir(gateway.config.LEADGATE_DATA_DIR), { action: 'erase' }));
  expect(trail).toContain(receipt.receiptId);
  expect((await gateway.get(`/api/audit?leadId=${leadIds[0]}`)).body.entries[0]).toMatchObject({ action: 'erase', outcome: 'done' });
  for (const secret of [email, reason]) for (const seen of [trail, logged.join('')]) expect(seen).not.toContain(secret);

  expect((await erase({ email })).body).toMatchObject({ success: true, leads: 0, runs: 0, counts: [], leadIds: [] });
});

it('a lead that waits for a person, and one whose request is on the wire: the receipt names it', async () => {
  const parked = newLead('comment-422', { phone: '555-777-0101' });
  await gateway.post(noPrescreen, parked);
  const slow = newLead('v1-slow-2500', { phone: '(555) 777 0101' });
  const { body } = await gateway.post(noPrescreen, slow, { prefer: 'respond-async' });
  await until(
    async () => (await gateway.sandbox()).requests.some(({ body }) => body.includes(encodeURIComponent(slow.email))),
    'it is sent',
  );
  await until(async () => (await gateway.get('/api/leads?phone=5557770101')).body.count === 2, 'both are listed');
  const { status, body: receipt } = await erase({ phone: '5557770101' });
  expect([status, receipt.leads, receipt.underWay]).toEqual([200, 2, [body.leadId]]);
  expect((await gateway.get(`/api/leads/${body.leadId}`)).status).toBe(404);
});

it('another person, and the same person at another site, stay', async () => {
  const ours = newLead();
  const [here, there, theirs] = await Promise.all([
    gateway.post(noPrescreen, ours),
    gateway.post(noPrescreen, { ...ours, instanceName: 'erg-other' }),
    gateway.post(noPrescreen, newLead()),
  ]);
  await settledStore();
  expect((await erase({ email: ours.email, instanceName: 'erg-oct' })).body.leads).toBe(1);
  const statuses = [here, there, theirs].map(async ({ headers }) => (await gateway.get(`/api/leads/${headers.get('x-lead-id')}`)).status);
  expect(await Promise.all(statuses)).toEqual([404, 200, 200]);
});

it('who it is and why must be said', async () => {
  for (const body of [{ reason }, { email: 'ann@example.org' }, { email: 'x', reason }])
    expect((await gateway.post('/api/erase', body)).status).toBe(400);
  const { body } = await gateway.post('/api/erase', { email: 'ann@example.org', reason, dryRun: 'true' });
  expect(body.error.details).toEqual([{ field: 'dryRun', message: 'must be true or false' }]);
});
