/** Leads from the command line: sent, found, shown, watched and decided about, and nothing personal on the screen. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { leadgate, type Around, type Said } from './support';

let gateway: Gateway;
let dir: string;

beforeAll(async () => {
  gateway = await startGateway();
  dir = mkdtempSync(join(tmpdir(), 'leadgate-cli-'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await gateway.stop();
});

const here = (...argv: string[]) => leadgate(argv, settings());
const settings = (around: Around = {}): Around => ({ settings: { LEADGATE_URL: gateway.url }, ...around });

/** Sends a lead and gives its id. */
async function sent(lead: object, ...argv: string[]): Promise<{ id: string; said: Said }> {
  const said = await leadgate(['lead', 'send', 'no-prescreen', '-', ...argv], settings({ input: JSON.stringify(lead) }));
  return { id: /[kbp][0-9a-z]{20}-[0-9a-z]{25}/.exec(said.out)?.[0] ?? '', said };
}

describe('lead send', () => {
  it('sends a file and prints the masked record', async () => {
    const lead = newLead();
    const file = join(dir, 'lead.json');
    writeFileSync(file, JSON.stringify(lead));
    const { status, out } = await here('lead', 'send', 'no-prescreen', file);
    expect(status).toBe(0);
    expect(out).toMatch(/^Lead p\S+ is done\. \(answered by the sandbox\)\n/);
    expect(out).toContain('"email": "a…@e….org"');
    expect(out).toContain('"instanceName": "erg-oct"');
    for (const personal of [lead.email, 'Lee', '201-3344', '1980-03', 'sandbox-key', 'Eczema', '30000'])
      expect(out).not.toContain(personal);
  });

  it('shows all of it with --clear, and JSON with --json', async () => {
    const lead = newLead();
    const { said } = await sent(lead, '--json', '--clear');
    expect(JSON.parse(said.out)).toMatchObject({
      status: 200,
      leadId: expect.stringMatching(/^p/),
      body: { email: lead.email, lastName: 'Lee' },
    });
  });

  it('shows what would be sent and sends nothing', async () => {
    const before = (await gateway.sandbox()).calls.v1;
    const { said } = await sent(newLead(), '--dry-run');
    expect([said.status, said.out]).toEqual([0, expect.stringMatching(/^Nothing was sent\./)]);
    for (const words of ['"message": "This is what would be sent to V1', '"FirstName": "A…"', '"FirstName": "caller"'])
      expect(said.out).toContain(words);
    expect((await gateway.sandbox()).calls.v1).toBe(before);
  });

  it('names wrong fields, never their values', async () => {
    const { said } = await sent({ ...newLead(), StudyID: 'twelve', phone: 'no number' });
    expect(said).toMatchObject({ status: 1, out: '' });
    expect(said.err).toMatch(/^leadgate: VALIDATION_ERROR: .*\n {2}StudyID: must be a whole number\n {2}phone: must hold digits\n$/);
  });

  it.each([
    [['lead', 'send', 'no-prescreen', '/nowhere/lead.json'], '', 'There is no file /nowhere/lead.json'],
    [['lead', 'send', 'no-prescreen', '-'], '{"a":', 'The standard input is not valid JSON'],
    [['lead', 'send', 'no-prescreen', '-'], '[]', 'The standard input must hold one JSON object'],
  ])('%j with %j is said in one line', async (argv, input, line) =>
    expect(await leadgate(argv, settings({ input }))).toEqual({ status: 2, out: '', err: `leadgate: ${line}\n` }),
  );
});

describe('lead find', () => {
  it('finds by a person, and prints nothing of them', async () => {
    const lead = newLead();
    const { id } = await sent(lead);
    const found = await until(async () => {
      const { out } = await here('lead', 'find', '--email', lead.email.toUpperCase(), '--since', '1h', '--json');
      return out.includes('"delivered"') ? out : undefined;
    }, 'the engine lists how the lead ended');
    expect(JSON.parse(found)).toMatchObject({ count: 1, more: false, leads: [{ leadId: id, state: 'delivered' }] });
    const { out } = await here('lead', 'find', '--email', lead.email);
    expect(out).toMatch(new RegExp(`^${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  no-prescreen  delivered  send-comments?\n$`));
  });

  it('turns pages until it has what was asked for', async () => {
    const protocol = `P${Date.now()}`;
    const ids = await Promise.all([1, 2, 3].map(async () => (await sent(newLead('', { protocol }))).id));
    const two = await here('lead', 'find', '--protocol', protocol, '--limit', '2');
    expect([two.out.trim().split('\n').length, two.err]).toEqual([2, '2 shown; there are more: --limit, --all\n']);
    const all = JSON.parse((await here('lead', 'find', '--protocol', protocol, '--all', '--json')).out);
    expect(all.leads.map(({ leadId }: { leadId: string }) => leadId).toSorted()).toEqual(ids.toSorted());
  });

  it('has heads over its columns on a terminal, in their places with colours, too', async () => {
    const protocol = `H${Date.now()}`;
    await sent(newLead('v1-refused', { protocol }));
    const io = { isTerminal: true, hasColours: true };
    const out = await until(async () => {
      const found = await leadgate(['lead', 'find', '--protocol', protocol], settings({ io }));
      return found.out.includes('failed') ? found.out : undefined;
    }, 'the engine lists how the lead ended');
    const [heads = '', row = ''] = stripVTControlCharacters(out).split('\n');
    expect(heads).toMatch(/^lead +came in \(UTC\) +flow +state +step$/);
    expect([row.indexOf('no-prescreen'), row.indexOf('failed'), row.indexOf('send-to-rt')]).toEqual(
      ['flow', 'state', 'step'].map((head) => heads.indexOf(head)),
    );
  });

  it('says so when there is none', async () =>
    expect(await here('lead', 'find', '--email', 'nobody@example.org')).toEqual({ status: 0, out: '', err: 'No lead is like this.\n' }));
});

describe('lead show', () => {
  it('tells step by step what happened, masked', async () => {
    const lead = newLead();
    const { id } = await sent(lead);
    const { status, out } = await here('lead', 'show', id);
    expect(status).toBe(0);
    expect(out).toContain(`${id}  no-prescreen  delivered\n`);
    expect(out).toMatch(/ {2}send-to-rt +done +1 try +\d+\.\d\d s\n/);
    expect(out).toContain('Result (masked; --clear shows it)');
    expect(out).not.toContain(lead.email);
    expect((await here('lead', 'show', id, '--json')).out).not.toContain(lead.email);
    expect((await here('lead', 'show', id, '--clear')).out).toContain(lead.email);
  });

  it('says plainly that there is none', async () =>
    expect(await here('lead', 'show', '../health')).toEqual({
      status: 1,
      out: '',
      err: 'leadgate: NOT_FOUND: There is no lead with this id\n',
    }));
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
    expect(resent).toMatchObject({ status: 0, out: expect.stringContaining(`${id} is `) });
    expect(await here('lead', 'watch', id)).toMatchObject({ status: 0, out: expect.stringContaining('delivered') });
    expect(await here('lead', 'discard', id, '--reason', 'late')).toMatchObject({ status: 1, err: expect.stringContaining('WRONG_STATE') });
  });

  it('is confirmed with the id that the upstream gave it', async () => {
    const { id, said } = await sent(newLead('comment-422'));
    expect(said.status).toBe(1);
    const { out } = await here('lead', 'show', id);
    for (const words of ['Only its comment waits', 'sends the comment alone', "--upstream-id <the patient's id>"])
      expect(out).toContain(words);
    expect(await here('lead', 'confirm', id, '--reason', 'there', '--upstream-id', '139712')).toMatchObject({ status: 0 });
    expect(await here('lead', 'watch', id, '--json')).toMatchObject({ status: 0, out: expect.stringContaining('"state":"delivered"') });
    expect((await here('lead', 'show', id)).out).toMatch(/send-comments +done +1 try .*\n {2}A person said confirm at \S+Z: there\n/);
  });
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
    const one = await here('lead', 'show', id, '--attempt', '1');
    expect(one).toMatchObject({ status: 0, out: expect.stringMatching(first) });
    expect(one.out).toMatch(/\n {2}get-api-key +failed +1 try .*\n {6}UPSTREAM_REJECTED: .*\n {2}check-email +pending\n/);
    for (const words of ['attempt 2', 'A person said', 'Result', 'leadgate lead']) expect(one.out).not.toContain(words);
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

describe('the API', () => {
  it('that is away is named with what to do', async () =>
    expect(await leadgate(['lead', 'find'], { settings: { PORT: '9' } })).toEqual({
      status: 2,
      out: '',
      err: 'leadgate: The API does not answer at http://127.0.0.1:9: is `npm start` running?\n',
    }));

  it.each([
    [['lead', 'discard', 'p1', '--reason', ''], 'reason'],
    [['lead', 'find', '--since', 'yesterday'], 'since'],
    [['lead', 'send', 'no-prescreen', '-', '--idempotency-key', ''], 'Idempotency-Key'],
    [['audit', 'list', '--limit', '-'], 'limit'],
    [['erase', '--email', 'a@b.org', '--reason', ''], 'reason'],
  ])('%j is wrong usage where it says so', async (argv, field) =>
    expect(await leadgate(argv, settings({ input: JSON.stringify(newLead()) }))).toEqual({
      status: 2,
      out: '',
      err: expect.stringContaining(`\n  ${field}: `),
    }),
  );

  it.each([
    [['lead', 'find'], 404, '<h1>Not Found</h1>'],
    [['lead', 'find'], 404, { message: 'Not Found' }],
    [['lead', 'find'], 200, { data: [] }],
    [['lead', 'show', 'p1'], 404, { error: 'Not Found' }],
    [['lead', 'send', 'no-prescreen', '-'], 200, { ok: true }],
    [['erase', '--email', 'a@b.org', '--reason', 'asked'], 200, {}],
  ])('%j is not told by another server (%d)', async (argv, status, body) => {
    const other = await openUpstream();
    other.answerWith({ status, body });
    expect(await leadgate(argv, { settings: { LEADGATE_URL: other.url }, input: '{}' })).toEqual({
      status: 2,
      out: '',
      err: `leadgate: What answers at ${other.url} does not look like a Leadgate (status ${status}); see LEADGATE_URL\n`,
    });
    await other.close();
  });

  it('says that the sandbox stood in', async () => {
    const other = await openUpstream();
    const lead = { leadId: 'p1', flow: 'recruit', state: 'delivered', createdAt: 'then', updatedAt: 'now', steps: [], attempts: [] };
    const show = async (more: object, ...argv: string[]) => {
      other.answerWith({ body: { success: true, ...lead, ...more } });
      return (await leadgate(['lead', 'show', 'p1', ...argv], { settings: { LEADGATE_URL: other.url } })).out;
    };
    expect(await show({ sandbox: true })).toContain('\nAnswered by the sandbox: ');
    expect(await show({})).not.toContain('sandbox');
    expect(JSON.parse(await show({ sandbox: true }, '--json'))).toMatchObject({ sandbox: true });
    await other.close();
  });

  it('says whose key decided about a lead', async () => {
    const guarded = await startGateway({ settings: { GATEWAY_API_KEYS: 'tool:first,ops:second:leads+operator' } });
    const as = (key: string, ...argv: string[]) =>
      leadgate(['lead', ...argv], { settings: { LEADGATE_URL: guarded.url, LEADGATE_API_KEY: key } });
    try {
      const { headers } = await guarded.post('/api/clinicsys/no-prescreen', newLead('v1-refused-once'), { 'x-gateway-key': 'second' });
      const id = headers.get('x-lead-id') ?? '';
      expect(await as('second', 'redrive', id, '--reason', 'V1 is well again')).toMatchObject({ status: 0 });
      expect(await as('second', 'watch', id)).toMatchObject({ status: 0 });
      const { out } = await as('second', 'show', id);
      for (const words of ['sent again by ops: V1 is well again\n', '\n  ops said redrive at ']) expect(out).toContain(words);
      expect(JSON.parse((await as('second', 'show', id, '--json')).out).decisions).toMatchObject([{ verb: 'redrive', by: 'ops' }]);
      expect((await as('first', 'show', id)).out).toContain('sent again by ops');
      expect(await as('first', 'show', id, '--attempt', '1')).toMatchObject({
        status: 2,
        err: expect.stringContaining('no operator scope'),
      });
    } finally {
      await guarded.stop();
    }
  });

  it('gets the key that is set', async () => {
    const guarded = await startGateway({ settings: { GATEWAY_API_KEYS: 'n8n:first,ops:second:leads+operator' }, withoutWorker: true });
    const as = (key?: string) =>
      leadgate(['lead', 'discard', 'p1', '--reason', 'r'], {
        settings: { LEADGATE_URL: guarded.url, ...(key && { LEADGATE_API_KEY: key }) },
      });
    try {
      expect(await as()).toMatchObject({ status: 2, err: expect.stringContaining('set LEADGATE_API_KEY to a key that the API knows') });
      expect(await as('first')).toMatchObject({ status: 2, err: expect.stringContaining('no operator scope') });
      expect(await as('second')).toMatchObject({ status: 1, err: expect.stringContaining('NOT_FOUND') });
    } finally {
      await guarded.stop();
    }
  });
});
