/** The upstreams from the command line: paused, listed with who, why and what waits, and resumed. */
import { newLead, startGateway } from '../support/gateway';
import { until } from '../support/until';
import { onGateway } from './on-gateway';
import { leadgate } from './support';

const { gateway, here } = onGateway();

it('pauses an instance, lists it, and resumes it', async () => {
  const instance = 'ERG/erg-oct.paused';
  expect(await here('upstreams', 'pause', 'V1', instance, '--reason', 'it is being updated')).toEqual({
    status: 0,
    out: `V1 ${instance} is paused: no lead begins to go out\n`,
    err: `No lead is known to have gone to ${instance}: if its name is mistyped, no lead is stopped\n`,
  });
  const lead = newLead('', { instanceName: 'erg-oct.paused' });
  const { body } = await gateway().post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async' });
  const list = async () => (await here('upstreams', 'list')).out;
  const waits = /^V1 ERG\/erg-oct\.paused {2}paused {2}1 lead in the line {2}sandbox {2}since [-\d]+ [:\d]+Z: it is being updated$/m;
  await until(async () => waits.test(await list()), 'a lead waits in the line');
  const shown = (await here('lead', 'show', body.leadId)).out;
  expect(shown).toMatch(/\n {2}send-to-rt +sendToRt +not sent /);
  expect(shown).toContain(`It goes on when a person resumes the upstream:\n  leadgate upstreams resume V1 ${instance} --reason '…'\n`);
  expect((await here('audit', 'list')).out).toContain(`pause upstream  done   V1 ${instance}`);
  expect(await list()).toMatch(/^task-board +open +sandbox$/m);
  expect(JSON.parse((await here('upstreams', 'list', '--json')).out)).toMatchObject({ success: true, count: 8 });

  const again = await here('upstreams', 'pause', 'V1', instance, '--reason', 'once more');
  expect(again).toMatchObject({ status: 1, err: expect.stringContaining('WRONG_STATE: V1 ERG/erg-oct.paused is paused already') });
  expect((await here('upstreams', 'resume', 'V1', instance, '--reason', 'the update is done')).out).toBe(
    `V1 ${instance} is no longer paused\n`,
  );
  await until(async () => !waits.test(await list()), 'nobody waits');
  expect((await here('upstreams', 'history')).out.replaceAll(/^[-\d]+ [:\d]+Z/gm, 'when')).toBe(
    [`when  local  resumed  V1 ${instance}  the update is done\n`, `when  local  paused   V1 ${instance}  it is being updated\n`].join(''),
  );
  expect(JSON.parse((await here('upstreams', 'history', '--json')).out)).toMatchObject({
    count: 2,
    changes: [{ verb: 'resume', upstream: 'V1', instance }, { verb: 'pause' }],
  });
});

it('says that nobody has paused or resumed one', async () => {
  const fresh = await startGateway({ withoutWorker: true });
  try {
    const { out } = await leadgate(['upstreams', 'history'], { settings: { LEADGATE_URL: fresh.url } });
    expect(out).toBe('Nobody paused or resumed an upstream in the last 30 days.\n');
  } finally {
    await fresh.stop();
  }
});

it('refuses an upstream and an instance that no lead goes to', async () => {
  expect(await here('upstreams', 'pause', 'V3', '--reason', 'a test')).toMatchObject({ status: 2 });
  expect(await here('upstreams', 'pause', 'V1', 'erg-oct', '--reason', 'a test')).toMatchObject({
    status: 2,
    err: expect.stringContaining('instance: must be an account and an instance, such as ERG/erg-oct'),
  });
});
