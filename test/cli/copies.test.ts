/** Tests copies for an inspector: `audit export`, `lead dossier`, and `audit verify` of what they wrote. */
import { createHash, createPublicKey, generateKeyPairSync, verify as verifySignature } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvRows, csvText } from '../../src/lib/csv';
import { newSigningKey } from '../../tools/copies/signer';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { callers, keyOf } from '../support/keys';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';
import { leadgate, type CommandResult } from './support';

const dir = mkdtempSync(join(tmpdir(), 'leadgate-copies-'));
const person = { firstName: 'Zebulon', lastName: 'Quimby', email: `zebulon.quimby-${process.pid}@example.org`, phone: '(555) 867-5309' };
/** An operator types it into a reason. */
const reason = '=told by Zebulon <b>Quimby</b>';

let gateway: Gateway;
let receiver: Upstream;
let leadId: string;
let copies = 0;
const place = (name = `copy-${++copies}`) => join(dir, name);

const nobody = { settings: { LEADGATE_DATA_DIR: join(dir, 'none'), PORT: 'wrong' } };
const say = (argv: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
  leadgate(argv, { settings: { LEADGATE_URL: gateway.url, LEADGATE_API_KEY: keyOf('chief'), LEADGATE_DATA_DIR: dir, ...more } });
const verify = (copy: string, ...more: string[]) => leadgate(['audit', 'verify', copy, ...more], nobody);

/** Makes a copy of its own, and returns its directory. */
async function copied(argv: readonly string[], more = {}): Promise<string> {
  const copy = place();
  expect(await say([...argv, '--out', copy], more)).toMatchObject({ status: 0, err: '' });
  return copy;
}

const read = (copy: string, name: string) => readFileSync(join(copy, name), 'utf8');
const entriesIn = (copy: string): Readonly<Record<string, unknown>>[] =>
  read(copy, 'entries.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function csvCells(text: string): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const { cells } of csvRows(csvText(Buffer.from(text)))) rows.push(cells);
  return rows;
}

beforeAll(async () => {
  receiver = await openUpstream();
  gateway = await startGateway({
    settings: {
      LEADGATE_DATA_DIR: dir,
      GATEWAY_API_KEYS: callers('chief:leads+operator'),
      EVENTS_WEBHOOK_URL: receiver.url,
      EVENTS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    },
  });
  const chief = { 'x-gateway-key': keyOf('chief') };
  const get = async (path: string) => (await gateway.get(`/api/leads/${leadId}${path}`, chief)).body;
  const sent = await gateway.post('/api/clinicsys/no-prescreen', newLead('', { ...person, instanceName: 'erg-oct.key-404' }), chief);
  leadId = String(sent.headers.get('x-lead-id'));
  await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { instanceName: 'erg-oct', lastName: 'Quimbly' } }, chief);
  await until(async () => (await get('')).state === 'delivered', 'the lead is delivered');
  await until(
    async () => (await get('/events')).events.every(({ deliveries: [one] }: any) => one.state === 'told'), // eslint-disable-line
    'its events are delivered',
  );
  for (const verb of ['confirm', 'discard']) await gateway.post(`/api/leads/${leadId}/${verb}`, { reason, upstreamId: '7' }, chief);
});
afterAll(async () => {
  await gateway?.stop();
  await receiver?.close();
  rmSync(dir, { recursive: true });
});

describe('a copy of the audit trail', () => {
  let copy: string;
  let fingerprint: string;
  beforeAll(async () => {
    fingerprint = JSON.parse((await say(['audit', 'key', '--json'])).out).fingerprint;
    copy = await copied(['audit', 'export']);
  });

  it('has every entry as the service told it but for the reasons, oldest first, and verifies without settings, keys or a service', async () => {
    const { body } = await gateway.get('/api/audit?limit=1000', { 'x-gateway-key': keyOf('chief') });
    const { until: to, ...manifest } = JSON.parse(read(copy, 'manifest.json'));
    const told = body.entries.filter(({ at }: { readonly at: string }) => at <= to).toReversed();
    expect(told.length).toBeGreaterThan(5);
    const hidden = ({ evidence, ...entry }: { readonly evidence?: { readonly reason?: string } }) => ({
      ...entry,
      ...(evidence && { evidence: { ...evidence, ...(evidence.reason && { reason: '•••' }) } }),
    });
    expect(entriesIn(copy)).toEqual(told.map(hidden));
    expect(manifest).toMatchObject({ what: 'audit trail', clear: false, who: 'chief', entries: told.length, signer: { fingerprint } });
    expect(await verify(copy)).toEqual({
      status: 0,
      out: expect.stringMatching(
        new RegExp(`^whole: audit trail, ${told.length} entries, .*\nsigned with the key ${fingerprint}\nCompare it`),
      ),
      err: '',
    });
    const grouped = fingerprint.toUpperCase().replaceAll(/..(?!$)/g, '$&:');
    expect(await verify(copy, '--key', grouped)).toEqual({ status: 0, out: expect.stringMatching(/^whole: .*\n$/), err: '' });
  });

  it('can be verified without this package: the signature, the digests, and the chain', () => {
    const manifest = JSON.parse(read(copy, 'manifest.json'));
    const key = createPublicKey(read(copy, 'public-key.pem'));
    expect(verifySignature(null, readFileSync(join(copy, 'manifest.json')), key, readFileSync(join(copy, 'signature')))).toBe(true);
    const sha256 = (...parts: readonly (string | Buffer)[]) =>
      parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
    expect(sha256(key.export({ type: 'spki', format: 'der' }))).toBe(fingerprint);
    for (const file of manifest.files) expect(sha256(readFileSync(join(copy, file.name)))).toBe(file.sha256);
    const lines = read(copy, 'entries.jsonl').trimEnd().split('\n');
    expect(lines.reduce((link, line) => sha256(link, line), '')).toBe(manifest.chain);
  });

  it('names the first and last line of each file of the trail', () => {
    const [part] = JSON.parse(read(copy, 'manifest.json')).trail;
    const own = entriesIn(copy).filter(({ file }) => file === part.file);
    const lineOf = ({ seq, hash }: Readonly<Record<string, unknown>> = {}) => ({ seq, hash });
    expect(part).toEqual({ file: part.file, entries: own.length, first: lineOf(own[0]), last: lineOf(own.at(-1)) });
  });

  it('is readable for its owner only, as its key is', () => {
    const modes = [copy, ...readdirSync(copy).map((name) => join(copy, name)), join(dir, 'audit-signing-key.pem')];
    expect(modes.map((path) => statSync(path).mode & 0o077)).toEqual(modes.map(() => 0));
  });

  it('has only what was asked for: a period, or a lead', async () => {
    const ofLead = await copied(['audit', 'export', '--lead', leadId]);
    expect(entriesIn(ofLead).map(({ leadId: id }) => id)).toEqual(entriesIn(ofLead).map(() => leadId));
    const earlier = await copied(['audit', 'export', '--since', '2020-01-01', '--until', '2020-02-01']);
    expect(JSON.parse(read(earlier, 'manifest.json'))).toMatchObject({
      since: '2020-01-01T00:00:00.000Z',
      until: '2020-02-01T00:00:00.000Z',
      entries: 0,
    });
    expect((await verify(earlier)).status).toBe(0);
    const early = JSON.parse(read(await copied(['audit', 'export', '--until', '2999-01-01']), 'manifest.json'));
    expect(early.until <= early.madeAt).toBe(true);
    expect(await say(['audit', 'export', '--since', 'June', '--out', place()])).toMatchObject({
      status: 2,
      err: expect.stringContaining('--since must be a time'),
    });
  });

  it('follows every page of the list, and shows why an act was done and what it changed', async () => {
    const service = await openUpstream();
    const entry = (seq: number, more: object = {}) => ({
      ...{ seq, at: `2026-11-21T14:00:0${seq}.000Z`, who: 'ann', action: `act ${seq}`, file: 'f', prev: `h${seq - 1}`, hash: `h${seq}` },
      ...more,
    });
    const changed = { email: { before: 'a@b.org', after: '' }, dob: { after: '1980-03-05' } };
    const pages: Readonly<Record<string, readonly object[]>> = {
      '': [entry(4, { evidence: { erased: true } }), entry(3, { leadIds: ['k1', 'k2', 'k3', 'k4', 'k5'] })],
      'f:3': [entry(2, { evidence: { upstreamId: '77' } }), entry(1, { evidence: { reason: 'a, b', changed }, address: '10.0.0.1' })],
    };
    service.answerBy(({ url }) => {
      const { pathname, searchParams } = new URL(url, service.url);
      if (pathname !== '/api/audit') return { body: { success: true, name: 'ann' } };
      const entries = pages[searchParams.get('cursor') ?? ''] ?? [];
      return { body: { success: true, count: entries.length, entries, ...(searchParams.has('cursor') ? {} : { nextCursor: 'f:3' }) } };
    });
    const other = await copied(['audit', 'export', '--clear'], { LEADGATE_URL: service.url });
    expect(service.received.filter(({ url }) => url.startsWith('/api/audit?')).map(({ url }) => /clear=true/.test(url))).toEqual([
      true,
      true,
    ]);
    const [, ...rows] = (await csvCells(read(other, 'entries.csv'))).map((cells) => [cells[0], cells[3], ...cells.slice(5, 9)]);
    expect(rows).toEqual([
      ['1', '10.0.0.1', '', '', 'a, b', 'email: a@b.org → (none)\ndob: (none) → 1980-03-05'],
      ['2', '', '', '', 'upstream id: 77', ''],
      ['3', '', 'k1\nk2\nk3\nand 2 more, in entries.jsonl', '', '', ''],
      ['4', '', '', '', '(erased with the person)', ''],
    ]);
    for (const cell of rows.flat()) expect(read(other, 'index.html')).toContain(cell);
    await service.close();
  });

  it('has a page that loads nothing and runs nothing', () => {
    const page = read(copy, 'index.html');
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<(?:script|link|img|iframe|a)\b|\b(?:src|href|on\w+)=|url\(|@import/i);
    expect(page.match(/<tr><td>\d+<\/td>/g)).toHaveLength(entriesIn(copy).length);
  });

  it('never replaces an earlier one, and leaves nothing if it cannot be completed', async () => {
    expect(await say(['audit', 'export', '--out', copy])).toEqual({
      status: 2,
      out: '',
      err: `leadgate: ${copy} exists: each copy needs a new directory\n`,
    });
    const other = place();
    const away = { LEADGATE_URL: 'http://127.0.0.1:9' };
    expect((await say(['audit', 'export', '--out', other], away)).status).toBe(2);
    expect((await say(['audit', 'export', '--lead', 'x'.repeat(10_000), '--out', other])).status).toBe(2);
    expect([existsSync(other), (await verify(copy)).status]).toEqual([false, 0]);
  });

  /** The lines of a file, changed. */
  const lines =
    (change: (all: readonly string[]) => readonly string[], name = 'entries.jsonl') =>
    (altered: string) =>
      writeFileSync(join(altered, name), `${change(read(altered, name).trimEnd().split('\n')).join('\n')}\n`);
  const text =
    (name: string, from: string, to: string) =>
    (altered: string): void => {
      expect(read(altered, name)).toContain(from);
      writeFileSync(join(altered, name), read(altered, name).replace(from, to));
    };
  const without = (name: string) => (altered: string) => rmSync(join(altered, name));
  const order =
    (...first: readonly number[]) =>
    (all: readonly string[]) => [...first.map((number) => all[number - 1] ?? ''), ...all.slice(first.length)];

  it.each<[string, (altered: string) => void, string]>([
    ['a changed entry', lines((all) => all.map((line, at) => (at === 2 ? line.replace('chief', 'other') : line))), 'entry 3 was changed'],
    ['an entry that was cut out', lines((all) => all.toSpliced(1, 1)), 'entry 2 was cut out'],
    ['entries that were cut out', lines((all) => all.toSpliced(1, 3)), 'entries 2 to 4 were cut out'],
    ['a first entry that was cut out', lines((all) => all.slice(1)), 'entry 1 was cut out'],
    ['an end that was cut off', lines((all) => all.slice(0, 2)), 'entries 3 to '],
    ['an entry that was moved down', lines(order(1, 3, 4, 2)), 'entry 2 was moved: it stands on line 4'],
    ['an entry that was moved up', lines(order(1, 4, 2, 3)), 'entry 4 was moved: it stands on line 2'],
    ['an added entry', lines(([first = '', ...rest]) => [first, '{"at":"2026-01-01"}', ...rest]), 'line 2 was added'],
    ['a repeated entry', lines(([first = '', ...rest]) => [first, first, ...rest]), 'line 2 was added'],
    ['an entry added at the end', lines((all) => [...all, all[0] ?? '']), ' was added: the copy has '],
    ['another line break', text('entries.jsonl', '}\n', '}\r\n'), 'entry 1 was changed'],
    [
      'changed entries with a changed chain',
      (at) => [lines(order(2, 1)), lines(order(2, 1), 'chain.txt')].forEach((go) => go(at)),
      'no entry can be named',
    ],
    [
      'a changed manifest',
      text('manifest.json', '"clear": false', '"clear": true'),
      'manifest.json was changed: the signature does not fit',
    ],
    ['a manifest that is none', (at) => writeFileSync(join(at, 'manifest.json'), '{'), 'manifest.json cannot be read'],
    ['a missing manifest', without('manifest.json'), 'manifest.json is missing'],
    ['a changed page', text('index.html', 'confirm', 'discard'), 'index.html was changed'],
    ['a changed table', text('entries.csv', 'confirm', 'discard'), 'entries.csv was changed'],
    ['a missing table', without('entries.csv'), 'entries.csv is missing'],
    ['missing entries', without('entries.jsonl'), 'entries.jsonl is missing'],
    ['a missing signature', without('signature'), 'signature is missing'],
    ['a missing key', without('public-key.pem'), 'public-key.pem is missing'],
    ['a key that is none', (at) => writeFileSync(join(at, 'public-key.pem'), 'x'), 'public-key.pem is no Ed25519 key'],
  ])('with %s is broken, and verification says so', async (_, alter, said) => {
    const altered = place();
    cpSync(copy, altered, { recursive: true });
    alter(altered);
    expect(await verify(altered, '--key', fingerprint)).toMatchObject({ status: 1, out: expect.stringContaining(said), err: '' });
    expect(JSON.parse((await verify(altered, '--json')).out)).toMatchObject({ success: false });
  });

  it('signed with another key is refused for the expected one', async () => {
    const forged = await copied(['audit', 'export'], { AUDIT_SIGNING_KEY: newSigningKey() });
    expect((await verify(forged)).status).toBe(0);
    expect(await verify(forged, '--key', fingerprint)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^the copy is signed with another key: [0-9a-f]{64}\nbroken: /),
    });
  });

  it('names a file that does not belong to it, and what the trail itself had left out', async () => {
    const other = place();
    cpSync(copy, other, { recursive: true });
    writeFileSync(join(other, 'notes.txt'), '');
    expect(await verify(other)).toMatchObject({ status: 0, out: expect.stringContaining('note: notes.txt does not belong to the copy\n') });
    const [name = ''] = readdirSync(join(dir, 'audit'));
    const path = join(dir, 'audit', name);
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.split('\n').toSpliced(3, 1).join('\n'));
    const gap = `note: what stands between lines 3 and 5 of the trail's file ${name} is not in the copy\n`;
    expect((await say(['audit', 'export', '--out', place()])).out).toContain(gap);
    writeFileSync(path, whole);
  });

  it.each([
    [['audit', 'verify', '/nowhere'], 'There is no directory /nowhere'],
    [['audit', 'verify', '/', '--key', 'abc'], '--key must be a fingerprint: 64 hexadecimal digits'],
    [['audit', 'verify', '--key', 'ab'.repeat(32)], '--key needs the directory of a copy; see leadgate audit verify --help'],
  ])('%j cannot be carried out', async (argv, said) =>
    expect(await leadgate(argv, nobody)).toEqual({ status: 2, out: '', err: `leadgate: ${said}\n` }),
  );

  it('needs a private Ed25519 key, and a data directory for a generated one', async () => {
    expect(await say(['audit', 'key'], { AUDIT_SIGNING_KEY: 'secret' })).toMatchObject({
      status: 2,
      err: 'leadgate: AUDIT_SIGNING_KEY must be a private Ed25519 key in PEM form: openssl genpkey -algorithm ed25519\n',
    });
    const none = join(dir, 'none');
    expect(await say(['audit', 'key'], { LEADGATE_DATA_DIR: none })).toEqual({
      status: 2,
      out: '',
      err: `leadgate: There is no data directory at ${none}, and no AUDIT_SIGNING_KEY_FILE\n`,
    });
    expect(existsSync(none)).toBe(false);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect((await say(['audit', 'key'], { AUDIT_SIGNING_KEY: rsa })).status).toBe(2);
    expect((await say(['audit', 'key'], { AUDIT_SIGNING_KEY: newSigningKey() })).out).toMatch(
      /^[0-9a-f]{64}\n-----BEGIN PUBLIC KEY-----\n/,
    );
  });
});

describe('a dossier', () => {
  let copy: string;
  beforeAll(async () => {
    copy = await copied(['lead', 'dossier', leadId]);
  });
  const all = (where: string) => readdirSync(where).map((name) => read(where, name));

  it('has the lead, then its attempts, requests, decisions, events and entries of the trail, in order', async () => {
    const [lead, ...rest] = entriesIn(copy);
    expect(lead).toMatchObject({ kind: 'lead', lead: { leadId, state: 'delivered' } });
    expect([...new Set(rest.map(({ kind }) => kind))].toSorted()).toEqual(['attempt', 'decision', 'event', 'exchange', 'trail']);
    expect(rest.map(({ at }) => at)).toEqual(rest.map(({ at }) => at).toSorted());
    expect(rest.filter(({ kind }) => kind === 'attempt')).toHaveLength(2);
    expect(rest.filter(({ kind }) => kind === 'event')).toMatchObject(
      rest.filter(({ kind }) => kind === 'event').map(() => ({ event: { deliveries: [{ receiver: 'webhook', state: 'told' }] } })),
    );
    expect(await verify(copy)).toMatchObject({ status: 0, out: expect.stringMatching(/^whole: lead dossier, /) });
    expect(await say(['lead', 'dossier', 'k0', '--out', place()])).toMatchObject({ status: 1, err: expect.stringContaining('NOT_FOUND') });
  });

  it('shows nothing of a person unless it is asked for in clear', () => {
    for (const text of all(copy)) expect(text).not.toMatch(/zebulon|quimb|8675309|867-5309|<b>/i);
  });

  it('in clear shows all, and the trail has recorded who read it', async () => {
    const clear = await copied(['lead', 'dossier', leadId, '--clear']);
    const lines = read(clear, 'entries.jsonl');
    for (const value of [person.email, person.firstName, 'Quimbly', reason]) expect(lines).toContain(value);
    const reads = entriesIn(clear).filter(({ entry }) => (entry as { action?: string } | undefined)?.action === 'read in clear');
    expect(reads).toMatchObject([{ entry: { who: 'chief', leadId, address: expect.stringMatching(/127\.0\.0\.1$/) } }]);
    expect(JSON.parse(read(clear, 'manifest.json'))).toMatchObject({ what: 'lead dossier', leadId, clear: true });
    expect((await verify(clear)).status).toBe(0);
    // What a person typed is text in the page, and no formula in the table.
    expect(read(clear, 'index.html')).toContain('=told by Zebulon &lt;b&gt;Quimby&lt;/b&gt;');
    expect(read(clear, 'entries.csv')).toContain("'=told by Zebulon");
    expect(read(clear, 'entries.csv')).not.toMatch(/[,"]=told/);
  });
});
