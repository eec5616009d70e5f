/** A body without a key attaches to its own open lead, whichever process asks. A lead that came with a key is another one. */
import { endpoints } from '../../src/contract';
import { atOnce, leadIdOf, noPrescreen, sentOf, underLoad } from '../support/background';
import { newLead, sameInstallation, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

/** A send that waits to be released is waited for until then. */
const deadlines = Object.fromEntries(['RECRUIT', 'LEADFORMS', 'SCREENING', 'CLINICSYS'].map((name) => [`${name}_TIMEOUT_MS`, '120000']));
const gateway = underLoad(deadlines);

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

describe.each(everyRoute)('%s: without a key the same body attaches', (route) => {
  it('to its open lead, also when another body of the same person came in between', async () => {
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

  it('to no lead that a key began, nor to one that another key began', async () => {
    const scene = await begun(route);
    const keyed = await Promise.all(['first', 'second'].map((name) => post(gateway(), scene, keyOf(scene.body, name))));
    const leadIds = keyed.map(leadIdOf);
    expect(new Set([scene.leadId, ...leadIds]).size).toBe(3);
    await expectAttached(gateway(), [scene]);
    await ended(leadIds);
    await expectSent([scene], route === 'no-prescreen' ? 1 : 3);
  });
});

it.each(['recruit', 'leadforms', 'screening'] as const)('%s: to its lead that is sent again as it was', async (route) => {
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

it('a body without a key is a new lead again when its lead has ended', async () => {
  const scene = await begun('recruit');
  await expectSent([scene]);
  const again = await gateway().post(routes.recruit.path, { ...scene.body }, atOnce);
  expect(leadIdOf(again)).not.toBe(scene.leadId);
  await ended([leadIdOf(again)]);
});

it('at a second API on the same engine, on every route', async () => {
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

it('after a restart of the API, on every route, also when something came in between', async () => {
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
