import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvidenceStore, eraseEvidence } from '../../src/audit/evidence';
import { createPageReader, readTrail } from '../../src/audit/read';
import { removeOldFiles } from '../../src/audit/retention';
import { openTrail, type Trail } from '../../src/audit/trail';
import { verifyTrail } from '../../src/audit/verify';
import { nobody, type About } from '../../src/domain/evidence';
import { parseKeyRing } from '../../src/keys/ring';
import { logged } from '../support/logged';

const keys = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
const others = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);

let dir: string;
let trails: Trail[];
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'leadgate-audit-')), 'audit');
  trails = [];
});
afterEach(async () => {
  await Promise.all(trails.map((trail) => trail.close()));
  rmSync(join(dir, '..'), { recursive: true });
});

/** As another process would. */
async function written(...actions: string[]): Promise<string> {
  const trail = openTrail(dir, keys);
  trails.push(trail);
  let file = '';
  for (const action of actions) ({ file } = await trail.write({ who: 'ann', action, outcome: 'done' }));
  return file;
}

const change = (file: string, as: (lines: string[]) => string[]) => {
  const lines = readFileSync(join(dir, file), 'utf8').trimEnd().split('\n');
  writeFileSync(join(dir, file), `${as(lines).join('\n')}\n`);
};
const problems = async () => (await verifyTrail(dir, keys)).problems;

it('keeps the entries of several processes, and logs each hash', async () => {
  const [one] = await Promise.all([written('discard', 'resend'), written('confirm')]);
  const { heads, ...verdict } = await verifyTrail(dir, keys);
  expect(verdict).toEqual({ files: 2, entries: 5, problems: [], notes: [] });
  expect(heads.map(({ seq }) => seq).toSorted()).toEqual([1, 2]);
  const entries = await readTrail(dir, {});
  expect(entries.map(({ action }) => action).toSorted()).toEqual(['confirm', 'discard', 'resend']);
  for (const { hash } of entries) expect(logged.join('')).toContain(hash);
  expect(statSync(join(dir, one)).mode & 0o777).toBe(0o600);
});

it('writes concurrent entries of one process one after the other', async () => {
  const trail = openTrail(dir, keys);
  trails.push(trail);
  await Promise.all(Array.from({ length: 20 }, (_, at) => trail.write({ who: 'ann', action: `a${at}` })));
  expect(await verifyTrail(dir, keys)).toMatchObject({ files: 1, entries: 21, problems: [] });
});

describe('verification reports the place of', () => {
  it.each<[string, (lines: string[]) => string[], RegExp]>([
    ['a changed line', (lines) => lines.map((line, at) => (at === 2 ? line.replace('ann', 'bob') : line)), /: line 3 was changed$/],
    ['a line taken out', (lines) => lines.filter((_, at) => at !== 2), /: 1 line is missing before line 3$/],
    ['a line that is no entry', (lines) => lines.map((line, at) => (at === 1 ? 'x' : line)), /: line 2 cannot be read$/],
    ['a first line taken out', (lines) => lines.slice(1), /: 1 line is missing before line 1$/],
    ['two lines that changed places', ([a = '', b = '', c = '', d = '']) => [a, c, b, d], /: line 3 is in the wrong place$/],
  ])('%s', async (_, as, said) => {
    const file = await written('discard', 'resend', 'confirm');
    change(file, as);
    expect((await problems()).join('\n')).toMatch(new RegExp(said.source, 'm'));
  });

  it('a truncated file, if a later file names more lines', async () => {
    const file = await written('discard', 'resend');
    const later = await written('confirm');
    change(file, (lines) => lines.slice(0, 2));
    expect(await problems()).toEqual([`${file}: was truncated; it ends with line 2, but ${later} names line 3`]);
  });

  it('a missing file, if a later file names it', async () => {
    const file = await written('discard');
    const later = await written('confirm');
    rmSync(join(dir, file));
    expect(await problems()).toEqual([`${file}: the file is missing; ${later} names 2 lines of it`]);
  });

  it('a file that was rewritten without the keys, and a renamed file', async () => {
    const file = await written('discard');
    renameSync(join(dir, file), join(dir, '20200101T000000000Z-0.jsonl'));
    expect((await problems()).join()).toContain('when it was written');
    expect((await verifyTrail(dir, others)).problems.join()).toContain('line 1 was changed');
  });
});

it('reports an incomplete last line as a note, and writes nothing after it', async () => {
  const file = await written('discard');
  appendFileSync(join(dir, file), '{"seq":2,"at":');
  await written('resend');
  const { problems, notes, files } = await verifyTrail(dir, keys);
  expect([problems, files]).toEqual([[], 2]);
  expect(notes).toEqual([expect.stringContaining(file)]);
});

it('records a file that was deleted while its process ran, so that verification reports it', async () => {
  const trail = openTrail(dir, keys);
  trails.push(trail);
  const { file } = await trail.write({ who: 'ann', action: 'discard' });
  rmSync(join(dir, file));
  await trail.write({ who: 'ann', action: 'resend' });
  expect((await problems()).join()).toContain(`${file}: the file is missing`);
});

it('refuses an entry that cannot be written', async () => {
  writeFileSync(dir, 'no directory');
  const trail = openTrail(dir, keys);
  await expect(trail.write({ who: 'ann', action: 'discard' })).rejects.toThrow(/EEXIST|ENOTDIR/);
  rmSync(dir);
  await expect(trail.write({ who: 'ann', action: 'discard' })).resolves.toMatchObject({ seq: 1 });
  await trail.close();
});

it('removes whole files after the retention time, and records the removals as long as a file names them', async () => {
  const dayMs = 86_400_000;
  let day = 0;
  const now = () => Date.now() + day * dayMs;
  const begin = () => {
    const trail = openTrail(dir, keys, now);
    trails.push(trail);
    return trail;
  };
  const by = (trail: Trail) => trail.write({ who: 'ann', action: 'discard' });
  const { file: first } = await by(begin());
  // It lives on, and for as long as it lives its file names the first one.
  const keeper = begin();
  await by(keeper);
  for (const at of [40, 80]) {
    day = at - 5;
    await by(keeper);
    day = at;
    expect(await removeOldFiles(dir, begin(), 0, now())).toBe(0);
    expect(await removeOldFiles(dir, begin(), 30, now())).toBe(1);
    expect(await verifyTrail(dir, keys)).toMatchObject({ files: 2, problems: [] });
  }
  expect(readdirSync(dir)).not.toContain(first);
});

describe('evidence', () => {
  const evidence = {
    reason: 'Ann Lee asked for it',
    upstreamId: '4711',
    changed: { email: { before: 'an@example.org', after: 'ann@example.org' } },
  };
  const store = () => createEvidenceStore(dir, keys);
  const ann: About = { ...nobody, emails: ['hash-of-ann'], sites: ['hash-of-site'], leadIds: ['lead-of-ann'] };
  const pathOf = (digest: string) => join(dir, 'evidence', digest);
  const pieces = () => readdirSync(join(dir, 'evidence'));
  const later = '2999-01-01T00:00:00.000Z';
  const person = { emails: [], phones: [], patients: [], leadIds: [], until: later };

  /** An action with evidence in a file of its own. */
  async function acted(about = ann, now = Date.now) {
    const trail = openTrail(dir, keys, now);
    trails.push(trail);
    const digest = await store().keep(evidence, about);
    const { file } = await trail.write({ who: 'ann', action: 'confirm', outcome: 'done', evidence: digest });
    return { digest, file, trail };
  }

  it('is readable with the keys alone, and the files reveal nothing of it', async () => {
    const { digest, file } = await acted();
    expect(await store().read(digest)).toEqual(evidence);
    expect(await createEvidenceStore(dir, others).read(digest)).toEqual({ unreadable: expect.stringContaining('another key "k1"') });
    const ofOtherId = parseKeyRing(`k2:${randomBytes(32).toString('base64')}`);
    expect(await createEvidenceStore(dir, ofOtherId).read(digest)).toEqual({ unreadable: expect.stringContaining('encryption key "k1"') });
    const stored = readFileSync(pathOf(digest), 'latin1') + readFileSync(join(dir, file), 'latin1');
    for (const word of ['Ann', '4711', 'example.org', 'email":']) expect(stored).not.toContain(word);
    expect(statSync(pathOf(digest)).mode & 0o777).toBe(0o600);
    expect(await problems()).toEqual([]);
  });

  it('that was changed or removed is reported with its line, unless an erasure names it', async () => {
    const [changed, removed, erased] = [await acted(), await acted(), await acted()];
    writeFileSync(pathOf(changed.digest), readFileSync(pathOf(changed.digest), 'utf8').replace('hash-of-ann', 'hash-of-bob'));
    rmSync(pathOf(removed.digest));
    await eraseEvidence(erased.trail, store(), [erased.digest]);
    expect(await problems()).toEqual(
      [`${changed.file}: the evidence of line 2 was changed`, `${removed.file}: the evidence of line 2 is missing`].toSorted(),
    );
    expect(await store().read(changed.digest)).toEqual({ unreadable: 'Its file was changed' });
    expect([await store().read(removed.digest), await store().read(erased.digest)]).toEqual([undefined, undefined]);
  });

  it('that was erased and is back is reported', async () => {
    const { digest, file, trail } = await acted();
    const bytes = readFileSync(pathOf(digest));
    await eraseEvidence(trail, store(), [digest]);
    writeFileSync(pathOf(digest), bytes);
    expect(await problems()).toEqual([`${file}: the evidence of line 2 is there, but was erased`]);
  });

  it('is found by a hash of its person or by its lead, without its key, and later evidence only by its lead', async () => {
    const { digest } = await acted();
    await acted(nobody);
    const found = (more: object) => createEvidenceStore(dir, others).find({ ...person, ...more });
    const [past, here] = ['2020-01-01T00:00:00.000Z', { sites: ['hash-of-site'] }];
    for (const own of [{ emails: ['hash-of-ann'] }, { emails: ['hash-of-ann'], ...here }, { leadIds: ['lead-of-ann'], until: past }])
      expect(await found(own)).toEqual([digest]);
    for (const foreign of [
      { phones: ['hash-of-ann'] },
      { emails: ['hash-of-ann'], until: past },
      here,
      { emails: ['hash-of-ann'], sites: ['x'] },
    ])
      expect(await found(foreign)).toEqual([]);
  });

  it('is removed with the last file that names it', async () => {
    const dayMs = 86_400_000;
    const { digest, trail } = await acted();
    const keeper = openTrail(dir, keys, () => Date.now() + 30 * dayMs);
    trails.push(keeper);
    await keeper.write({ who: 'ann', action: 'confirm', outcome: 'done', evidence: digest });
    const { digest: own } = await acted();
    await trail.close();
    await removeOldFiles(dir, keeper, 30, Date.now() + 40 * dayMs);
    expect([pieces().includes(digest), pieces().includes(own)]).toEqual([true, false]);
    expect(await problems()).toEqual([]);
  });

  it('that cannot be written refuses the action, and leaves nothing', async () => {
    writeFileSync(dir, 'no directory');
    await expect(store().keep(evidence, ann)).rejects.toThrow(/EEXIST|ENOTDIR/);
    rmSync(dir);
    expect(await store().isEmpty()).toBe(true);
  });

  it('is no file outside of its directory, whatever an entry names', async () => {
    await acted();
    expect(await store().read('../../../etc/hostname')).toBeUndefined();
  });
});

it('filters entries by time, lead and action', async () => {
  const trail = openTrail(dir, keys);
  trails.push(trail);
  await trail.write({ who: 'ann', action: 'discard', leadId: 'a' });
  await trail.write({ who: 'ann', action: 'decode', leadIds: ['a', 'b'] });
  expect((await readTrail(dir, { leadId: 'a' })).map(({ action }) => action)).toEqual(['decode', 'discard']);
  expect(await readTrail(dir, { action: 'discard', leadId: 'b' })).toEqual([]);
  expect(await readTrail(dir, { since: '2999-01-01' })).toEqual([]);
  expect(await readTrail(dir, { until: '2999-01-01' })).toHaveLength(2);
  expect(readdirSync(dir)).toHaveLength(1);
});

it('reads the files of several processes page by page, newest entry first', async () => {
  for (const file of [1, 2, 3]) await written(`a${file}`, `b${file}`, `c${file}`);
  const all = await readTrail(dir, {});
  expect(all.map(({ action }) => action)).toEqual(['c3', 'b3', 'a3', 'c2', 'b2', 'a2', 'c1', 'b1', 'a1']);
  const inTurn = createPageReader(dir);
  for (const readPage of [inTurn, (...of: Parameters<typeof inTurn>) => createPageReader(dir)(...of)]) {
    const read: typeof all = [];
    for (let cursor: string | undefined; ;) {
      const page = await readPage({}, 2, cursor);
      read.push(...(page?.entries ?? []));
      cursor = page?.next;
      if (cursor === undefined) break;
    }
    expect(read).toEqual(all);
  }
  expect(await inTurn({}, 2, 'nowhere:1')).toBeUndefined();
});

it('reads each entry once, however many pages are read in turn, and a page again after the same cursor', async () => {
  const file = await written(...Array.from({ length: 30 }, (_, at) => `a${at}`));
  const lines = readFileSync(join(dir, file), 'utf8');
  appendFileSync(join(dir, file), lines.split('\n').slice(1).join('\n').repeat(20));
  const reads = jest.spyOn(JSON, 'parse');
  const readPage = createPageReader(dir);
  const first = await readPage({}, 10);
  for (let cursor = first?.next; cursor !== undefined;) cursor = (await readPage({}, 10, cursor))?.next;
  expect(reads.mock.calls.length).toBeLessThan(700);
  reads.mockRestore();
  expect(await readPage({}, 10, first?.next)).toEqual(await createPageReader(dir)({}, 10, first?.next));
});

describe('a trail that is too large to be read at once', () => {
  const tooLarge = 5 * 2 ** 30;
  const fileName = '20200101T000000000Z-0.jsonl';
  const entry = (seq: number, action: string) =>
    JSON.stringify({ seq, at: new Date(Date.UTC(2020, 0, 1, 0, 0, seq)).toISOString(), who: 'ann', action, prev: '', hash: `h${seq}` });

  beforeEach(() => {
    mkdirSync(dir);
    // A hole: it takes no space on the disk.
    writeFileSync(join(dir, fileName), '');
    truncateSync(join(dir, fileName), tooLarge);
    appendFileSync(join(dir, fileName), `\n${['one', 'two', 'three'].map((action, seq) => `${entry(seq, action)}\n`).join('')}{"half`);
  });

  it('is read from its end, only as far as the page needs', async () => {
    expect(await createPageReader(dir)({}, 1)).toMatchObject({ entries: [{ action: 'three', file: fileName }], next: `${fileName}:2` });
    expect(await createPageReader(dir)({}, 1, `${fileName}:2`)).toMatchObject({ entries: [{ action: 'two' }], next: `${fileName}:1` });
  });

  it('is named with its last line in the file of the next process', async () => {
    const file = await written('later');
    const [opened = ''] = readFileSync(join(dir, file), 'utf8').split('\n');
    expect(JSON.parse(opened).heads).toEqual([{ file: fileName, seq: 2, hash: 'h2' }]);
  });
});

it('does not block the event loop while a filter with few matches reads far back', async () => {
  const file = await written(...Array.from({ length: 30 }, (_, at) => `a${at}`));
  const [, ...lines] = readFileSync(join(dir, file), 'utf8').trimEnd().split('\n');
  appendFileSync(join(dir, file), `${Array.from({ length: 100 }, () => lines.join('\n')).join('\n')}\n`);
  let turns = 0;
  let ticking = setImmediate(function next() {
    turns++;
    ticking = setImmediate(next);
  });
  expect(await createPageReader(dir)({ action: 'none' }, 1)).toEqual({ entries: [] });
  clearImmediate(ticking);
  // At least once for each block of 64 KiB.
  expect(turns).toBeGreaterThan(statSync(join(dir, file)).size / 65_536);
});
