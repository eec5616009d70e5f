/** Copies on a schedule: what is due is read from the directory, and only own copies are removed. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ageOfCopies, copyAge, copyIfDue, keepCopies, nameAt } from '../../src/backup/schedule';
import { parseConfig } from '../../src/config/config';
import { parseKeyRing } from '../../src/keys/ring';
import { leadgate } from '../cli/support';
import { logged } from '../support/logged';
import { until } from '../support/until';

const hourMs = 3_600_000;
const keys = parseKeyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`);

let dir: string;
let copies: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'leadgate-schedule-'));
  copies = join(dir, 'copies');
  writeFileSync(join(dir, 'engine.db'), 'the database');
  mkdirSync(copies);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const settings = () => ({ LEADGATE_DATA_DIR: dir, BACKUP_DIR: copies, BACKUP_EVERY_H: '6', BACKUP_KEEP: '2' });
const config = () => parseConfig(settings());
const due = (now: number) => copyIfDue(config(), keys, { dir: copies, everyMs: 6 * hourMs }, now);

it('makes a copy at once, and the next one when its time has come', async () => {
  const now = Date.now();
  expect(await due(now)).toBe(join(copies, nameAt(now)));
  expect(await due(now + 5 * hourMs)).toBeUndefined();
  expect(await due(now + 6 * hourMs + 60_000)).toBeDefined();
});

it('keeps as many as are wanted, and every copy that a person made', async () => {
  await leadgate(['backup', join(copies, 'mine')], {
    settings: { ...settings(), LEADGATE_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
  });
  mkdirSync(join(copies, `${nameAt(0)}.unfinished-999999999`));
  const now = Date.now();
  for (const at of [1, 2, 3, 4]) await due(now + at * 7 * hourMs);
  expect(readdirSync(copies).toSorted()).toEqual([nameAt(now + 21 * hourMs), nameAt(now + 28 * hourMs), 'mine']);
});

it('knows the age of the newest copy, and when it is too old', async () => {
  expect(await ageOfCopies(config())).toEqual({ isLate: false });
  await due(Date.now());
  const now = Date.now();
  expect(await ageOfCopies(config(), now + 12 * hourMs - 60_000)).toMatchObject({ isLate: false });
  expect(await ageOfCopies(config(), now + 12 * hourMs + 60_000)).toMatchObject({ isLate: true });
  expect(await copyAge(config())?.()).toBeLessThan(60);
  expect(copyAge(parseConfig({ LEADGATE_DATA_DIR: dir }))).toBeUndefined();
});

it('doctor says how old the newest copy is', async () => {
  await due(Date.now());
  const { out } = await leadgate(['doctor'], { settings: settings() });
  expect(out).toMatch(/ok {2}Copies +the newest in .*copies is 0\.0 h old/);
  expect((await leadgate(['doctor'], { settings: { LEADGATE_DATA_DIR: dir } })).out).toMatch(/- {3}Copies +none are scheduled/);
});

it('a copy that fails is logged, and the service goes on', async () => {
  rmSync(copies, { recursive: true });
  writeFileSync(copies, '');
  const stop = keepCopies(config(), keys);
  const line = await until(() => logged.find((one) => one.includes('could not be copied')), 'it is logged');
  expect(line).toContain('"level":"error"');
  await stop();
});
