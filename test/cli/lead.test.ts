/** Leads from the command line: sent, found and shown, and nothing personal on the screen. */
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
