/** `leadgate fixture`: the run stays, the person does not. */
import { Worker } from '@temporalio/worker';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseKeyRing } from '../../src/keys/ring';
import { dataConverter } from '../../src/temporal/engine';
import { replayBundlePath, testEngine } from '../support/engine';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { replaying } from '../support/replays';
import { until } from '../support/until';
import { leadgate, type Said } from './support';

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
  const leads = readdirSync(histories).filter((name) => !/^(board|toolkit|hold-|two-|alerts-|events-sent)/.test(name));

  it.each(leads)('%s a fixture is made that replays', async (name) => {
    const said = await leadgate(['fixture', join(histories, name), '--bundle', bundlePath], { settings: { LEADGATE_KEYS: stored } });
    expect(said).toMatchObject({ status: 0, err: expect.stringContaining('replays with another person in it') });
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

describe('of a lead of today', () => {
  let gateway: Gateway;
  let said: Said;
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

  it('a file is written, and not over another one', async () => {
    expect(said).toEqual({
      status: 0,
      out: '',
      err: expect.stringMatching(/^noPrescreen, \d+ events, 5 steps, delivered: .* written to /),
    });
    const again = await leadgate(['fixture', file, '--out', file, '--bundle', bundlePath], { settings: { LEADGATE_KEYS } });
    expect(again).toMatchObject({ status: 2, err: `leadgate: ${file} is there already\n` });
  });

  it('replays as test/replay replays its histories, without the key that the run was stored with', async () => {
    const converter = dataConverter(parseKeyRing(stored));
    const history: unknown = JSON.parse(readFileSync(file, 'utf8'));
    await expect(
      Worker.runReplayHistory({ workflowBundle: { codePath: bundlePath }, dataConverter: converter }, history),
    ).resolves.toBeUndefined();
  });

  it('holds nothing of the person', () => {
    const text = readable(readFileSync(file, 'utf8')).toLowerCase();
    const values = [
      ...Object.values(person),
      ...['wilhelmina', 'okonkwo', 'lindqvist', 'bartholomew', 'psoriasis', lead.email, lead.email.split('@')[0] ?? '', 'example'],
      ...['5559876543', '555-987-6543', '987-6543', '1963-07-19', '19-jul-1963', '81.5'],
      ...ids,
    ];
    for (const value of values) expect({ value, isThere: text.includes(value.toLowerCase()) }).toEqual({ value, isThere: false });
  });

  it('has one other person in it, the same everywhere', () => {
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

describe('of a lead that was sent again', () => {
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
    ['the newest attempt is taken', [], 'delivered'],
    ['the attempt that is named is taken', ['--attempt', '1'], 'failed'],
  ])('%s', async (_title, more, state) => {
    const { status, out, err } = await made(id, ...more);
    expect([status, err]).toEqual([0, expect.stringMatching(new RegExp(`^noPrescreen, \\d+ events, \\d steps, ${state}: `))]);
    expect(readable(out)).not.toContain('V1 is well again');
  });

  it('another attempt is said not to be there', async () =>
    expect(await made(id, '--attempt', '3')).toEqual({
      status: 1,
      out: '',
      err: 'leadgate: The lead has no such attempt; it has: 1, 2\n',
    }));

  it('a file holds one run, and no attempt to choose', async () =>
    expect(await made(join(histories, 'no-file.json'), '--attempt', '1')).toEqual({
      status: 2,
      out: '',
      err: 'leadgate: --attempt goes with a lead id: a file holds one run\n',
    }));
});
