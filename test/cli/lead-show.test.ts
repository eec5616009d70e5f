/** Tests what the command line shows of leads. */
import { randomBytes, randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import type { JsonObject } from '../../src/domain/lead';
import { freePort } from '../../src/config/ports';
import { patientOf } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';
import { onGateway } from './on-gateway';
import { leadgate, type CommandResult } from './support';
import { callers, keyOf } from '../support/keys';

const { gateway, here, sent, settings } = onGateway();

describe('lead show', () => {
  it('shows each step, masked', async () => {
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

  it('reports an unknown lead', async () =>
    expect(await here('lead', 'show', '../health')).toEqual({
      status: 1,
      out: '',
      err: 'leadgate: NOT_FOUND: There is no lead with this id\n',
    }));
});

describe('the decisions about a lead', () => {
  const reason = 'looked:\u001b[2J\u001b[31m\u009b8m it is\n  there\u0007';
  let id: string;
  let upstreamId: string;

  beforeAll(async () => {
    ({ id } = await sent(newLead('comment-422')));
    upstreamId = await patientOf(gateway(), id);
    expect(await here('lead', 'confirm', id, '--reason', reason, '--upstream-id', upstreamId)).toMatchObject({ status: 0 });
    await here('lead', 'watch', id);
  });

  it.each([false, true])('have no control characters on a terminal (colours %s)', async (hasColours) => {
    const { out } = await leadgate(['lead', 'show', id], settings({ io: { isTerminal: true, hasColours } }));
    expect(out).toMatch(/\n {2}A person decided confirm at \S+Z: looked:\[2J\[31m8m it is there\n/);
    expect(stripVTControlCharacters(out)).not.toMatch(/[^\P{Cc}\n]/u);
    expect(out.includes('\u001b[32mdelivered\u001b[39m')).toBe(hasColours);
  });

  it('are in the JSON without raw control characters and without the patient id', async () => {
    const { out } = await here('lead', 'show', id, '--json');
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    const at = expect.stringMatching(/Z$/);
    expect(JSON.parse(out)).toMatchObject({ leadId: id, decisions: [{ at, verb: 'confirm', reason, upstreamId: '•••' }] });
    const clear = JSON.parse((await here('lead', 'show', id, '--json', '--clear')).out);
    expect(clear.decisions).toEqual([{ at, verb: 'confirm', reason, upstreamId }]);
  });
});

describe('the attempts of a lead', () => {
  it('are listed, and one can be shown separately', async () => {
    const { id } = await sent(newLead('', { instanceName: 'erg-oct.key-404' }));
    expect((await here('lead', 'show', id)).out).not.toContain('attempt 1');
    await here('lead', 'redrive', id, '--reason', 'mistyped', '--set', 'instanceName=erg-oct', '--set', 'protocol=AD-302');
    await here('lead', 'watch', id);
    const first = / {2}attempt 1 {2}failed +\S+Z {2}original request\n {6}UPSTREAM_REJECTED: The key service .*\n/;
    const second = / {2}attempt 2 {2}delivered {2}\S+Z {2}redriven: mistyped; corrected: instanceName, protocol\n/;
    const whole = (await here('lead', 'show', id)).out;
    for (const words of [first, second, / {2}send-comments +done +1 try/]) expect(whole).toMatch(words);
    const mended = /\nCorrected in attempt 2\n {2}instanceName {2}erg-oct\.key-404 → erg-oct\n {2}protocol {6}\S+ → AD-302\n\n/;
    for (const args of [[], ['--attempt', '2']])
      expect(await here('lead', 'show', id, ...args)).toMatchObject({ err: '', out: expect.stringMatching(mended) });
    const one = await here('lead', 'show', id, '--attempt', '1');
    expect(one.out).toMatch(/\nRefused, failed or not sent\n {2}get-api-key {2}getApiKey {2}HTTP 404 {2}\S+Z {2}\{.*\}\n/);
    expect(one).toMatchObject({ status: 0, out: expect.stringMatching(first) });
    expect(one.out).toMatch(/\n {2}get-api-key +failed +1 try .*\n {6}UPSTREAM_REJECTED: .*\n {2}check-email +pending\n/);
    for (const words of ['attempt 2', 'Mended', 'A person said', 'Result', 'leadgate lead']) expect(one.out).not.toContain(words);
  });

  it('are in the JSON, and one can be shown separately', async () => {
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

  it('a missing attempt is reported with the existing ones', async () => {
    const { id } = await sent(newLead('v1-refused'));
    expect(await here('lead', 'show', id, '--attempt', '3')).toEqual({
      status: 1,
      out: '',
      err: 'leadgate: NOT_FOUND: The lead does not have this attempt. Its attempts: 1\n',
    });
  });

  it.each([['first', 'attempt: must be a whole number']])('--attempt %s is wrong usage, with the reason', async (attempt, why) => {
    const { id } = await sent(newLead('v1-refused'));
    expect(await here('lead', 'show', id, '--attempt', attempt)).toEqual({
      status: 2,
      out: '',
      err: expect.stringContaining(`\n  ${why}`),
    });
  });
});

describe('the exchanges of a lead', () => {
  it('show each request and its answer, masked', async () => {
    const lead = newLead('comment-422');
    const { id } = await sent(lead);
    const { status, out } = await here('lead', 'show', id, '--exchanges');
    expect(status).toBe(0);
    expect(out).toContain('Requests and answers (masked; --clear shows it)\n  get-api-key  getApiKey  2');
    expect(out).toMatch(/\n {2}send-to-rt {2}sendToRt {2}\S+ \S+\n {4}request {2}\{\n {6}"StudyID": 12,\n {6}"ReferrerID": 7,\n/);
    expect(out).toMatch(/\n {4}answer {3}\{\n(.*\n)* {4}error {4}REFUSED \(status 422\): The comments endpoint refused the request\n/);
    for (const personal of [lead.email, 'Lee', '201-3344', 'Eczema', 'sandbox-key']) expect(out).not.toContain(personal);
    expect((await here('lead', 'show', id)).out).not.toContain('sendToRt');
  });

  it('are those of --attempt, also in the JSON', async () => {
    const { id } = await sent(newLead('v1-refused-once'));
    await here('lead', 'redrive', id, '--reason', 'V1 is well again');
    await here('lead', 'watch', id);
    const callsOf = async (...argv: string[]) => {
      const { exchanges } = JSON.parse((await here('lead', 'show', id, '--exchanges', '--json', ...argv)).out);
      return exchanges.map(({ call, error }: { call: string; error?: { code: string } }) => [call, error?.code].filter(Boolean).join(' '));
    };
    expect(await callsOf('--attempt', '1')).toContain('sendToRt REFUSED');
    expect(await callsOf()).toEqual(expect.arrayContaining(['sendToRt', 'sendComments']));
    expect((await here('lead', 'show', id, '--attempt', '1', '--exchanges')).out).toContain('error    REFUSED');
  });

  it('in clear are recorded on the audit trail, and contain no credential', async () => {
    const lead = newLead();
    const { id } = await sent(lead);
    const { out } = await here('lead', 'show', id, '--exchanges', '--clear');
    expect(out).toContain(`"Email": "${lead.email}"`);
    expect(out).not.toContain('sandbox-key');
    const acts = async () => JSON.parse((await here('audit', 'list', '--lead', id, '--json')).out).entries;
    expect(await acts()).toMatchObject([{ action: 'read in clear', route: '/api/leads/{leadId}' }]);
    await here('lead', 'show', id, '--exchanges');
    expect(await acts()).toHaveLength(1);
  });
});

describe('the API', () => {
  it('reports that the sandbox was used', async () => {
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

  it('reports whose key decided a lead', async () => {
    const guarded = await startGateway({ settings: { GATEWAY_API_KEYS: callers('tool', 'ops:leads+operator') } });
    const as = (key: string, ...argv: string[]) =>
      leadgate(['lead', ...argv], { settings: { LEADGATE_URL: guarded.url, LEADGATE_API_KEY: key } });
    try {
      const { headers } = await guarded.post('/api/clinicsys/no-prescreen', newLead('v1-refused-once'), { 'x-gateway-key': keyOf('ops') });
      const id = headers.get('x-lead-id') ?? '';
      expect(await as(keyOf('ops'), 'redrive', id, '--reason', 'V1 is well again')).toMatchObject({ status: 0 });
      expect(await as(keyOf('ops'), 'watch', id)).toMatchObject({ status: 0 });
      const { out } = await as(keyOf('ops'), 'show', id);
      for (const words of ['redriven by ops: V1 is well again\n', '\n  ops decided redrive at ']) expect(out).toContain(words);
      expect(JSON.parse((await as(keyOf('ops'), 'show', id, '--json')).out).decisions).toMatchObject([{ verb: 'redrive', by: 'ops' }]);
      expect((await as(keyOf('tool'), 'show', id)).out).toContain('redriven by ops');
      expect((await as(keyOf('tool'), 'show', id, '--clear')).out).toContain('Result (masked: another key sent the lead)');
      expect(await as(keyOf('tool'), 'show', id, '--attempt', '1')).toMatchObject({
        status: 2,
        err: expect.stringContaining('does not have the scope operator'),
      });
      expect(await as(keyOf('tool'), 'show', id, '--exchanges')).toMatchObject({
        status: 2,
        err: expect.stringContaining('does not have the scope operator'),
      });
    } finally {
      await guarded.stop();
    }
  });
});

describe('the events of a lead', () => {
  const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;

  let gateway: Gateway;
  let receiver: Upstream;
  beforeAll(async () => {
    receiver = await openUpstream();
    gateway = await startGateway({ settings: { EVENTS_HOSTS: '127.0.0.1', EVENTS_WEBHOOK_SECRET } });
  });
  afterAll(async () => {
    await gateway?.stop();
    await receiver?.close();
  });

  const here = (...argv: string[]) => leadgate(argv, { settings: { LEADGATE_URL: gateway.url } });
  const sent = async (headers = {}) => {
    const answer = await gateway.post('/api/clinicsys/no-prescreen', newLead(), headers);
    return String(answer.headers.get('x-lead-id'));
  };

  it('are listed with the state of each delivery, and can be sent again', async () => {
    receiver.answerWith({ status: 500, body: {} });
    const id = await sent({ 'x-callback-url': receiver.url });
    const told =
      /^\S+ \S+ {2}\S+-1-1-accepted {3}lead.accepted {3}callback {2}told {2}[2-9] tries {2}answered 200\n\S+ \S+ {2}\S+-1-2-delivered {2}lead.delivered {2}callback {2}told {2}\d (?:try|tries) .*\n$/;
    await until(async () => told.test((await here('lead', 'events', id)).out), 'both are told');
    expect(await here('lead', 'events', id, '--again')).toMatchObject({ status: 0, out: `Sending 2 events of ${id} again\n` });
    await until(() => receiver.received.length === 5, 'they are told again');
    expect(JSON.parse((await here('lead', 'events', id, '--json')).out)).toMatchObject({ leadId: id, events: [{}, {}] });
  });

  it('are empty for a lead without a receiver', async () => {
    const id = await sent();
    expect(await here('lead', 'events', id)).toMatchObject({ status: 0, out: expect.stringContaining('it had no receiver') });
    expect(await here('lead', 'events', id, '--again')).toMatchObject({ status: 1, err: expect.stringContaining('WRONG_STATE') });
  });
});

describe('tail', () => {
  let settings: Record<string, string>;
  let gateway: Gateway;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    settings = {
      PORT: String(await freePort()),
      TASK_QUEUE: `tail-${randomUUID()}`,
      LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    };
    gateway = await started(settings);
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  async function started(changes: Record<string, string>): Promise<Gateway> {
    const one = await startGateway({ settings: { ...settings, ...changes } });
    stops.push(one.stop);
    return one;
  }

  interface Tail {
    readonly said: { out: string; err: string };
    /** What it told with --json: the lead, its state and the time of the change. */
    told(): JsonObject[];
    /** Ends it as Ctrl-C does. */
    stop(): Promise<CommandResult>;
  }

  function tail(...argv: string[]): Tail {
    const said = { out: '', err: '' };
    const ctrlC = new AbortController();
    const ended = leadgate(['tail', ...argv], {
      settings: { LEADGATE_URL: `http://127.0.0.1:${settings.PORT}` },
      io: { out: (text) => void (said.out += text), err: (text) => void (said.err += text), stopped: ctrlC.signal },
    });
    const stop = () => {
      ctrlC.abort();
      return ended;
    };
    stops.push(stop);
    const told = () => said.out.split('\n').flatMap((line) => (line ? [JSON.parse(line) as JsonObject] : []));
    return { said, told, stop };
  }

  async function sent(through: Gateway, sentinels = '', fields: JsonObject = {}): Promise<string> {
    const { headers } = await through.post('/api/clinicsys/no-prescreen', newLead(sentinels, fields));
    return headers.get('x-lead-id') ?? '';
  }

  it('prints each change once while the gateway is unavailable and returns, and ends with Ctrl-C', async () => {
    const protocol = `T-${process.pid}`;
    const { said, told, stop } = tail('--protocol', protocol, '--since', '1m', '--json');
    const tells = (leadId: string, state: string) =>
      until(() => told().some((one) => one.leadId === leadId && one.state === state), `${state} is told`);
    const parked = await sent(gateway, 'comment-422', { protocol });
    await tells(parked, 'parked');

    const elsewhere = await started({ PORT: '0' });
    await gateway.stopApi();
    await until(() => said.err.includes('Waiting for the API'), 'it tells that the gateway is away');
    await elsewhere.post(`/api/leads/${parked}/discard`, { reason: 'a test' });
    const delivered = await sent(elsewhere, '', { protocol });
    await started({});
    await tells(parked, 'discarded');
    await tells(delivered, 'delivered');
    const last = await sent(elsewhere, 'v1-refused', { protocol });
    await tells(last, 'failed');

    expect(await stop()).toMatchObject({ status: 0 });
    expect(said.err).toBe(
      `The API does not answer at http://127.0.0.1:${settings.PORT}: is \`npm start\` running?\nWaiting for the API …\nThe API answers again.\n`,
    );
    const changes = told().map(({ leadId, state, updatedAt }) => [leadId, state, updatedAt].map(String).join(' '));
    expect(new Set(changes).size).toBe(changes.length);
  });

  it('starts with the next change, and prints only what matches the filters', async () => {
    const before = await sent(gateway);
    const { said, stop } = tail('--state', 'failed', '--flow', 'no-prescreen');
    const failed: string[] = [];
    const isTold = () => failed.some((leadId) => said.out.includes(leadId));
    // One that came before the first look is not told.
    await until(async () => isTold() || !failed.push(await sent(gateway, 'v1-refused')), 'a failed lead is told');
    await stop();
    expect(said.out).toMatch(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}\S+ {2}no-prescreen +failed +send-to-rt +erg-oct\n)+$/);
    expect(said.out).not.toContain(before);
  });

  it.each([
    [['--since', 'yesterday'], 2, '--since must be a time'],
    [['--state', 'lost'], 2, '--state must be one of'],
  ])('%j is wrong usage', async (argv, status, words) =>
    expect(await leadgate(['tail', ...argv], { settings: { LEADGATE_URL: gateway.url } })).toMatchObject({
      status,
      out: '',
      err: expect.stringContaining(words),
    }),
  );

  it('fails if the gateway is unavailable at the start', async () =>
    expect(await leadgate(['tail'], { settings: { PORT: '9' } })).toMatchObject({
      status: 2,
      err: 'leadgate: The API does not answer at http://127.0.0.1:9: is `npm start` running?\n',
    }));
});
