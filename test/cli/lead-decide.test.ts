/** Parked and failed leads from the command line: watched, decided about and redriven, and nothing personal on the screen. */
import { workflowIdOf } from '../../src/domain/ids';
import { newLead } from '../support/gateway';
import { until } from '../support/until';
import { onGateway } from './on-gateway';

const { gateway, here, sent } = onGateway();

it('a waiting lead tells what it waits for, and is tried when somebody says so', async () => {
  const { id } = await sent(newLead('', { instanceName: 'erg-oct.key-429' }), '--no-wait');
  await until(async () => (await here('lead', 'show', id)).out.includes('Waits in the line of key-service'), 'it waits');
  const tried = await until(async () => {
    const said = await here('lead', 'try', id, '--reason', 'the key service is back');
    return said.status === 0 ? said : undefined;
  }, 'it is tried');
  expect(tried.out).toContain(`${id} no longer waits for its next try`);
  expect((await here('lead', 'show', id)).out).toContain('said try at');
});

describe('a parked lead', () => {
  it('is watched until it is parked, sent on by a person, and watched to its end', async () => {
    const { id, said } = await sent(newLead('comment-500-once+readback-405'), '--no-wait');
    expect(said.out).toContain('"pending": true');
    const watched = await here('lead', 'watch', id);
    expect(watched.status).toBe(1);
    expect(watched.out).toMatch(/send-comments +parked {2}OUTCOME_UNKNOWN/);
    expect(watched.out).toContain(`leadgate lead resend ${id} --reason`);
    expect((await here('lead', 'resend', id)).err).toBe('leadgate: --reason is missing; see leadgate lead resend --help\n');
    const resent = await here('lead', 'resend', id, '--reason', 'looked: it is not there');
    expect(resent).toEqual({ status: 0, out: `${id} is running now; leadgate lead watch ${id} shows how it goes on\n`, err: '' });
    expect(await here('lead', 'watch', id)).toMatchObject({ status: 0, out: expect.stringContaining('delivered') });
    expect(await here('lead', 'discard', id, '--reason', 'late')).toMatchObject({ status: 1, err: expect.stringContaining('WRONG_STATE') });
  });

  it('is watched with the time of each change, however late', async () => {
    const { id } = await sent(newLead('comment-422'));
    const { steps, updatedAt } = JSON.parse((await here('lead', 'show', id, '--json')).out);
    const changes = steps.map(({ endedAt, name }: { endedAt?: string; name: string }) => [endedAt ?? updatedAt, name]);
    const seconds = changes.map(([at, name]: string[]) => `${at?.slice(0, 19).replace('T', ' ')}Z  ${name?.padEnd(14)} `);
    const { out } = await here('lead', 'watch', id);
    expect(out.split('\n').slice(0, 5)).toEqual(seconds.map((line: string) => expect.stringContaining(line)));
    const lines = (await here('lead', 'watch', id, '--json')).out.split('\n').slice(0, 5);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(changes.map(([changedAt, name]: string[]) => ({ name, changedAt })));
  });

  it('is confirmed with the id that the upstream gave it', async () => {
    const { id, said } = await sent(newLead('comment-422'));
    expect(said.status).toBe(1);
    const { out } = await here('lead', 'show', id);
    for (const words of ['Only its comment waits', 'sends the comment alone', "--upstream-id <the patient's id>"])
      expect(out).toContain(words);
    expect(await here('lead', 'confirm', id, '--reason', 'there', '--upstream-id', '139712')).toEqual({
      status: 0,
      out: `${id} is running now; leadgate lead watch ${id} shows how it goes on\n`,
      err: '',
    });
    expect(await here('lead', 'watch', id, '--json')).toMatchObject({ status: 0, out: expect.stringContaining('"state":"delivered"') });
    expect((await here('lead', 'show', id)).out).toMatch(/send-comments +done +1 try .*\n {2}A person said confirm at \S+Z: there\n/);
  });
});

it('tells where a discarded lead shows its steps', async () => {
  const { id } = await sent(newLead('comment-422'));
  expect(await here('lead', 'discard', id, '--reason', 'a test')).toEqual({
    status: 0,
    out: `${id} is discarded now; leadgate lead show ${id} shows its steps\n`,
    err: '',
  });
  expect((await here('lead', 'show', id)).out).toContain(`${id}  no-prescreen  discarded`);
});

describe('a failed lead', () => {
  it('goes again with corrected fields', async () => {
    const { id, said } = await sent(newLead('', { instanceName: 'erg-oct.key-404' }));
    expect(said).toMatchObject({ status: 1, out: `Lead ${id}: leadgate lead show ${id}\n` });
    expect((await here('lead', 'show', id)).out).toContain(`leadgate lead redrive ${id}`);
    const mended = await here('lead', 'redrive', id, '--reason', 'mistyped', '--set', 'instanceName=erg-oct', '--set', 'StudyID:=12');
    expect(mended).toMatchObject({ status: 0, err: '' });
    expect(await here('lead', 'watch', id)).toMatchObject({ status: 0, out: expect.stringContaining(`${id}  no-prescreen  delivered`) });
    expect((await here('lead', 'show', id)).out).toMatch(/\n {2}A person said redrive at \S+Z: mistyped\n/);
  });

  it('is not sent with a field that cannot be read', async () =>
    expect((await here('lead', 'redrive', 'p1', '--reason', 'r', '--set', 'a:=b')).err).toContain('--set a:= must be followed by JSON'));
});

it('a lead whose run was ended is redriven once somebody has looked', async () => {
  const { id } = await sent(newLead('comment-422'));
  await gateway().client.workflow.getHandle(workflowIdOf(id)).terminate();
  expect((await here('lead', 'show', id)).out).toContain(`leadgate lead redrive ${id} --reason '…' --not-there`);
  const redrive = ['lead', 'redrive', id, '--reason', 'looked', '--set', `email=${newLead().email}`];
  expect(await here(...redrive)).toMatchObject({ status: 1, err: expect.stringContaining('"notThere": true redrives it') });
  expect((await here(...redrive, '--not-there')).out).toContain('is running now');
});
