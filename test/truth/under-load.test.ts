/** Tests that answers are correct under load, while the engine's index lags behind. */
import { setTimeout as pause } from 'node:timers/promises';
import { endpoints } from '../../src/contract';
import {
  atOnce,
  eraseUntilDone,
  withoutAccessKey,
  leadIdOf,
  listed,
  noPrescreen,
  patientOf,
  sentOf,
  underLoad,
} from '../support/background';
import { newLead, sameInstallation, startGateway, type GatewayAnswer, type Gateway } from '../support/gateway';
import { until } from '../support/until';

/** Long enough for a held request to be released. */
const deadlines = Object.fromEntries(
  ['RECRUIT', 'LEADFORMS', 'SCREENING', 'CLINICSYS', 'KEY_SERVICE'].map((name) => [`${name}_TIMEOUT_MS`, '120000']),
);
const gateway = underLoad(deadlines);

/** A body without a key attaches to its open lead, through any API, but never to a lead with a key. */
describe('a body without an Idempotency-Key', () => {
  /** Their sends wait to be released, so that nothing ends before all have been asked. */
  const routes = {
    'no-prescreen': { path: noPrescreen, send: 'v1', body: newLead() },
    'with-prescreen': { path: endpoints.withPrescreen.path, send: 'v1', body: newLead() },
    recruit: { path: endpoints.sendToRecruit.path, send: 'recruit', body: endpoints.sendToRecruit.example },
    leadforms: { path: endpoints.sendToLeadforms.path, send: 'leadforms', body: endpoints.sendToLeadforms.example },
    screening: { path: endpoints.sendPatient.path, send: 'screening', body: endpoints.sendPatient.example },
  };
  type Route = keyof typeof routes;
  const everyRoute = Object.keys(routes) as Route[];

  interface Scene {
    readonly route: Route;
    readonly body: Readonly<Record<string, unknown>> & { readonly email: string };
    readonly leadId: string;
  }

  const bodyOf = (route: Route) => ({ ...routes[route].body, email: newLead(`${routes[route].send}-hold`).email });
  const post = (at: Pick<Gateway, 'post'>, { route, body }: Pick<Scene, 'route' | 'body'>, headers: Record<string, string> = {}) =>
    at.post(routes[route].path, body, { ...atOnce, ...headers });
  const keyOf = ({ email }: { email: string }, name = 'first') => ({ 'idempotency-key': `${name}-${email}` });

  async function begun(route: Route, at: Pick<Gateway, 'post'> = gateway()): Promise<Scene> {
    const body = bodyOf(route);
    const answer = await post(at, { route, body });
    expect(answer.status).toBe(202);
    return { route, body, leadId: leadIdOf(answer) };
  }

  async function expectAttached(at: Pick<Gateway, 'post'>, scenes: readonly Scene[]) {
    const answers = await Promise.all(scenes.map((scene) => post(at, scene)));
    const seen = answers.map((answer, index) => ({ route: scenes[index]?.route, status: answer.status, leadId: leadIdOf(answer) }));
    expect(seen).toEqual(scenes.map(({ route, leadId }) => ({ route, status: 202, leadId })));
  }

  /** Lets all sends go, until these leads have ended. */
  async function ended(leadIds: readonly string[]) {
    let areOver = false;
    const stateOf = async (leadId: string) => {
      const { state, error } = (await gateway().get(`/api/leads/${leadId}?wait=60`)).body;
      // A parked lead tells why.
      return state === 'parked' ? `parked: ${error?.code}, ${error?.message}` : state;
    };
    const states = Promise.all(leadIds.map(stateOf)).finally(() => (areOver = true));
    await until(async () => {
      await gateway().release();
      return areOver;
    }, 'all have ended');
    expect(await states).toEqual(leadIds.map(() => expect.stringMatching(/^(delivered|skipped)$/)));
  }

  /** So often each person was sent. */
  async function expectSent(scenes: readonly Scene[], times = 1) {
    await ended(scenes.map(({ leadId }) => leadId));
    const sent = await Promise.all(scenes.map(async ({ route, body }) => (await sentOf(gateway(), body.email, routes[route].send)).length));
    expect(sent).toEqual(scenes.map(() => times));
  }

  /** One more API on the same engine and queue, with a memory of its own. */
  const anotherApi = () => startGateway({ withoutWorker: true, settings: { ...sameInstallation(gateway()), ...deadlines } });

  describe.each(everyRoute)('on %s', (route) => {
    it('attaches to its open lead, also after another body of the same person', async () => {
      const scene = await begun(route);
      const other = {
        ...scene.body,
        protocol: 'another',
        source_url: 'https://example.org/another',
        postal_code: '33433',
        postalCode: '33433',
      };
      const between = await post(gateway(), { route, body: other });
      expect(leadIdOf(between)).not.toBe(scene.leadId);
      await expectAttached(gateway(), [scene, scene]);
      await ended([leadIdOf(between)]);
      // Of one person on no-prescreen the second is not sent: the e-mail is there.
      await expectSent([scene], route === 'no-prescreen' ? 1 : 2);
    });

    it('never attaches to a lead that was sent with a key', async () => {
      const scene = await begun(route);
      const keyed = await Promise.all(['first', 'second'].map((name) => post(gateway(), scene, keyOf(scene.body, name))));
      const leadIds = keyed.map(leadIdOf);
      expect(new Set([scene.leadId, ...leadIds]).size).toBe(3);
      await expectAttached(gateway(), [scene]);
      await ended(leadIds);
      await expectSent([scene], route === 'no-prescreen' ? 1 : 3);
    });
  });

  it.each(['recruit', 'leadforms', 'screening'] as const)('on %s attaches to its lead after an unchanged redrive', async (route) => {
    const { send, path } = routes[route];
    const body = { ...routes[route].body, email: newLead(`${send}-refused-once+${send}-hold`).email };
    const refused = await gateway().post(path, body);
    const scene = { route, body, leadId: leadIdOf(refused) };
    const redriven = await gateway().post(`/api/leads/${scene.leadId}/redrive`, { reason: 'It is refused no longer' });
    expect([refused.status, redriven.status]).toEqual([422, 200]);
    await expectAttached(gateway(), [scene]);
    // The refused one, and the one that waits to be released.
    await expectSent([scene], 2);
  });

  it('starts a new lead after its lead has ended', async () => {
    const scene = await begun('recruit');
    await expectSent([scene]);
    const again = await gateway().post(routes.recruit.path, { ...scene.body }, atOnce);
    expect(leadIdOf(again)).not.toBe(scene.leadId);
    await ended([leadIdOf(again)]);
  });

  it('attaches to its lead through a second API on the same engine, on every route', async () => {
    const second = await anotherApi();
    try {
      const scenes = await Promise.all(everyRoute.map((route) => begun(route)));
      await expectAttached(second, scenes);
      const begunThere = await Promise.all(everyRoute.map((route) => begun(route, second)));
      await expectAttached(gateway(), begunThere);
      await expectSent([...scenes, ...begunThere]);
    } finally {
      await second.stop();
    }
  });

  it('attaches to its lead after a restart of the API, on every route, also after other requests', async () => {
    const before = await anotherApi();
    const scenes = await Promise.all(everyRoute.map((route) => begun(route, before)));
    const crowded = await Promise.all(everyRoute.map((route) => begun(route, before)));
    const between: string[] = [];
    for (const { route, body } of crowded)
      between.push(leadIdOf(await post(before, { route, body: { ...body, protocol: 'another', postalCode: '33433' } })));
    await before.stop();
    const after = await anotherApi();
    try {
      await expectAttached(after, [...scenes, ...crowded]);
      await ended([...crowded.map(({ leadId }) => leadId), ...between]);
      await expectSent(scenes);
    } finally {
      await after.stop();
    }
  });
});

/** A list and the counts reflect all earlier answers, with any filter. */
describe('the list and the counts', () => {
  const reason = 'The input is mended';
  let people = 0;

  /** A lead that nothing else in this file has a term in common with, and what it is found by. */
  function makeLead(sentinels = '', instance = '') {
    const tag = `${process.pid}-${++people}`;
    const digits = String(2_000_000_000 + Math.floor(Math.random() * 7_999_999_999)).slice(0, 10);
    const lead = newLead(sentinels, {
      phone: digits,
      protocol: `AD-${tag}`,
      StudyID: 10_000 + people,
      instanceName: ['erg-oct', tag, instance].filter(Boolean).join('.'),
    });
    const since = new Date().toISOString();
    const terms: Record<string, string>[] = [
      { email: lead.email.toUpperCase() },
      { phone: `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)} ${digits.slice(6)}` },
      { protocol: `AD-${tag}` },
      { studyId: String(10_000 + people) },
      { instanceName: String(lead.instanceName) },
      { site: String(lead.instanceName) },
      { since, protocol: `AD-${tag}` },
    ];
    return { lead, terms };
  }

  interface Shown {
    readonly leadId: string;
    readonly state: string;
  }

  /** Asked by each of its terms at once, and counted by each: it is there in this state, and in no other. */
  async function expectListed(leadId: string, state: string, terms: readonly Record<string, string>[]) {
    const ask = async (path: string, filter: Record<string, string>) => {
      const { status, body } = await gateway().get(`${path}?${new URLSearchParams(filter).toString()}`);
      expect(status).toBe(200);
      return body;
    };
    const flow = { flow: 'no-prescreen', limit: '200' };
    const all = [...terms, ...terms.map((term) => ({ ...term, state })), { state, limit: '200' }, flow, { state, ...flow }];
    const [found, counts] = await Promise.all([
      Promise.all(
        all.map(async (filter) => {
          const { leads } = (await ask('/api/leads', filter)) as { leads: Shown[] };
          return { filter, state: leads.find((one) => one.leadId === leadId)?.state };
        }),
      ),
      Promise.all(
        terms.map(async (filter) => {
          const { counts } = (await ask('/api/leads/counts', filter)) as { counts: Record<string, number> };
          return { filter, counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) };
        }),
      ),
    ]);
    expect(found).toEqual(all.map((filter) => ({ filter, state })));
    expect(counts).toEqual(terms.map((filter) => ({ filter, counts: { [state]: 1 } })));
  }

  const protocolOf = (terms: readonly Record<string, string>[]) => terms.find((term) => 'protocol' in term) ?? {};

  /** The trouble that the lead has. */
  const troubled = (terms: readonly Record<string, string>[], code: string, upstream: string) => [
    { ...protocolOf(terms), code },
    { ...protocolOf(terms), code, upstream },
  ];

  /** In no list of a state that it has left. */
  async function expectNotListed(leadId: string, states: readonly string[], terms: readonly Record<string, string>[]) {
    const filters = terms.flatMap((term) => states.map((state) => ({ ...term, state })));
    const found = await Promise.all(filters.map(async (filter) => ({ filter, ids: await listed(gateway(), filter) })));
    expect(found.filter(({ ids }) => ids.includes(leadId))).toEqual([]);
  }

  /** Lets this lead go on, until it is delivered. */
  async function release(leadId: string) {
    const isDelivered = async () => {
      await gateway().release();
      return (await gateway().get(`/api/leads/${leadId}`)).body.state === 'delivered';
    };
    await until(isDelivered, 'it is delivered');
  }

  describe('include an answered lead at once:', () => {
    it('accepted', async () => {
      const { lead, terms } = makeLead('', 'key-hold');
      const { status, body } = await gateway().post(noPrescreen, lead, atOnce);
      expect([status, body.state]).toEqual([202, 'running']);
      await expectListed(body.leadId, 'running', terms);
      await release(body.leadId);
    });

    it('redriven, then delivered', async () => {
      const { lead, terms } = makeLead('', 'key-404');
      const { leadId } = (await gateway().post(noPrescreen, lead)).body;
      const instanceName = String(lead.instanceName).replace('key-404', 'key-hold');
      const [, , , , , , since] = terms;
      const now = [...terms.filter((term) => !('site' in term || 'instanceName' in term || term === since)), { instanceName }];
      const sent = await gateway().post(`/api/leads/${leadId}/redrive`, { reason, fields: { instanceName } });
      expect(sent.status).toBe(200);
      await expectListed(leadId, 'running', now);
      await expectNotListed(leadId, ['failed'], now);
      expect(await listed(gateway(), { ...protocolOf(terms), code: 'UPSTREAM_REJECTED' })).toEqual([]);
      await release(leadId);
      await expectListed(leadId, 'delivered', now);
    });

    it('delivered', async () => {
      const { lead, terms } = makeLead();
      const answer = await gateway().post(noPrescreen, lead);
      expect(answer.status).toBe(200);
      const patientId = String(answer.body.rtResponse.PatientID);
      await expectListed(leadIdOf(answer), 'delivered', [...terms, { patientId }]);
      await expectNotListed(leadIdOf(answer), ['running', 'waiting'], terms);
    });

    it('failed', async () => {
      const { lead, terms } = makeLead('v1-refused');
      const { status, body } = await gateway().post(noPrescreen, lead);
      expect([status, body.state]).toEqual([422, 'failed']);
      await expectListed(body.leadId, 'failed', [...terms, ...troubled(terms, 'UPSTREAM_REJECTED', 'V1')]);
    });

    it('waiting, with its latest error', async () => {
      const { lead, terms } = makeLead('', 'key-429');
      const { leadId } = (await gateway().post(noPrescreen, lead, atOnce)).body;
      const shown = async () => (await gateway().get(`/api/leads/${leadId}`)).body;
      await until(async () => (await shown()).state === 'waiting', 'it waits');
      await expectListed(leadId, 'waiting', [...terms, ...troubled(terms, 'RATE_LIMITED', 'key-service')]);
    });

    it('parked', async () => {
      const { lead, terms } = makeLead('comment-422');
      const { body } = await gateway().post(noPrescreen, lead);
      expect(body.state).toBe('parked');
      await expectListed(body.leadId, 'parked', [...terms, ...troubled(terms, 'UPSTREAM_REJECTED', 'V2')]);
      await expectNotListed(body.leadId, ['running'], terms);
    });

    it.each([
      ['discard', 'discarded'],
      ['confirm', 'delivered'],
      ['resend', 'delivered'],
    ])('decided by a person: %s', async (verb, state) => {
      const { lead, terms } = makeLead('comment-422-once');
      const { leadId } = (await gateway().post(noPrescreen, lead)).body;
      const fields = verb === 'confirm' ? { upstreamId: await patientOf(gateway(), leadId) } : {};
      expect((await gateway().post(`/api/leads/${leadId}/${verb}`, { reason, ...fields })).status).toBe(200);
      await expectNotListed(leadId, ['parked'], terms);
      expect(await listed(gateway(), { ...protocolOf(terms), upstream: 'V2' })).toEqual([]);
      expect((await gateway().get(`/api/leads/${leadId}?wait=60`)).body.state).toBe(state);
      await expectListed(leadId, state, terms);
    });
  });

  it('never include a lead after its erasure is complete', async () => {
    const { lead, terms } = makeLead();
    const leadId = leadIdOf(await gateway().post(noPrescreen, lead));
    await eraseUntilDone(gateway(), { email: lead.email });
    const found = await Promise.all(
      [...terms, { state: 'delivered' }, { flow: 'no-prescreen' }].map((filter) => listed(gateway(), filter)),
    );
    expect(found.flat()).not.toContain(leadId);
    const counts = await Promise.all(
      terms.map(async (filter) => (await gateway().get(`/api/leads/counts?${new URLSearchParams(filter).toString()}`)).body.counts),
    );
    expect(counts.map((each: Record<string, number>) => Object.values(each).filter(Boolean))).toEqual(terms.map(() => []));
  });
});

/** An answered lead keeps its result, whatever else is sent for the same person or with the same body. */
describe('leads of one person', () => {
  interface Seen {
    readonly status: number;
    readonly state?: string;
  }

  /** Often enough to look several times while the index lags. */
  const lookEveryMs = 20;

  /** What is told of a lead again and again, until `ended` resolves. */
  async function seenUntil(leadId: string, ended: Promise<unknown>): Promise<Seen[]> {
    const seen: Seen[] = [];
    const over = new AbortController();
    const watched = ended.finally(() => over.abort());
    while (!over.signal.aborted) {
      const { status, body } = await gateway().get(`/api/leads/${leadId}`);
      seen.push({ status, state: body.state });
      await pause(lookEveryMs);
    }
    await watched;
    return seen;
  }

  const different = (seen: readonly Seen[]) => [...new Set(seen.map((one) => JSON.stringify(one)))];
  const delivered = [JSON.stringify({ status: 200, state: 'delivered' })];

  /** Another lead of the same person, under way for most of a second: the comment takes its time. */
  const another = (lead: ReturnType<typeof newLead>) => ({ ...lead, protocol: 'comment-slow-700' });

  it.each([
    ['without an Idempotency-Key', false],
    ['with one', true],
  ])('a delivered lead %s stays delivered while another lead of the person is open', async (_, hasKey) => {
    const lead = newLead();
    const first = await gateway().post(noPrescreen, lead, hasKey ? { 'idempotency-key': `first-${lead.email}` } : {});
    expect(first.status).toBe(200);

    const second = gateway().post(noPrescreen, another(lead));
    const seen = await seenUntil(leadIdOf(first), second);
    expect(different(seen)).toEqual(delivered);
    expect((await second).status).toBe(200);
    expect((await gateway().get(`/api/leads/${leadIdOf(first)}`)).body.result).toEqual(withoutAccessKey(first.body));
  });

  it('an open lead stays readable while the person’s next lead waits for it', async () => {
    const lead = newLead('v1-slow-500');
    const first = await gateway().post(noPrescreen, lead, atOnce);
    const second = gateway().post(noPrescreen, { ...lead, protocol: 'other' });
    const seen = await seenUntil(leadIdOf(first), second);
    expect(seen.filter(({ status }) => status !== 200)).toEqual([]);
    expect(seen.map(({ state }) => state)).not.toContain('failed');
    expect((await gateway().get(`/api/leads/${leadIdOf(first)}?wait=60`)).body.state).toBe('delivered');
  });

  it.each([
    ['no-prescreen', noPrescreen, () => newLead()],
    ['with-prescreen', endpoints.withPrescreen.path, () => newLead()],
    ['recruit', endpoints.sendToRecruit.path, () => ({ ...endpoints.sendToRecruit.example, email: newLead().email })],
  ])('%s: each of several leads with the same body keeps its own result', async (_, path, make) => {
    const body = make();
    const sent: GatewayAnswer[] = [];
    for (let at = 0; at < 3; at++) {
      const answer = await gateway().post(path, body);
      expect(answer.status).toBe(200);
      sent.push(answer);
      const told = await Promise.all(sent.map((one) => gateway().get(`/api/leads/${leadIdOf(one)}`)));
      expect(told.map(({ status }) => status)).toEqual(sent.map(() => 200));
      expect(told.map(({ body: { leadId, result } }) => ({ leadId, result }))).toEqual(
        sent.map((one) => ({ leadId: leadIdOf(one), result: withoutAccessKey(one.body) })),
      );
    }
    expect(new Set(sent.map(leadIdOf)).size).toBe(3);
  });
});
