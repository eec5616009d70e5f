import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isShort, noteDiskSpace, readDiskSpace } from '../../src/lib/disk-space';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-space-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const hourMs = 3_600_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const after = (hours: number, freeBytes: number) => noteDiskSpace(dir, start + hours * hourMs, () => Promise.resolve(freeBytes));

it('knows what the last day took, and forgets the days before', async () => {
  expect(await after(0, 1_000)).toEqual({ freeBytes: 1_000, takenBytes: 0 });
  expect(await after(1, 900)).toEqual({ freeBytes: 900, takenBytes: 100 });
  expect(await after(24, 600)).toEqual({ freeBytes: 600, takenBytes: 400 });
  expect(await after(25, 600)).toEqual({ freeBytes: 600, takenBytes: 300 });
  expect(await after(100, 50)).toEqual({ freeBytes: 50, takenBytes: 0 });
});

it('takes nothing for taken when space was freed', async () => {
  await after(0, 500);
  expect(await after(1, 700)).toEqual({ freeBytes: 700, takenBytes: 0 });
});

it('is short a day before the space is gone', () => {
  expect(isShort({ freeBytes: 1_000, takenBytes: 100 }, 800)).toBe(false);
  expect(isShort({ freeBytes: 1_000, takenBytes: 300 }, 800)).toBe(true);
  expect(isShort({ freeBytes: 700, takenBytes: 0 }, 800)).toBe(true);
});

it('begins anew after a broken file, and after a clock that was ahead', async () => {
  writeFileSync(join(dir, 'disk-space.json'), '[{');
  await after(48, 1_000);
  expect(await after(1, 400)).toEqual({ freeBytes: 400, takenBytes: 0 });
  expect(await after(2, 300)).toEqual({ freeBytes: 300, takenBytes: 100 });
});

it('reads what the disk has free', async () => {
  expect((await readDiskSpace(dir)).freeBytes).toBeGreaterThan(0);
});
