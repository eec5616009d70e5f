/** Leads from the command line: sent and found, and nothing personal on the screen. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { newLead, startGateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { onGateway } from './on-gateway';
import { leadgate } from './support';

let dir: string;
beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-cli-'))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const { gateway, here, sent, settings } = onGateway();

describe('lead send', () => {
  it('sends a file and prints the masked record', async () => {
    const lead = newLead();
    const file = join(dir, 'lead.json');
    writeFileSync(file, JSON.stringify(lead));
    const { status, out } = await here('lead', 'send', 'no-prescreen', file);
    expect(status).toBe(0);
    expect(out).toMatch(/^Lead b\S+ is done\. \(answered by the sandbox\)\n/);
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
      leadId: expect.stringMatching(/^b/),
      body: { email: lead.email, lastName: 'Lee' },
    });
  });

  it('shows what would be sent and sends nothing', async () => {
    const before = (await gateway().sandbox()).calls.v1;
    const { said } = await sent(newLead(), '--dry-run');
    expect([said.status, said.out]).toEqual([0, expect.stringMatching(/^Nothing was sent\./)]);
    for (const words of ['"message": "This is what would be sent to V1', '"FirstName": "A…"', '"FirstName": "caller"'])
      expect(said.out).toContain(words);
    expect((await gateway().sandbox()).calls.v1).toBe(before);
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
    expect(out).toMatch(new RegExp(`^${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ  no-prescreen  delivered  send-comments?\n$`));
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
    expect(heads).toMatch(/^lead +came in +flow +state +step$/);
    expect([row.indexOf('no-prescreen'), row.indexOf('failed'), row.indexOf('send-to-rt')]).toEqual(
      ['flow', 'state', 'step'].map((head) => heads.indexOf(head)),
    );
  });

  it('says so when there is none', async () =>
    expect(await here('lead', 'find', '--email', 'nobody@example.org')).toEqual({ status: 0, out: '', err: 'No lead is like this.\n' }));
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
    [['lead', 'try', 'p1', '--reason', ''], 'reason'],
    [['lead', 'find', '--since', 'yesterday'], 'since'],
    [['lead', 'send', 'no-prescreen', '-', '--idempotency-key', ''], 'Idempotency-Key'],
    [['audit', 'list', '--limit', '-'], 'limit'],
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
