/** Parked and failed leads from the command line: watched, decided about and redriven, and nothing personal on the screen. */
import { stripVTControlCharacters } from 'node:util';
import { newLead } from '../support/gateway';
import { until } from '../support/until';
import { onGateway } from './on-gateway';
import { leadgate } from './support';

const { here, sent, settings } = onGateway();

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

it('a discarded lead does not go on, and the line says so', async () => {
  const { id } = await sent(newLead('comment-422'));
  expect(await here('lead', 'discard', id, '--reason', 'a test')).toEqual({
    status: 0,
    out: `${id} is discarded now and does not go on; leadgate lead show ${id} shows what it did\n`,
    err: '',
  });
  expect((await here('lead', 'show', id)).out).toContain(`${id}  no-prescreen  discarded`);
});

describe('what people said of a lead', () => {
  const reason = 'looked:\u001b[2J\u001b[31m\u009b8m it is\n  there\u0007';
  let id: string;

  beforeAll(async () => {
    ({ id } = await sent(newLead('comment-422')));
    expect(await here('lead', 'confirm', id, '--reason', reason, '--upstream-id', '139712')).toMatchObject({ status: 0 });
    await here('lead', 'watch', id);
  });

  it.each([false, true])('does nothing to a terminal (colours %s)', async (hasColours) => {
    const { out } = await leadgate(['lead', 'show', id], settings({ io: { isTerminal: true, hasColours } }));
    expect(out).toMatch(/\n {2}A person said confirm at \S+Z: looked:\[2J\[31m8m it is there\n/);
    expect(stripVTControlCharacters(out)).not.toMatch(/[^\P{Cc}\n]/u);
    expect(out.includes('\u001b[32mdelivered\u001b[39m')).toBe(hasColours);
  });

  it('is in the JSON, too, without a raw control character and without the id of the person', async () => {
    const { out } = await here('lead', 'show', id, '--json');
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    const at = expect.stringMatching(/Z$/);
    expect(JSON.parse(out)).toMatchObject({ leadId: id, decisions: [{ at, verb: 'confirm', reason, upstreamId: '•••' }] });
    const clear = JSON.parse((await here('lead', 'show', id, '--json', '--clear')).out);
    expect(clear.decisions).toEqual([{ at, verb: 'confirm', reason, upstreamId: '139712' }]);
  });
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

  it('is shown with each of its attempts, and one of them by itself', async () => {
    const { id } = await sent(newLead('', { instanceName: 'erg-oct.key-404' }));
    expect((await here('lead', 'show', id)).out).not.toContain('attempt 1');
    await here('lead', 'redrive', id, '--reason', 'mistyped', '--set', 'instanceName=erg-oct', '--set', 'protocol=AD-302');
    await here('lead', 'watch', id);
    const first = / {2}attempt 1 {2}failed +\S+Z {2}as it came in\n {6}UPSTREAM_REJECTED: The key service .*\n/;
    const second = / {2}attempt 2 {2}delivered {2}\S+Z {2}sent again: mistyped; mended: instanceName, protocol\n/;
    const whole = (await here('lead', 'show', id)).out;
    for (const words of [first, second, / {2}send-comments +done +1 try/]) expect(whole).toMatch(words);
    const mended = /\nMended in attempt 2\n {2}instanceName {2}erg-oct\.key-404 → erg-oct\n {2}protocol {6}\S+ → AD-302\n\n/;
    for (const args of [[], ['--attempt', '2']]) expect((await here('lead', 'show', id, ...args)).out).toMatch(mended);
    const one = await here('lead', 'show', id, '--attempt', '1');
    expect(one).toMatchObject({ status: 0, out: expect.stringMatching(first) });
    expect(one.out).toMatch(/\n {2}get-api-key +failed +1 try .*\n {6}UPSTREAM_REJECTED: .*\n {2}check-email +pending\n/);
    for (const words of ['attempt 2', 'Mended', 'A person said', 'Result', 'leadgate lead']) expect(one.out).not.toContain(words);
  });

  it('has its attempts in the JSON, and one of them by itself', async () => {
    const { id } = await sent(newLead('v1-refused-once'));
    await here('lead', 'redrive', id, '--reason', 'V1 is well again');
    await here('lead', 'watch', id);
    const { attempts } = JSON.parse((await here('lead', 'show', id, '--json')).out);
    expect(attempts).toMatchObject([
      { attempt: 1, state: 'failed', error: { code: 'UPSTREAM_REJECTED' } },
      { attempt: 2, state: 'delivered', reason: 'V1 is well again', changed: [] },
    ]);
    const one = JSON.parse((await here('lead', 'show', id, '--json', '--attempt', '2')).out);
    expect(one).toMatchObject({ success: true, leadId: id, ...attempts[1], decisions: [{ verb: 'redrive', reason: 'V1 is well again' }] });
    expect(one.steps).toHaveLength(5);
  });

  it('an attempt that is not there is named with those that are', async () => {
    const { id } = await sent(newLead('v1-refused'));
    expect(await here('lead', 'show', id, '--attempt', '3')).toEqual({
      status: 1,
      out: '',
      err: 'leadgate: NOT_FOUND: The lead has no such attempt; it has: 1\n',
    });
  });

  it.each([['first', 'attempt: must be a whole number']])('--attempt %s is wrong usage, and the line says why', async (attempt, why) => {
    const { id } = await sent(newLead('v1-refused'));
    expect(await here('lead', 'show', id, '--attempt', attempt)).toEqual({
      status: 2,
      out: '',
      err: expect.stringContaining(`\n  ${why}`),
    });
  });

  it('is not sent with a field that cannot be read', async () =>
    expect((await here('lead', 'redrive', 'p1', '--reason', 'r', '--set', 'a:=b')).err).toContain('--set a:= must be followed by JSON'));
});
