/** Tests the replay of stored runs, and their export as fixtures. */
import { Worker } from '@temporalio/worker';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints } from '../../src/contract';
import { parseKeyRing } from '../../src/keys/ring';
import { historyToJson } from '../../tools/replay/history-json';
import { dataConverter } from '../../src/temporal/engine';
import { replayBundlePath, testEngine } from '../support/engine';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { replaying } from '../support/replays';
import { until } from '../support/until';
import { alteredBundle } from './altered';
import { leadgate, type CommandResult } from './support';

describe('replay', () => {
  replaying();

  const histories = join(__dirname, '../replay/histories');
  /** What the stored runs are encrypted with. */
  const LEADGATE_KEYS = `replay:${Buffer.alloc(32, 7).toString('base64')}`;

  let dir: string;
  beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-replay-'))));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const ofFile = (name: string, bundle = replayBundlePath(), settings: Record<string, string> = { LEADGATE_KEYS }) =>
    leadgate(['replay', name.includes('/') ? name : join(histories, `${name}.json`), '--bundle', bundle], { settings });

  describe('a stored run', () => {
    it.each([
      ['no-prescreen-delivered', /^noPrescreen lead-\S+\nThe code would do the same: 22 events, 5 steps, delivered\.\n$/],
      ['no-prescreen-skipped', /5 steps, skipped\.\n$/],
      ['key-refused', /1 step, failed\.\n$/],
      ['comment-parked', /still open, parked\.\n$/],
      ['recruit-delivered', /1 step, delivered\.\n$/],
      ['toolkit-sites', /2 steps, delivered\.\n$/],
    ])('%s replays with the current code', async (name, words) =>
      expect(await ofFile(name)).toEqual({ status: 0, err: '', out: expect.stringMatching(words) }),
    );

    it('is JSON with --json', async () => {
      const { out } = await leadgate(['replay', join(histories, 'recruit-delivered.json'), '--bundle', replayBundlePath(), '--json'], {
        settings: { LEADGATE_KEYS },
      });
      expect(JSON.parse(out)).toMatchObject({ type: 'sendToRecruit', steps: 1, state: 'delivered', same: true });
    });

    it('whose key is missing is not reported as a change of the code', async () =>
      expect(await ofFile('recruit-delivered', undefined, { LEADGATE_KEYS: `k2:${Buffer.alloc(32, 1).toString('base64')}` })).toEqual({
        status: 2,
        out: '',
        err: 'leadgate: A stored payload needs the encryption key "replay", which is not in LEADGATE_KEYS\n',
      }));

    it.each([
      ['not JSON', 'it is not valid JSON'],
      ['{"events":[]}', 'it contains no events'],
      ['{"events":[{"eventId":"1","workflowExecutionStartedEventAttributes":{"input":[{"leadId":"p1"}]}}]}', 'download it encoded'],
      ['{"events":[{"eventId":"1","eventType":"NO_SUCH"}]}', 'not in the format of Temporal'],
      ['{"events":[{"eventId":"1","eventType":"WorkflowExecutionStarted"}]}', 'not in the format of Temporal'],
    ])('in a file of %j is refused with the reason', async (text, why) => {
      const file = join(dir, 'wrong.json');
      writeFileSync(file, text);
      expect(await ofFile(file)).toEqual({ status: 2, out: '', err: expect.stringContaining(why) });
    });

    const events: object[] = JSON.parse(readFileSync(join(histories, 'recruit-delivered.json'), 'utf8')).events;

    it('without a command replays', async () => {
      const file = join(dir, 'begun.json');
      writeFileSync(file, JSON.stringify(events.slice(0, 2)));
      expect(await ofFile(file)).toEqual({ status: 0, err: '', out: expect.stringContaining('2 events, 0 steps') });
    });

    it.each([
      ['as a bare list of events', events],
      ['with fields of a newer engine', events.map((event) => ({ ...event, fieldOfTomorrow: 1 }))],
    ])('is read %s, too', async (_what, list) => {
      const file = join(dir, 'list.json');
      writeFileSync(file, JSON.stringify(list));
      expect(await ofFile(file)).toMatchObject({ status: 0 });
    });
  });

  describe('changed code', () => {
    let gateway: Gateway;
    const runs = { lead: '', other: '' };
    beforeAll(async () => {
      gateway = await startGateway({ settings: { LEADGATE_KEYS } });
      const saved = async (name: string, path: string, body: object) => {
        const { headers } = await gateway.post(path, body);
        const run = gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '');
        await run.result();
        const file = join(dir, name);
        writeFileSync(file, JSON.stringify(historyToJson(await run.fetchHistory())));
        return file;
      };
      const { path, example } = endpoints.sendPatient;
      runs.lead = await saved('lead.json', '/api/clinicsys/no-prescreen', newLead());
      runs.other = await saved('other.json', path, { ...example, email: newLead().email });
    });
    afterAll(() => gateway.stop());

    it.each([
      [
        'an activity before the first step',
        [
          'const keyedRecord =',
          `await quickly('look', 1000).readComments({ account: 'ERG', instanceName: '', key: '' }, 1);\nconst keyedRecord =`,
        ],
        /: at event \d+ the run called(?: the local activity)? getApiKey \(step get-api-key\), where the code would call the local activity readComments instead\./,
      ],
      [
        'a step left out',
        ['await sendToRt(context, ready)', '{ rtResponse: { PatientID: 7 } }'],
        /: at event \d+ the run called sendToRt \(step send-to-rt\), where the code would call sendComments \(step send-comments\) instead\./,
      ],
      [
        'the last step left out',
        ['await sendComments(context, sent)', '{}'],
        /: at event \d+ the run called sendComments \(step send-comments\), where the code would update its search attributes instead\./,
      ],
      [
        'an error of its own',
        ['const keyedRecord =', "if (lead) throw new Error('not thought of');\nconst keyedRecord ="],
        /: at event \d+ the run called(?: the local activity)? getApiKey \(step get-api-key\), where the code would do nothing\.\n.*not thought of/,
      ],
    ] as const)('with %s is told in words', async (_what, [from, to], words) => {
      const bundle = alteredBundle(from, to);
      try {
        expect(await ofFile(runs.lead, bundle.path)).toEqual({ status: 1, err: '', out: expect.stringMatching(words) });
        // A run that the change does not touch goes on.
        expect(await ofFile(runs.other, bundle.path)).toMatchObject({ status: 0 });
      } finally {
        bundle.remove();
      }
    });

    it('in a bundle that is not for replays is reported with the engine’s message', async () => {
      const bundle = alteredBundle('await sendToRt(context, ready)', '{ rtResponse: { PatientID: 7 } }', testEngine().bundlePath);
      try {
        const out = expect.stringMatching(/The code would not do the same: .*sendToRt.*sendComments/);
        expect(await ofFile(runs.lead, bundle.path)).toEqual({ status: 1, err: '', out });
      } finally {
        bundle.remove();
      }
    });
  });

  describe('a run that the engine holds', () => {
    let gateway: Gateway;
    let settings: Record<string, string>;
    beforeAll(async () => {
      const { address, namespace } = testEngine();
      gateway = await startGateway({ settings: { LEADGATE_KEYS } });
      settings = { LEADGATE_KEYS, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, TASK_QUEUE: gateway.config.TASK_QUEUE };
    });
    afterAll(() => gateway.stop());

    const here = (...argv: string[]) => leadgate(['replay', ...argv, '--bundle', replayBundlePath()], { settings });
    const idOf = async (sentinels: string, fields = {}) =>
      (await gateway.post('/api/clinicsys/no-prescreen', newLead(sentinels, fields))).headers.get('x-lead-id') ?? '';

    it('replays by its lead id and from its file', async () => {
      const id = await idOf('');
      const history = await gateway.client.workflow.getHandle(`lead-${id.split('-')[0]}`).fetchHistory();
      // A busy machine may leave a step to an activity, which is some events more.
      const words = expect.stringContaining(`The code would do the same: ${history.events?.length} events, 5 steps, delivered.`);
      expect(await here(id)).toEqual({ status: 0, err: '', out: words });
      const file = join(dir, 'saved.json');
      writeFileSync(file, JSON.stringify(historyToJson(history)));
      expect(await here(file)).toEqual({ status: 0, err: '', out: words });
    });

    it('of a redriven lead replays with the previous one', async () => {
      const id = await idOf('', { instanceName: 'erg-oct.key-404' });
      await gateway.post(`/api/leads/${id}/redrive`, { reason: 'mistyped', fields: { instanceName: 'erg-oct' } });
      await gateway.get(`/api/leads/${id}?wait=60`);
      const { out } = await until(async () => {
        const said = await here(id);
        return said.out.includes('delivered') ? said : undefined;
      }, 'both runs');
      expect(out).toMatch(/1 step, failed\.\n(.|\n)*5 steps, delivered\.\n$/);
    });

    it('that does not exist is reported', async () =>
      expect(await here('b0000000000000000000a-0000000000')).toMatchObject({
        status: 1,
        err: expect.stringContaining('has no run of lead'),
      }));

    it('that is open replays with all open runs', async () => {
      const workflowId = `lead-${(await idOf('comment-422')).split('-')[0]}`;
      const listed = `WorkflowId = '${workflowId}' AND ExecutionStatus = 'Running'`;
      await until(async () => (await gateway.client.workflow.count(listed)).count === 1, 'the parked lead is listed as open');
      const bundle = alteredBundle('await formatData(context, checked)', '{}');
      const gate = (path: string) => leadgate(['replay', '--open', '--bundle', path], { settings });
      try {
        const good = expect.stringMatching(/^Of (\d+) open runs? \1 would replay with this code\.\n$/);
        expect(await gate(replayBundlePath())).toEqual({ status: 0, err: '', out: good });
        const bad = await gate(bundle.path);
        expect(bad.status).toBe(1);
        const parted = `${workflowId}: The code would not do the same: at event \\d+ the run called the local activity formatData \\(step format-data\\)`;
        expect(bad.out).toMatch(new RegExp(parted));
        expect(bad.out).toMatch(/, \d+ would not\. Do not deploy it/);
        expect(bad.out).not.toContain('example.org');
      } finally {
        bundle.remove();
      }
    });
  });

  it('needs a lead or --open, not both', async () => {
    expect(await leadgate(['replay'])).toMatchObject({ status: 2, err: expect.stringContaining('Give a lead id, a file, or --open') });
    expect(await leadgate(['replay', 'p1', '--open'])).toMatchObject({ status: 2 });
    expect(await leadgate(['replay', 'p1', '--bundle', '/nowhere'])).toMatchObject({
      status: 2,
      err: 'leadgate: There is no workflow bundle /nowhere\n',
    });
  });
});

describe('fixture', () => {
  replaying();

  const histories = join(__dirname, '../replay/histories');
  const stored = `replay:${Buffer.alloc(32, 7).toString('base64')}`;
  const bundlePath = replayBundlePath();

  let dir: string;
  beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-fixture-'))));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Every payload in clear beside the rest, to look for a person in it. */
  function readable(text: string): string {
    const data = [...text.matchAll(/"data": ?"([^"]+)"/g)].map(([, base64]) => Buffer.from(base64 ?? '', 'base64').toString());
    return [text, ...data].join('\n');
  }

  describe('of every stored lead', () => {
    const leads = readdirSync(histories).filter((name) => !/^(board|toolkit|hold-|two-|alerts?-|events-(sent|given))/.test(name));

    it.each(leads)('%s has a fixture that replays', async (name) => {
      const said = await leadgate(['fixture', join(histories, name), '--bundle', bundlePath], { settings: { LEADGATE_KEYS: stored } });
      expect(said).toMatchObject({ status: 0, err: expect.stringContaining('replays with the personal data replaced') });
      const text = readable(said.out);
      expect(text).not.toMatch(/"encoding": ?"YmluYXJ5L2VuY3J5cHRlZA/);
      for (const personal of [
        'example.org',
        '"Ann"',
        '"Lee"',
        '201-3344',
        '1980-03-05',
        '03/05/1980',
        'sandbox-key',
        'Eczema',
        ':300001',
        'recorder',
        '"stored"',
      ])
        expect(text).not.toContain(personal);
    });
  });

  describe('of a new lead', () => {
    let gateway: Gateway;
    let said: CommandResult;
    const LEADGATE_KEYS = `k1:${Buffer.alloc(32, 3).toString('base64')}`;
    const person = {
      firstName: 'Wilhelmina',
      lastName: 'Okonkwo-Lindqvist',
      phone: '(555) 987-6543',
      dob: '07/19/1963',
      zipCode: '33432-0017',
    };
    const lead = newLead('comment-500-after', {
      ...person,
      condition: 'Psoriasis',
      weight: 81.5,
      note: '{"wife of":"Bartholomew Okonkwo-Lindqvist"}',
    });
    let ids: readonly string[];
    let file: string;

    beforeAll(async () => {
      gateway = await startGateway({ settings: { LEADGATE_KEYS } });
      file = join(dir, 'mine.json');
      const { headers, body } = await gateway.post('/api/clinicsys/no-prescreen', lead);
      const id = headers.get('x-lead-id') ?? '';
      ids = [...id.split('-'), `:${body.rtResponse.PatientID}`, body.key];
      const settings = { LEADGATE_KEYS, TEMPORAL_ADDRESS: testEngine().address, TEMPORAL_NAMESPACE: testEngine().namespace };
      said = await leadgate(['fixture', id, '--out', file, '--bundle', bundlePath], { settings });
    });
    afterAll(() => gateway.stop());

    it('is written to a new file only', async () => {
      expect(said).toEqual({
        status: 0,
        out: '',
        err: expect.stringMatching(/^noPrescreen, \d+ events, 5 steps, delivered: .* written to /),
      });
      const again = await leadgate(['fixture', file, '--out', file, '--bundle', bundlePath], { settings: { LEADGATE_KEYS } });
      expect(again).toMatchObject({ status: 2, err: `leadgate: ${file} already exists\n` });
    });

    it('replays without the encryption key of the run', async () => {
      const converter = dataConverter(parseKeyRing(stored));
      const history: unknown = JSON.parse(readFileSync(file, 'utf8'));
      await expect(
        Worker.runReplayHistory({ workflowBundle: { codePath: bundlePath }, dataConverter: converter }, history),
      ).resolves.toBeUndefined();
    });

    it('contains no personal data', () => {
      const text = readable(readFileSync(file, 'utf8')).toLowerCase();
      const values = [
        ...Object.values(person),
        ...['wilhelmina', 'okonkwo', 'lindqvist', 'bartholomew', 'psoriasis', lead.email, lead.email.split('@')[0] ?? '', 'example'],
        ...['5559876543', '555-987-6543', '987-6543', '1963-07-19', '19-jul-1963', '81.5'],
        ...ids,
      ];
      for (const value of values) expect({ value, isThere: text.includes(value.toLowerCase()) }).toEqual({ value, isThere: false });
    });

    it('replaces the person consistently', () => {
      const text = readable(readFileSync(file, 'utf8'));
      const [, name] = /"lastName":"([A-Z][a-z]{6}-[A-Z][a-z]{8})"/.exec(text) ?? [];
      expect(name).toBeDefined();
      expect(text).toContain(`"LastName":"${name}"`);
      expect(text).toMatch(new RegExp(`[A-Z][a-z]{10} ${name}`));
      const [, condition] = /"condition":"([A-Z][a-z]{8})"/.exec(text) ?? [];
      expect(text).toMatch(new RegExp(`\\(\\d\\d/\\d\\d/\\d{4} - ${condition} - AD-301\\)`));
      expect(text).toMatch(/"phone":"\(\d{3}\) \d{3}-\d{4}"/);
      expect(text).toContain('"instanceName":"erg-oct"');
    });
  });

  describe('of a redriven lead', () => {
    const LEADGATE_KEYS = `k1:${Buffer.alloc(32, 3).toString('base64')}`;
    const settings = { LEADGATE_KEYS, TEMPORAL_ADDRESS: testEngine().address, TEMPORAL_NAMESPACE: testEngine().namespace };
    const made = (...argv: string[]) => leadgate(['fixture', ...argv, '--bundle', bundlePath], { settings });
    let gateway: Gateway;
    let id: string;

    beforeAll(async () => {
      gateway = await startGateway({ settings: { LEADGATE_KEYS } });
      const { headers } = await gateway.post('/api/clinicsys/no-prescreen', newLead('v1-refused-once'));
      id = headers.get('x-lead-id') ?? '';
      await gateway.post(`/api/leads/${id}/redrive`, { reason: 'V1 is well again' });
      await until(async () => (await gateway.get(`/api/leads/${id}?wait=5`)).body.state === 'delivered', 'the lead is delivered');
    });
    afterAll(() => gateway.stop());

    it.each([
      ['the newest attempt is the default', [], 'delivered'],
      ['--attempt selects an attempt', ['--attempt', '1'], 'failed'],
    ])('%s', async (_title, more, state) => {
      const { status, out, err } = await made(id, ...more);
      expect([status, err]).toEqual([0, expect.stringMatching(new RegExp(`^noPrescreen, \\d+ events, \\d steps, ${state}: `))]);
      expect(readable(out)).not.toContain('V1 is well again');
    });

    it('reports a missing attempt', async () =>
      expect(await made(id, '--attempt', '3')).toEqual({
        status: 1,
        out: '',
        err: 'leadgate: The lead does not have this attempt. Its attempts: 1, 2\n',
      }));

    it('does not accept an attempt for a file', async () =>
      expect(await made(join(histories, 'no-file.json'), '--attempt', '1')).toEqual({
        status: 2,
        out: '',
        err: 'leadgate: --attempt requires a lead id: a file has one run\n',
      }));
  });
});
