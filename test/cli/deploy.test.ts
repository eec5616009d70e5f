/** `leadgate deploy`: new leads go to the current build, and open ones can be moved over. With processes: test/cluster/deploy.ts. */
import { randomBytes, randomUUID } from 'node:crypto';
import { replayBundlePath, testEngine } from '../support/engine';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { replaying } from '../support/replays';
import { until } from '../support/until';
import { alteredBundle } from './altered';
import { leadgate } from './support';

replaying();

const queue = `deploy-${randomUUID()}`;
const settings = {
  TASK_QUEUE: queue,
  WORKER_DEPLOYMENT: queue,
  LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};
const here = () => ({ ...settings, TEMPORAL_ADDRESS: testEngine().address, TEMPORAL_NAMESPACE: testEngine().namespace });
const deploy = (...argv: string[]) => leadgate(['deploy', ...argv], { settings: here() });
const move = (build: string, bundle = replayBundlePath()) => deploy('move', build, '--bundle', bundle);
const current = (build: string) => until(async () => (await deploy('current', build)).status === 0, `${build} is current`);

let first: Gateway;
let second: Gateway;
beforeAll(async () => {
  first = await startGateway({ settings: { ...settings, WORKER_BUILD_ID: 'a' } });
  second = await startGateway({ settings: { ...settings, WORKER_BUILD_ID: 'b' } });
  await until(async () => JSON.parse((await deploy('show', '--json')).out).builds.length === 2, 'both builds are known');
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
});

it('a build that nobody runs gets nothing', async () =>
  expect(await deploy('current', 'never')).toEqual({ status: 1, err: '', out: expect.stringContaining('start it, then say this again') }));

it('new leads go to the current build, open ones stay with theirs until they are moved, and only those that can go on are', async () => {
  expect((await deploy('show')).out).toContain('No build gets the new leads');
  expect((await leadgate(['doctor'], { settings: here() })).out).toMatch(/none of (a, b|b, a) gets the new leads/);
  await current('a');
  expect((await leadgate(['doctor'], { settings: here() })).out).not.toContain('gets the new leads');
  const parked = await first.post('/api/clinicsys/no-prescreen', newLead('comment-422-once'));
  expect(parked.status).toBe(422);
  // The run of the pauses stays open, and takes its next step with the build that is current then.
  expect((await first.post('/api/upstreams/pause', { upstream: 'screening', reason: 'a test' })).status).toBe(200);
  await current('b');
  expect((await second.post('/api/clinicsys/no-prescreen', newLead())).status).toBe(200);
  const { out } = await until(async () => {
    const said = await deploy('show');
    return /^a +1 open/m.test(said.out) && /^b +0 open +gets the new leads$/m.test(said.out) ? said : undefined;
  }, 'the parked lead is with a, and the delivered one with none');
  expect(out).toContain('The workers of a must stay');

  const bad = alteredBundle('await formatData(context, checked)', '{}');
  try {
    expect(await move('b', bad.path)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/lead-\S+: The code would not do the same[^]*0 moved to b, 1 left/),
    });
  } finally {
    bad.remove();
  }
  expect(await move('b')).toEqual({ status: 0, err: '', out: '1 moved to b, 0 left\n' });
  await until(async () => /^a +0 open/m.test((await deploy('show')).out), 'nothing is open with a');

  expect((await second.post('/api/upstreams/resume', { upstream: 'screening', reason: 'it is over' })).status).toBe(200);
  expect((await second.get('/api/upstreams')).body.changes).toMatchObject([{ verb: 'resume' }, { verb: 'pause' }]);

  const leadId = parked.headers.get('x-lead-id') ?? '';
  // Nothing goes out: each gateway has a simulator of its own, which knows no patient of the other one's.
  expect((await second.post(`/api/leads/${leadId}/confirm`, { reason: 'it is there', upstreamId: '4711' })).status).toBe(200);
  expect((await second.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({ state: 'delivered' });
});

it('none gives the new leads to workers without a build', async () => {
  expect(await deploy('current', 'none')).toEqual({ status: 0, err: '', out: 'New leads go to workers without a build\n' });
  const { out } = await deploy('show', '--json');
  expect(JSON.parse(out)).toMatchObject({ success: true, builds: [{ isCurrent: false }, { isCurrent: false }] });
});
