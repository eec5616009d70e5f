/** A lead goes on where it began, whatever the settings have become. */
import { randomBytes } from 'node:crypto';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const mend = { reason: 'the settings are mended' };

let real: Upstream;
let own: Readonly<Record<string, string>>;
beforeEach(async () => {
  real = await openUpstream();
  own = { LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`, TASK_QUEUE: `bound-${randomBytes(6).toString('hex')}` };
});
afterEach(() => real.close());

/** The same service, started with these settings. */
async function during(settings: Record<string, string>, doing: (gateway: Gateway) => Promise<void>) {
  const gateway = await startGateway({ settings: { ...own, SYNC_WAIT_MS: '60000', ...settings } });
  try {
    await doing(gateway);
  } finally {
    await gateway.stop();
  }
}

const settings = () => ({ RECRUIT_URL_US: real.url });

/** It is told to come again, and waits. */
async function waitingLead({ post, get }: Gateway, sentinel = ''): Promise<string> {
  const email = `ann-${randomBytes(4).toString('hex')}${sentinel}@example.org`;
  const lead = {
    bearerToken: 't',
    clientId: '1',
    siteId: '1263',
    environment: 'us',
    firstName: 'Ann',
    lastName: 'Lee',
    email,
    phone: '555-201-3344',
  };
  const { body } = await post('/api/recruit/send-to-recruit', lead, { prefer: 'respond-async' });
  await until(async () => (await get(`/api/leads/${body.leadId}`)).body.state === 'waiting', 'the lead waits');
  return body.leadId;
}

async function failed({ get }: Gateway, leadId: string) {
  const { body } = await get(`/api/leads/${leadId}?wait=60`);
  expect(body.state).toBe('failed');
  return body;
}

it('one that came in for the sandbox goes to no real system, not even when it is driven again', async () => {
  let leadId = '';
  await during({}, async (gateway) => void (leadId = await waitingLead(gateway, '+recruit-429')));
  await during(settings(), async (gateway) => {
    const { sandbox, steps } = await failed(gateway, leadId);
    expect([sandbox, steps.at(-1).error]).toMatchObject([
      true,
      { code: 'CONFIG_ERROR', message: expect.stringContaining('it goes to no real system') },
    ]);
    expect(await gateway.post(`/api/leads/${leadId}/redrive`, mend)).toMatchObject({
      status: 409,
      body: { error: { code: 'WRONG_STATE' } },
    });
  });
  expect(real.received).toEqual([]);
});

it('one that came in for a real system goes to no sandbox, and to the real one when that is set again', async () => {
  let leadId = '';
  const busy = await openUpstream();
  for (let tries = 0; tries < 20; tries++) busy.answerWith({ status: 429, body: {} });
  await during({ RECRUIT_URL_US: busy.url }, async (gateway) => void (leadId = await waitingLead(gateway)));
  await busy.close();
  await during({}, async (gateway) => {
    const { sandbox, steps } = await failed(gateway, leadId);
    expect([sandbox, steps.at(-1).error]).toMatchObject([
      undefined,
      { code: 'CONFIG_ERROR', message: expect.stringContaining('RECRUIT_URL_US is not set') },
    ]);
    expect(await gateway.post(`/api/leads/${leadId}/redrive`, mend)).toMatchObject({
      status: 503,
      body: { error: { code: 'CONFIG_ERROR' } },
    });
    expect((await gateway.sandbox()).requests).toEqual([]);
  });
  await during(settings(), async (gateway) => {
    real.answerWith({ status: 200, body: { siteId: '1263', patientInfo: { patientId: '128654' } } });
    expect(await gateway.post(`/api/leads/${leadId}/redrive`, mend)).toMatchObject({ status: 200 });
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
    expect(real.received).toHaveLength(1);
  });
});

it('one that came in for the sandbox and for a real system keeps to each of them', async () => {
  let leadId = '';
  const refusing = await openUpstream();
  refusing.answerWith({ status: 400, body: { message: 'no' } });
  await during({ KEY_SERVICE_URL: refusing.url }, async (gateway) => {
    const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead());
    ({ leadId } = body);
    expect(body.state).toBe('failed');
  });
  await refusing.close();
  await during({}, async (gateway) => {
    expect(await gateway.post(`/api/leads/${leadId}/redrive`, mend)).toMatchObject({
      status: 503,
      body: { error: { code: 'CONFIG_ERROR' } },
    });
    expect((await gateway.sandbox()).requests).toEqual([]);
  });
});
