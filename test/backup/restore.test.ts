/** `leadgate restore`: the whole copy into an empty directory, or nothing. */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTrailFiles } from '../../src/audit/lines';
import { parseConfig } from '../../src/config/config';
import { restoredFrom } from '../../src/config/restored';
import { claimDataDir } from '../../src/engine/data-dir';
import { startEngine } from '../../src/engine/start';
import { leadgate } from '../cli/support';

let dir: string;
let copies = 0;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-restore-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const keyOf = (byte: number) => `k1:${Buffer.alloc(32, byte).toString('base64')}`;
const restore = (from: string, into: string, key = keyOf(1)) =>
  leadgate(['restore', from, '--into', into], { settings: { LEADGATE_KEYS: key } });
const names = (of: string) => readdirSync(of).filter((name) => name !== 'lost+found');

/** A copy of a service that does not run. */
async function copied(): Promise<string> {
  const data = join(dir, `data-${++copies}`);
  mkdirSync(data);
  writeFileSync(join(data, 'engine.db'), 'the database');
  writeFileSync(join(data, 'engine.db-wal'), 'its log');
  const copy = join(dir, `copy-${copies}`);
  const { status, err } = await leadgate(['backup', copy], { settings: { LEADGATE_DATA_DIR: data, LEADGATE_KEYS: keyOf(1) } });
  expect([status, err]).toEqual([0, '']);
  return copy;
}

it('puts every file back, and marks the directory with the moment of the copy', async () => {
  const copy = await copied();
  const into = join(dir, 'new');
  mkdirSync(into);
  writeFileSync(join(into, 'keys'), keyOf(1));
  const { status, out } = await restore(copy, into);
  const { copiedAt } = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
  expect([status, out]).toEqual([0, expect.stringContaining(`Leads that came in between ${copiedAt} and `)]);
  expect(names(into).toSorted()).toEqual(['audit', 'engine.db', 'engine.db-wal', 'keys', 'restored.json']);
  expect(readFileSync(join(into, 'engine.db-wal'), 'utf8')).toBe('its log');
  const trail = await leadgate(['audit', 'verify'], { settings: { LEADGATE_DATA_DIR: into } });
  expect(trail.status).toBe(0);
  const lines = (await readTrailFiles(join(into, 'audit'))).flatMap((file) => file.lines);
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(['opened', 'backup', 'opened', 'restore']);
  expect(restoredFrom(parseConfig({ LEADGATE_DATA_DIR: into }))).toBe(Date.parse(copiedAt));
});

/** Changes the manifest as somebody without the keys could. */
const edit = (change: (manifest: Record<string, unknown>) => object) => (copy: string) => {
  const file = join(copy, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, ...change(manifest) }));
};
const outside = { path: 'audit/../../evil', bytes: 0, sha256: '' };

it.each([
  ['another moment', edit(() => ({ copiedAt: '2020-01-01T00:00:00.000Z' })), /manifest is not as it was written/],
  ['a file less', edit(({ files }) => ({ files: (files as object[]).slice(1) })), /manifest is not as it was written/],
  ['a file outside', edit(({ files }) => ({ files: [...(files as object[]), outside] })), /is no whole copy/],
  ['a file of a directory above', edit(() => ({ files: [{ ...outside, path: '../evil' }] })), /is no whole copy/],
  ['a file that was changed', (copy: string) => appendFileSync(join(copy, 'engine.db'), '!'), /engine\.db is not as it was copied/],
  ['a file that is missing', (copy: string) => rmSync(join(copy, 'engine.db-wal')), /engine\.db-wal is missing/],
  ['no manifest', (copy: string) => rmSync(join(copy, 'manifest.json')), /holds no copy/],
  ['a manifest that was cut', (copy: string) => writeFileSync(join(copy, 'manifest.json'), '{"format": 1'), /is no whole copy/],
])('refuses a copy with %s', async (_, spoil, words) => {
  const copy = await copied();
  spoil(copy);
  const into = join(dir, 'new');
  expect(await restore(copy, into)).toMatchObject({ status: 2, err: expect.stringMatching(words) });
  expect(readdirSync(dir)).not.toContain('new');
});

it('names a copy where several lie', async () => {
  const copy = await copied();
  const all = join(dir, 'all');
  cpSync(copy, join(all, 'first'), { recursive: true });
  expect(await restore(all, join(dir, 'new'))).toMatchObject({ status: 2, err: expect.stringContaining(join(all, 'first')) });
});

it('refuses a directory that is not empty', async () => {
  const into = join(dir, 'new');
  mkdirSync(into);
  writeFileSync(join(into, 'engine.db'), 'mine');
  expect(await restore(await copied(), into)).toMatchObject({ status: 2, err: expect.stringContaining('is not empty') });
  expect(readFileSync(join(into, 'engine.db'), 'utf8')).toBe('mine');
});

it('refuses a directory that a service uses', async () => {
  const into = join(dir, 'new');
  const claim = await claimDataDir(into);
  expect(await restore(await copied(), into)).toMatchObject({ status: 2, err: expect.stringContaining('in use by another Leadgate') });
  claim.release();
  expect(names(into)).toEqual([]);
});

it('refuses keys that cannot read the copy', async () => {
  const into = join(dir, 'new');
  expect(await restore(await copied(), into, keyOf(2))).toMatchObject({
    status: 2,
    err: expect.stringMatching(/needs encryption keys .*k1/),
  });
  expect(readdirSync(dir)).not.toContain('new');
});

it('keeps an engine from starting on a part of a copy', async () => {
  writeFileSync(join(dir, 'restoring.json'), '{}');
  const config = parseConfig({ LEADGATE_DATA_DIR: dir, TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0' });
  await expect(startEngine(config)).rejects.toThrow('did not end');
  expect(readdirSync(dir)).toEqual(['restoring.json']);
});
