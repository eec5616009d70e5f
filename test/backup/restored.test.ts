/** After a restore, no lead of the copy is sent by itself: it may have gone out since. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints } from '../../src/contract';
import { leadgate } from '../cli/support';
import { carryBatchOf } from '../support/carry-batch';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

const dir = mkdtempSync(join(tmpdir(), 'leadgate-restored-'));
const settings = {
  LEADGATE_DATA_DIR: dir,
  TASK_QUEUE: `test-${randomUUID()}`,
  LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};
const { path, example } = endpoints.sendToRecruit;
const atOnce = { prefer: 'respond-async' };

let gateway: Gateway;
let copiedAt: string;
let forwarded: string;
let sentAgain: string;
let atSite: string;

beforeAll(async () => {
  const lost = await startGateway({ settings, withoutWorker: true });
  const accepted = async (route: string, body: object) => (await lost.post(route, body, atOnce)).body.leadId as string;
  forwarded = await accepted(path, { ...example, email: newLead('waits').email });
  sentAgain = await accepted(path, { ...example, email: newLead('again').email });
  atSite = await accepted('/api/clinicsys/no-prescreen', newLead('at-site'));
  await lost.stop();
  copiedAt = new Date().toISOString();
  gateway = await startGateway({ settings: { ...settings, RESTORED_FROM: copiedAt } });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(dir, { recursive: true, force: true });
});

const leadNow = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body;
const calls = async (call: string, whose: string) =>
  (await gateway.sandbox()).requests.filter((one) => one.call === call && `${one.url} ${one.body}`.includes(whose)).length;
const parked = (leadId: string) =>
  until(async () => {
    const lead = await leadNow(leadId);
    return lead.state === 'parked' && lead;
  }, 'the lead is parked');

it('a forward waits for a person, and says why', async () => {
  const { restored, steps } = await parked(forwarded);
  expect(restored).toBe(copiedAt);
  const message = `It was open in the copy of ${copiedAt}, which was restored: it may have been accepted, so it is not sent again by itself`;
  expect(steps).toMatchObject([{ state: 'parked', error: { code: 'OUTCOME_UNKNOWN', message } }]);
  expect(await calls('recruit', 'waits')).toBe(0);
});

it('a lead of the site system is looked up', async () => {
  await until(async () => (await leadNow(atSite)).state === 'verifying', 'the lead is looked up');
  expect(await calls('v1', 'at-site')).toBe(0);
});

it('the list says so, and finds them', async () => {
  const body = await until(async () => {
    const list = (await gateway.get('/api/leads?restored=true')).body;
    return list.count === 3 && list;
  }, 'the leads are listed');
  expect(body.leads.map(({ leadId, restored }: Record<string, string>) => [leadId, restored])).toEqual([
    [atSite, copiedAt],
    [sentAgain, copiedAt],
    [forwarded, copiedAt],
  ]);
  const { out } = await leadgate(['lead', 'find', '--restored'], { settings: { LEADGATE_URL: gateway.url } });
  expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual([atSite, sentAgain, forwarded, '']);
  expect((await leadgate(['lead', 'show', forwarded], { settings: { LEADGATE_URL: gateway.url } })).out).toContain(
    `Open in the copy of ${copiedAt}, which was restored`,
  );
});

it('a lead that came later goes out, and is not in that list', async () => {
  const { status, headers } = await gateway.post('/api/clinicsys/no-prescreen', newLead());
  expect(status).toBe(200);
  expect((await leadNow(headers.get('x-lead-id') ?? '')).restored).toBeUndefined();
});

it('an order for many leads from before is carried out no further', async () => {
  await parked(forwarded);
  const carryBatch = carryBatchOf(gateway, { copiedAt: Date.parse(copiedAt) });
  const order = { verb: 'resend', leadIds: [forwarded], pauseMs: 1, reason: 'looked', orderId: 'one' } as const;
  expect(await carryBatch({ ...order, startedAt: copiedAt })).toMatchObject([{ outcome: 'unknown', code: 'OUTCOME_UNKNOWN' }]);
  expect((await leadNow(forwarded)).state).toBe('parked');
});

it('what a person sends again goes out', async () => {
  await parked(sentAgain);
  expect((await gateway.post(`/api/leads/${sentAgain}/resend`, { reason: 'it is not there' })).status).toBe(200);
  expect((await gateway.get(`/api/leads/${sentAgain}?wait=60`)).body).toMatchObject({ state: 'delivered', restored: copiedAt });
  expect(await calls('recruit', 'again')).toBe(1);
});
