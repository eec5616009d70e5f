/** The service as it is run: a kill between two events loses none, and a lead's fields are told where that is asked for. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { newLead } from '../support/gateway';
import { startService, type Service } from '../support/service';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
let receiver: Upstream;
let dataDir: string;
const services: Service[] = [];
const start = async () => {
  const service = await startService({
    ...{ LEADGATE_DATA_DIR: dataDir, EVENTS_WEBHOOK_URL: receiver.url, EVENTS_WEBHOOK_SECRET },
    ...{ EVENTS_PERSONAL_DATA: 'on', ENGINE_SYNC: 'normal' },
  });
  services.push(service);
  return service;
};
beforeAll(async () => {
  receiver = await openUpstream();
  dataDir = mkdtempSync(join(tmpdir(), 'leadgate-events-'));
});
afterAll(async () => {
  for (const service of services) await service.remove();
  await receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const typesOf = (leadId: string) => receiver.received.flatMap(({ body }) => (body.data.leadId === leadId ? [body.type] : []));
const isTold = (leadId: string) => new Set(typesOf(leadId)).size === 2;

it('a service that is killed between two events tells the rest after its next start', async () => {
  const killed = await start();
  let letGo = () => {};
  // No answer until the service is gone.
  const after = new Promise<void>((done) => (letGo = done));
  for (let each = 0; each < 2; each++) receiver.answerWith({ body: {}, after });
  const recruited = { bearerToken: 'kept-secret', clientId: '1', siteId: '1263', environment: 'us', firstName: 'Ann', lastName: 'Lee' };
  const answers = await Promise.all([
    killed.post('/api/clinicsys/no-prescreen', newLead()),
    killed.post('/api/recruit/send-to-recruit', { ...recruited, email: newLead().email }),
  ]);
  const leadIds = answers.map(({ headers }) => headers.get('x-lead-id') ?? '');
  await until(() => receiver.received.length === 2, 'the first events are on their way');
  await killed.stop('SIGKILL');
  letGo();

  await start();
  await until(() => leadIds.every(isTold), 'the last events are told, too');
  for (const leadId of leadIds) expect(typesOf(leadId)).toEqual(['lead.accepted', 'lead.accepted', 'lead.delivered']);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(4);
  for (const { text, headers } of receiver.received)
    expect(new Webhook(EVENTS_WEBHOOK_SECRET).verify(text, headers as Record<string, string>)).toMatchObject({
      data: { lead: { firstName: 'Ann', lastName: 'Lee' } },
    });
  const told = receiver.received.map(({ text }) => text).join();
  expect(told).toContain('"bearerToken":"[secret]"');
  expect(told).not.toContain('kept-secret');
});
