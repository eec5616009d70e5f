/** Tests that every spelling of an e-mail or a phone finds and erases the same person, also after a redrive. */
import { endpoints } from '../../src/contract';
import { atOnce, eraseUntilDone, leadIdOf, listed, noPrescreen } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ settings: { SYNC_WAIT_MS: '60000' } })));
afterAll(() => gateway.stop());

const reason = 'The input is mended';
let people = 0;
const tag = () => `${process.pid}x${++people}`;
const randomDigits = (count: number) => Array.from({ length: count }, () => 2 + Math.floor(Math.random() * 8)).join('');

/** An e-mail of exactly this length, with a common prefix. */
const longEmail = (length: number, end = tag()) => `${'a'.repeat(length - end.length - '@example.org'.length)}${end}@example.org`;

const routes = {
  'no-prescreen': { path: noPrescreen, body: newLead() },
  'with-prescreen': { path: endpoints.withPrescreen.path, body: newLead() },
  recruit: { path: endpoints.sendToRecruit.path, body: endpoints.sendToRecruit.example },
  leadforms: { path: endpoints.sendToLeadforms.path, body: endpoints.sendToLeadforms.example },
  screening: { path: endpoints.sendPatient.path, body: endpoints.sendPatient.example },
};
type Route = keyof typeof routes;
const everyRoute = Object.keys(routes) as Route[];

/** A lead with only this personal data, for this route. */
async function sent(route: Route, person: object): Promise<string> {
  const { path, body } = routes[route];
  const none = { email: undefined, phone: undefined, phone_number: undefined };
  const answer = await gateway.post(path, { ...body, ...none, ...person });
  expect([answer.status, answer.body.error?.details]).toEqual([200, undefined]);
  return leadIdOf(answer);
}

interface Sent {
  readonly as: string;
  readonly leadId: string;
}

/** Leads of one person, one for each route. They wait for each other. */
async function sentAs(ways: readonly { readonly as: string; readonly route?: Route; readonly person: object }[]): Promise<Sent[]> {
  const all: Sent[] = [];
  for (const { as, route = 'no-prescreen', person } of ways)
    all.push({ as, leadId: await sent(route, { ...person, protocol: `AD-${tag()}` }) });
  return all;
}

/** Checks that all leads are found by each spelling, and erased by the last. */
async function expectOnePerson(leads: readonly Sent[], readings: readonly Record<string, string>[]) {
  const found = await Promise.all(
    readings.map(async (reading) => {
      const ids = await listed(gateway, reading);
      return { reading, found: leads.filter(({ leadId }) => ids.includes(leadId)).map(({ as }) => as), count: ids.length };
    }),
  );
  const all = { found: leads.map(({ as }) => as), count: leads.length };
  expect(found).toEqual(readings.map((reading) => ({ reading, ...all })));
  await eraseUntilDone(gateway, readings.at(-1) ?? {});
  const left = await Promise.all(leads.map(async ({ as, leadId }) => ({ as, status: (await gateway.get(`/api/leads/${leadId}`)).status })));
  expect(left).toEqual(leads.map(({ as }) => ({ as, status: 404 })));
}

describe('an e-mail', () => {
  it.concurrent.each([101, 254])('of %i characters is compared in full, without regard to case and outer spaces', async (length) => {
    const [ours, theirs] = [longEmail(length, `${tag()}a`), longEmail(length, `${tag()}b`)];
    const [our, [their]] = await Promise.all([
      sentAs([ours, ours.toUpperCase(), ` ${ours}  `].map((email) => ({ as: email, person: { email } }))),
      sentAs([{ as: 'theirs', person: { email: theirs } }]),
    ]);
    expect(await listed(gateway, { email: theirs })).toEqual([their?.leadId]);
    await expectOnePerson(
      our,
      [ours, ` ${ours} `, ours.toUpperCase()].map((email) => ({ email })),
    );
    expect((await gateway.get(`/api/leads/${their?.leadId}`)).status).toBe(200);
  });

  it.concurrent('of 254 characters is found and erased in leads of every route', async () => {
    const email = longEmail(254);
    await expectOnePerson(await sentAs(everyRoute.map((route) => ({ as: route, route, person: { email: `  ${email} ` } }))), [{ email }]);
  });

  describe.each(['\u200b', '\u00ad', '\u2060', '\ufe0f', '\u3164', '\u0007', '\ufeff'])('with the invisible character %j', (unseen) => {
    const email = `ann${unseen}-${tag()}@example.org`;
    const refused = { status: 400, body: { error: { code: 'VALIDATION_ERROR', details: [{ field: 'email' }] } } };

    it.each(everyRoute)('is refused by %s', async (route) => {
      const { path, body } = routes[route];
      expect(await gateway.post(path, { ...body, email })).toMatchObject(refused);
    });

    it('is refused in searches, erasures and bulk redrives', async () => {
      expect(await gateway.get(`/api/leads?email=${encodeURIComponent(email)}`)).toMatchObject(refused);
      expect(await gateway.get(`/api/leads/counts?email=${encodeURIComponent(email)}`)).toMatchObject(refused);
      expect(await gateway.post('/api/erase', { email, reason })).toMatchObject(refused);
      expect(await gateway.post('/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct', email })).toMatchObject(refused);
      const filtered = await gateway.post('/api/redrives', { filter: { email }, reason });
      expect([filtered.status, filtered.body.error.details[0].field]).toEqual([400, 'filter.email']);
    });
  });

  const spellings = (name: string) => [
    `jos\u00e9-${name}@example.org`,
    `jose\u0301-${name}@example.org`,
    `JOS\u00c9-${name.toUpperCase()}@EXAMPLE.ORG`,
    ` JOSE\u0301-${name.toUpperCase()}@Example.Org `,
  ];

  it.concurrent('with an accent is one person in every Unicode normalisation', async () => {
    const all = spellings(tag());
    await expectOnePerson(
      await sentAs(all.map((email, at) => ({ as: `spelling ${at}`, person: { email } }))),
      all.map((email) => ({ email })),
    );
  });

  it.concurrent('in two Unicode normalisations has one person lock', async () => {
    const [composed, parts] = spellings(`${tag()}+v1-slow-800`);
    const first = await gateway.post(noPrescreen, newLead('', { email: composed }), atOnce);
    const second = await gateway.post(noPrescreen, newLead('', { email: parts }));
    expect(second.status).toBe(200);
    const ends = async (leadId: string): Promise<Record<string, string | undefined>> => {
      const { steps } = (await gateway.get(`/api/leads/${leadId}?wait=60`)).body;
      return Object.fromEntries(steps.map(({ name, endedAt }: { name: string; endedAt?: string }) => [name, endedAt]));
    };
    // Either lead may take the lock first. The other looks the e-mail up after that one was sent.
    const leads = [await ends(first.body.leadId), await ends(leadIdOf(second))];
    const isAfter = (one: Record<string, string | undefined> = {}, other: Record<string, string | undefined> = {}) =>
      (one['check-email'] ?? '') >= (other['send-to-rt'] ?? '~');
    expect([isAfter(leads[0], leads[1]), isAfter(leads[1], leads[0])]).toContain(true);
  });
});

describe('a phone', () => {
  const national = (digits: string) => [
    digits,
    `1${digits}`,
    `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`,
    `1.${digits.slice(0, 3)}.${digits.slice(3, 6)}.${digits.slice(6)}`,
    ` ${digits.slice(0, 5)} ${digits.slice(5)} `,
  ];
  const extended = (digits: string) => [
    `${digits} x12`,
    `${digits} ext. 345`,
    `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)} #6`,
    `+1${digits};ext=7`,
    digits,
  ];
  const foreign = (digits: string) => [
    `+${digits}`,
    digits,
    `+${digits.slice(0, 2)} ${digits.slice(2, 4)} ${digits.slice(4)}`,
    `(${digits.slice(0, 2)}) ${digits.slice(2, 6)}-${digits.slice(6)}`,
  ];

  it.concurrent.each([
    ['of ten digits', national(randomDigits(10))],
    ['of ten digits with an extension', extended(randomDigits(10))],
    ['of another country, twelve digits', foreign(`44${randomDigits(10)}`)],
    ['of another country, eleven digits', foreign(`49${randomDigits(9)}`)],
    ['of eight digits', foreign(randomDigits(8))],
  ])('%s is one person in every format', async (_, all) => {
    const leads = await sentAs(all.map((phone) => ({ as: phone, person: { email: newLead().email, phone } })));
    await expectOnePerson(
      leads,
      all.map((phone) => ({ phone })),
    );
  });

  it.concurrent('is found and erased in every phone field, also next to another number', async () => {
    const fields: readonly [field: string, route: Route][] = [
      ...['phone', 'homePhone', 'workPhone', 'cellPhone', 'phone_number'].map((field): [string, Route] => [field, 'no-prescreen']),
      ['phone', 'with-prescreen'],
      ['phone', 'recruit'],
      ['homePhone', 'recruit'],
      ['workPhone', 'recruit'],
      ['phone_number', 'leadforms'],
      ['phone_number', 'screening'],
    ];
    const digits = randomDigits(10);
    const leads = await sentAs(
      fields.map(([field, route]) => {
        const main = route === 'leadforms' || route === 'screening' ? 'phone_number' : 'phone';
        const person = { email: newLead().email, [main]: randomDigits(10), [field]: `1 (${digits.slice(0, 3)}) ${digits.slice(3)}` };
        return { as: `${field} of ${route}`, route, person };
      }),
    );
    await expectOnePerson(
      leads,
      national(digits).map((phone) => ({ phone })),
    );
  });
});

describe('a lead that was redriven with another e-mail and phone', () => {
  it.concurrent.each([
    ['the old e-mail', 0],
    ['the old phone', 1],
    ['the new e-mail', 2],
    ['the new phone', 3],
  ])('is found by the old and the new values, and erased by %s', async (_, at) => {
    const [old, mended] = [randomDigits(10), randomDigits(10)];
    const before = newLead('', { instanceName: 'erg-oct.key-404', phone: old });
    const after = newLead();
    const { leadId } = (await gateway.post(noPrescreen, before)).body;
    const fields = { instanceName: 'erg-oct', email: after.email, phone: mended };
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields })).status).toBe(200);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
    const readings: Record<string, string>[] = [{ email: before.email }, { phone: old }, { email: after.email }, { phone: mended }];
    const [last = {}] = readings.splice(at, 1);
    await expectOnePerson([{ as: 'the lead', leadId }], [...readings, last]);
  });
});
