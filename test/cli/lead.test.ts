/** Tests leads from the command line: sending, finding, deciding and counting. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { exchangeLines } from '../../tools/cli/lead-exchanges';
import { againLine, correctedLines, nextSteps, troubleLines } from '../../tools/cli/report';
import { workflowIdOf } from '../../src/domain/ids';
import { patientOf } from '../support/background';
import { sendFailing } from '../support/failing-leads';
import { newLead, startGateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { onGateway } from './on-gateway';
import { leadgate } from './support';
import { callers, keyOf } from '../support/keys';

const { gateway, here, sent, settings } = onGateway();

describe('one lead', () => {
  let dir: string;
  beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-cli-'))));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

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

    it('prints the record in clear with --clear, and JSON with --json', async () => {
      const lead = newLead();
      const { said } = await sent(lead, '--json', '--clear');
      expect(JSON.parse(said.out)).toMatchObject({
        status: 200,
        leadId: expect.stringMatching(/^b/),
        body: { email: lead.email, lastName: 'Lee' },
      });
    });

    it.each([
      ['', { status: 0, out: / was sent before: this is the answer to its first sending\. / }],
      ['v1-422', { status: 1, out: / was sent before: this is the answer to its first sending; leadgate lead show / }],
    ])('says that the answer to a repeat is that of the first sending: %s', async (word, { status, out }) => {
      const lead = newLead(word);
      const key = ['--idempotency-key', lead.email];
      const { said: first } = await sent(lead, ...key);
      expect([first.status, first.out]).toEqual([status, expect.not.stringContaining('sent before')]);
      const { said } = await sent(lead, ...key);
      expect([said.status, said.out]).toEqual([status, expect.stringMatching(out)]);
      expect(JSON.parse((await sent(lead, ...key, '--json')).said.out)).toMatchObject({ replayed: true });
    });

    it('says why a lead was skipped', async () => {
      const lead = newLead();
      await sent(lead);
      expect((await sent(lead)).said.out).toMatch(/^Lead b\S+ is skipped\. The e-mail already exists: no second patient was made\. /);
    });

    it('warns of a field that looks misspelt, apart from the output', async () => {
      const { said } = await sent({ ...newLead(), protocol: undefined, Protocoll: 'AD-302' }, '--dry-run', '--json');
      expect(said.err).toBe('warning: Protocoll is not known: did you mean protocol?\n');
      expect(JSON.parse(said.out)).toMatchObject({ status: 200 });
    });

    it('shows the request of a dry run and sends nothing', async () => {
      const before = (await gateway().sandbox()).calls.v1;
      const { said } = await sent(newLead(), '--dry-run');
      expect([said.status, said.out]).toEqual([0, expect.stringMatching(/^Nothing was sent\./)]);
      for (const words of ['"message": "This is what would be sent to V1', '"FirstName": "A…"', '"FirstName": "caller"'])
        expect(said.out).toContain(words);
      expect((await gateway().sandbox()).calls.v1).toBe(before);
    });

    it('names invalid fields, never their values', async () => {
      const { said } = await sent({ ...newLead(), StudyID: 'twelve', phone: 'no number' });
      expect(said).toMatchObject({ status: 1, out: '' });
      expect(said.err).toMatch(/^leadgate: VALIDATION_ERROR: .*\n {2}StudyID: must be a whole number\n {2}phone: must hold digits\n$/);
    });

    it.each([
      [['lead', 'send', 'no-prescreen', '/nowhere/lead.json'], '', 'There is no file /nowhere/lead.json'],
      [['lead', 'send', 'no-prescreen', '-'], '{"a":', 'The standard input is not valid JSON'],
      [['lead', 'send', 'no-prescreen', '-'], '[]', 'The standard input must hold one JSON object'],
    ])('%j with %j is reported in one line', async (argv, input, line) =>
      expect(await leadgate(argv, settings({ input }))).toEqual({ status: 2, out: '', err: `leadgate: ${line}\n` }),
    );
  });

  describe('lead find', () => {
    it('finds leads by a person, and prints no personal data', async () => {
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

    it('reads pages up to the limit', async () => {
      const protocol = `P${Date.now()}`;
      const ids = await Promise.all([1, 2, 3].map(async () => (await sent(newLead('', { protocol }))).id));
      const two = await here('lead', 'find', '--protocol', protocol, '--limit', '2');
      expect([two.out.trim().split('\n').length, two.err]).toEqual([2, '2 shown; for more: --limit or --all\n']);
      const all = JSON.parse((await here('lead', 'find', '--protocol', protocol, '--all', '--json')).out);
      expect(all.leads.map(({ leadId }: { leadId: string }) => leadId).toSorted()).toEqual(ids.toSorted());
    });

    it('has aligned column heads on a terminal, also with colours', async () => {
      const protocol = `H${Date.now()}`;
      await sent(newLead('v1-refused', { protocol }));
      const io = { isTerminal: true, hasColours: true };
      const out = await until(async () => {
        const found = await leadgate(['lead', 'find', '--protocol', protocol], settings({ io }));
        return found.out.includes('failed') ? found.out : undefined;
      }, 'the engine lists how the lead ended');
      const [heads = '', row = ''] = stripVTControlCharacters(out).split('\n');
      expect(heads).toMatch(/^lead +accepted +flow +state +step +reference$/);
      expect([row.indexOf('no-prescreen'), row.indexOf('failed'), row.indexOf('send-to-rt')]).toEqual(
        ['flow', 'state', 'step'].map((head) => heads.indexOf(head)),
      );
    });

    it('finds a lead by its reference, and shows it', async () => {
      const lead = newLead();
      const key = `form-${Date.now()}`;
      const { headers } = await gateway().post('/api/clinicsys/no-prescreen', lead, { 'idempotency-key': key });
      const id = headers.get('x-lead-id') ?? '';
      const { out } = await here('lead', 'find', '--reference', key);
      expect(out).toMatch(new RegExp(`^${id}  .*  ${key}\n$`));
      expect((await here('lead', 'show', id)).out).toContain(`reference ${key}\n`);
    });

    it('reports that no lead matches, and exits with 1', async () =>
      expect(await here('lead', 'find', '--email', 'nobody@example.org')).toEqual({ status: 1, out: '', err: 'No lead matches.\n' }));
  });

  describe('the API', () => {
    it('that is unavailable is reported with what to do', async () =>
      expect(await leadgate(['lead', 'find'], { settings: { PORT: '9' } })).toEqual({
        status: 2,
        out: '',
        err: 'leadgate: The API does not answer at http://127.0.0.1:9: is `npm start` running?\n',
      }));

    it.each([
      [['lead', 'discard', 'p1', '--reason', ''], 'reason'],
      [['lead', 'try', 'p1', '--reason', ''], 'reason'],
      [['lead', 'find', '--repeated-within', 'soon'], 'repeatedWithin'],
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
    ])('%j does not accept another server (%d)', async (argv, status, body) => {
      const other = await openUpstream();
      other.answerWith({ status, body });
      expect(await leadgate(argv, { settings: { LEADGATE_URL: other.url }, input: '{}' })).toEqual({
        status: 2,
        out: '',
        err: `leadgate: The server at ${other.url} is not a Leadgate (status ${status}); see LEADGATE_URL\n`,
      });
      await other.close();
    });

    it('receives the configured key', async () => {
      const guarded = await startGateway({ settings: { GATEWAY_API_KEYS: callers('n8n', 'ops:leads+operator') }, withoutWorker: true });
      const as = (key?: string) =>
        leadgate(['lead', 'discard', 'p1', '--reason', 'r'], {
          settings: { LEADGATE_URL: guarded.url, ...(key && { LEADGATE_API_KEY: key }) },
        });
      try {
        expect(await as()).toMatchObject({ status: 2, err: expect.stringContaining('set LEADGATE_API_KEY to a key that the API knows') });
        expect(await as(keyOf('n8n'))).toMatchObject({ status: 2, err: expect.stringContaining('does not have the scope operator') });
        expect(await as(keyOf('ops'))).toMatchObject({ status: 1, err: expect.stringContaining('NOT_FOUND') });
      } finally {
        await guarded.stop();
      }
    });
  });
});

describe('a stalled lead', () => {
  it('a waiting lead shows what it waits for, and can be tried now', async () => {
    await sendFailing(gateway(), 'erg-oct.key-429');
    const { id } = await sent(newLead('', { instanceName: 'erg-oct.key-429' }), '--no-wait');
    await until(async () => (await here('lead', 'show', id)).out.includes('Queued: key-service'), 'it waits');
    const tried = await until(async () => {
      const said = await here('lead', 'try', id, '--reason', 'the key service is back');
      return said.status === 0 ? said : undefined;
    }, 'it is tried');
    expect(tried.out).toContain(`${id} no longer waits for its next try`);
    expect((await here('lead', 'show', id)).out).toContain('decided try at');
  });

  describe('a parked lead', () => {
    it('is watched until it is parked, resent, and watched to its end', async () => {
      const { id, said } = await sent(newLead('comment-500-once+readback-405'), '--no-wait');
      expect(said.out).toContain('"pending": true');
      const watched = await here('lead', 'watch', id);
      expect(watched.status).toBe(1);
      expect(watched.out).toMatch(/send-comments +parked {2}OUTCOME_UNKNOWN/);
      expect(watched.out).toContain(`leadgate lead resend ${id} --reason`);
      expect((await here('lead', 'resend', id)).err).toBe('leadgate: --reason is missing; see leadgate lead resend --help\n');
      const resent = await here('lead', 'resend', id, '--reason', 'looked: it is not there');
      expect(resent).toEqual({ status: 0, out: `${id} is running now; leadgate lead watch ${id} follows it\n`, err: '' });
      expect(await here('lead', 'watch', id)).toMatchObject({ status: 0, out: expect.stringContaining('delivered') });
      expect(await here('lead', 'discard', id, '--reason', 'late')).toMatchObject({
        status: 1,
        err: expect.stringContaining('WRONG_STATE'),
      });
    });

    it('is watched with the time of each change', async () => {
      const { id } = await sent(newLead('comment-422'));
      const { steps, updatedAt } = JSON.parse((await here('lead', 'show', id, '--json')).out);
      const changes = steps.map(({ endedAt, name }: { endedAt?: string; name: string }) => [endedAt ?? updatedAt, name]);
      const seconds = changes.map(([at, name]: string[]) => `${at?.slice(0, 19).replace('T', ' ')}Z  ${name?.padEnd(14)} `);
      const { out } = await here('lead', 'watch', id);
      expect(out.split('\n').slice(0, 5)).toEqual(seconds.map((line: string) => expect.stringContaining(line)));
      const lines = (await here('lead', 'watch', id, '--json')).out.split('\n').slice(0, 5);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject(changes.map(([changedAt, name]: string[]) => ({ name, changedAt })));
    });

    it('is confirmed with its id in the upstream', async () => {
      const { id, said } = await sent(newLead('comment-422'));
      expect(said.status).toBe(1);
      const { out } = await here('lead', 'show', id);
      for (const words of ['Only its comment waits', 'sends only the comment', "--upstream-id <the patient's id>"])
        expect(out).toContain(words);
      const known = await patientOf(gateway(), id);
      expect(await here('lead', 'confirm', id, '--reason', 'there', '--upstream-id', known)).toEqual({
        status: 0,
        out: `${id} is running now; leadgate lead watch ${id} follows it\n`,
        err: '',
      });
      expect(await here('lead', 'watch', id, '--json')).toMatchObject({ status: 0, out: expect.stringContaining('"state":"delivered"') });
      expect((await here('lead', 'show', id)).out).toMatch(/send-comments +done +1 try .*\n {2}A person decided confirm at \S+Z: there\n/);
    });
  });

  it('names the command that shows the steps of a discarded lead', async () => {
    const { id } = await sent(newLead('comment-422'));
    expect(await here('lead', 'discard', id, '--reason', 'a test')).toEqual({
      status: 0,
      out: `${id} is discarded now; leadgate lead show ${id} shows its steps\n`,
      err: '',
    });
    expect((await here('lead', 'show', id)).out).toContain(`${id}  no-prescreen  discarded`);
  });

  describe('a failed lead', () => {
    it('is redriven with corrected fields', async () => {
      const { id, said } = await sent(newLead('', { instanceName: 'erg-oct.key-404' }));
      expect(said).toMatchObject({ status: 1, out: `Lead ${id}: leadgate lead show ${id}\n` });
      expect((await here('lead', 'show', id)).out).toContain(`leadgate lead redrive ${id}`);
      const mended = await here('lead', 'redrive', id, '--reason', 'mistyped', '--set', 'instanceName=erg-oct', '--set', 'StudyID:=12');
      expect(mended).toMatchObject({ status: 0, err: '' });
      expect(await here('lead', 'watch', id)).toMatchObject({ status: 0, out: expect.stringContaining(`${id}  no-prescreen  delivered`) });
      expect((await here('lead', 'show', id)).out).toMatch(/\n {2}A person decided redrive at \S+Z: mistyped\n/);
    });

    it('is not redriven with an unreadable field', async () =>
      expect((await here('lead', 'redrive', 'p1', '--reason', 'r', '--set', 'a:=b')).err).toContain('--set a:= requires JSON'));
  });

  it('a lead whose run was ended is redriven with --not-there', async () => {
    const { id } = await sent(newLead('comment-422'));
    await gateway().client.workflow.getHandle(workflowIdOf(id)).terminate();
    expect((await here('lead', 'show', id)).out).toContain(`leadgate lead redrive ${id} --reason '…' --not-there`);
    const redrive = ['lead', 'redrive', id, '--reason', 'looked', '--set', `email=${newLead().email}`];
    expect(await here(...redrive)).toMatchObject({ status: 1, err: expect.stringContaining('"notThere": true redrives it') });
    expect((await here(...redrive, '--not-there')).out).toContain('is running now');
  });
});

describe('many leads', () => {
  async function send(count: number, sentinel: string): Promise<string[]> {
    const protocol = `P${process.pid}-${Math.random()}`;
    const leads = Array.from({ length: count }, () => newLead(sentinel, { protocol }));
    for (const lead of leads) await gateway().post('/api/clinicsys/no-prescreen', lead);
    return ['--protocol', protocol];
  }

  it('finds and counts leads by error code and upstream', async () => {
    const of = [...(await send(2, 'comment-422')), '--code', 'UPSTREAM_REJECTED', '--upstream', 'V2'];
    expect((await here('lead', 'find', ...of)).out).toMatch(/^(\S+ .* parked {2}send-comments\n){2}$/);
    expect(await here('leads', 'count', ...of)).toEqual({
      status: 0,
      out: '2  parked  UPSTREAM_REJECTED  V2\n',
      err: '2 leads stalled or failed\n',
    });
  });

  it('counts leads by day', async () => {
    await send(1, '');
    const { status, out, err } = await here('leads', 'history', '--flow', 'no-prescreen', '--days', '1');
    const [, leads = ''] = /^\d{4}-\d\d-\d\d {2}(\d+)(?: {2}\d+){6}\n$/.exec(out) ?? [];
    expect([status, Number(leads) > 0, err]).toEqual([0, true, `${leads} ${leads === '1' ? 'lead' : 'leads'} in 1 day\n`]);
    const { days } = JSON.parse((await here('leads', 'history', '--days', '1', '--json')).out) as { days: unknown[] };
    expect(days).toEqual([expect.objectContaining({ day: out.slice(0, 10) })]);
    expect(await here('leads', 'history', '--days', '31')).toMatchObject({ status: 2, err: expect.stringContaining('days') });
  });

  it('counts before a decision, then carries it out and reports the result', async () => {
    const of = await send(2, 'comment-422');
    const order = ['leads', 'discard', ...of, '--reason', 'a test', '--rate', '50'];
    expect(await here(...order)).toEqual({ status: 0, out: '2 leads; to start, add --expect 2\n', err: '' });
    expect((await here(...order, '--expect', '3')).err).toContain('The filter now matches 2 parked leads: nothing was started');
    const { status, out, err } = await here(...order, '--expect', '2');
    expect([status, out]).toEqual([0, 'done: 2 of 2, 0 remaining\n2  decided\n']);
    const [, id = ''] = /^Order (d\w+);/.exec(err) ?? [];
    expect((await here('leads', 'report', id)).out).toBe(out);
    expect(JSON.parse((await here('leads', 'report', id, '--outcome', 'unknown', '--json')).out)).toMatchObject({ done: 2, results: [] });
    const orders = (await here('leads', 'orders')).out.split('\n');
    expect(orders.find((line) => line.includes(id))).toMatch(/Z {2}d\w+ {2}local {2}discard +done +2 leads {2}2 done, 0 not {2}a test$/);
    expect(await here('leads', 'stop', id, '--reason', 'too late')).toMatchObject({ status: 1, err: expect.stringContaining('has ended') });
  });

  it('redrives failed leads, and exits with 1 and the reason if some were not started', async () => {
    const of = await send(1, 'v1-refused-once');
    const order = ['leads', 'redrive', ...of, '--reason', 'a test', '--expect', '1'];
    const refused = await here(...order, '--set', 'dob=x');
    expect(refused).toMatchObject({ status: 1, out: expect.stringMatching(/^done: 1 of 1, 0 remaining\n1 {2}invalid {2}.*dob\n$/) });
    expect(await here(...order)).toMatchObject({ status: 0, out: 'done: 1 of 1, 0 remaining\n1  started\n' });
  });

  it('refuses an unknown upstream', async () =>
    expect(await here('leads', 'count', '--upstream', 'V3')).toMatchObject({
      status: 2,
      err: expect.stringContaining('--upstream must be one of'),
    }));

  it('waits for the report of an order while the gateway is unavailable', async () => {
    const busy = await openUpstream();
    const decisionId = 'd0000000000000000000';
    const away = { success: false, message: 'No worker answers', error: { code: 'NOT_ACCEPTED', retryable: true } };
    const report = { success: true, decisionId, state: 'done', count: 1, done: 1, remaining: 0, notDecided: 0, reasons: [], results: [] };
    busy.answerWith({ status: 202, body: { success: true, decisionId, state: 'running', count: 1, statusUrl: '' } });
    busy.answerWith({ status: 503, body: away });
    busy.answerWith({ body: report });
    try {
      const order = ['leads', 'discard', '--protocol', 'P', '--reason', 'a test', '--expect', '1'];
      const { status, out, err } = await leadgate(order, { settings: { LEADGATE_URL: busy.url } });
      expect([status, out]).toEqual([0, 'done: 1 of 1, 0 remaining\n']);
      expect(err).toContain('NOT_ACCEPTED: No worker answers\nThe order continues');
    } finally {
      await busy.close();
    }
  });
});

describe('a lead that waits for another lead of the same person', () => {
  const next = (what: 'retry' | 'person-lock') =>
    nextSteps({ leadId: 'p1', state: 'waiting', step: 'send-to-rt', steps: [], waitsFor: { what, words: '' }, attempts: [] });

  it('is not offered a try, which would not help', () => {
    expect(next('retry')).toContain('lead try p1');
    expect(next('person-lock')).not.toContain('lead try');
  });
});

describe('the commands that a lead offers', () => {
  const at = '2026-11-28T15:00:00.000Z';
  const step = (name: string, state: string, code?: string) => ({
    ...{ name, state, attempts: 1 },
    ...(code && { error: { code, message: 'The comments endpoint refused the request' } }),
  });
  const verbsIn = (text: string) => [...text.matchAll(/ lead (\w+) p1/g)].map(([, verb]) => verb);
  const offered = (state: 'parked' | 'waiting', steps: ReturnType<typeof step>[]) =>
    verbsIn(nextSteps({ leadId: 'p1', state, step: steps.at(-1)?.name, steps, attempts: [] }));

  it('begin with what fits: a refused comment is written by hand and confirmed', () => {
    expect(offered('parked', [step('send-comments', 'parked', 'UPSTREAM_REJECTED')])).toEqual(['confirm', 'resend', 'discard']);
    expect(offered('parked', [step('send-comments', 'parked', 'OUTCOME_UNKNOWN')])).toEqual(['resend', 'confirm', 'discard']);
  });

  it('end or correct a waiting lead, but do not correct one that was sent', () => {
    expect(offered('waiting', [step('send-to-rt', 'waiting')])).toEqual(['watch', 'try', 'redrive', 'discard']);
    expect(offered('waiting', [step('send-to-rt', 'done'), step('send-comments', 'waiting')])).toEqual(['watch', 'try', 'discard']);
  });

  it('follow the words that a resend was refused again', () => {
    const steps = [step('send-comments', 'parked', 'UPSTREAM_REJECTED')];
    const decisions = [{ at, verb: 'resend', reason: 'fixed' }];
    expect(againLine({ state: 'parked', steps }, { decisions })).toBe(
      `Sent again at ${at}; refused again: The comments endpoint refused the request\n`,
    );
    expect(againLine({ state: 'parked', steps }, { decisions: [] })).toBe('');
  });
});

describe('hundreds of tries', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 28, 15) + second * 1_000).toISOString();
  const exchanges = Array.from({ length: 300 }, (_, second) => ({
    ...{ call: 'sendToRt', step: 'send-to-rt', startedAt: at(second), endedAt: at(second), status: 429 },
    error: { code: 'NOT_SENT', message: 'V1 has too many requests' },
  }));

  it('are one line with the first, the last and their count', () => {
    const lines = troubleLines({ exchanges }).trim().split('\n');
    expect(lines).toEqual(['Refused, failed or not sent', expect.stringContaining(`300 tries, ${at(0)} to ${at(299)}`)]);
    expect(exchangeLines(exchanges).match(/300 tries, the last /g)).toHaveLength(1);
  });
});

it('marks a corrected field whose masked values look alike', () => {
  const mended = [{ field: 'email', before: 'a…@e….org', after: 'a…@e….org' }];
  expect(correctedLines({ attempt: 2, mended })).toContain('a…@e….org → a…@e….org (another value)');
});
