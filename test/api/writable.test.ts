/** /health/ready says whether leads can be taken in, so it is 503 while this process can write nothing. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill, mountDisk } from '../faults/disk';
import { startGateway, type Gateway } from '../support/gateway';
import { until, untilHolds } from '../support/until';

let parent: string;
let dataDir: string;
let disk: ReturnType<typeof mountDisk>;
let gateway: Gateway;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'leadgate-writable-'));
  disk = mountDisk(parent, 'small disk');
  dataDir = disk?.dataDir ?? join(parent, 'data');
  mkdirSync(dataDir);
  gateway = await startGateway({ settings: { LEADGATE_DATA_DIR: dataDir } });
});
afterAll(async () => {
  await gateway.stop();
  disk?.unmount();
  rmSync(parent, { recursive: true });
});

const ready = () => gateway.get('/health/ready');
const refusal = async (message: string) => {
  const { status, headers, body } = await ready();
  return status === 503 && headers.get('retry-after') === '1' && body.error.code === 'NOT_ACCEPTED' && body.message === message;
};

it('is ready while it can write, and leaves nothing behind', async () => {
  await gateway.untilReady();
  expect(readdirSync(dataDir).filter((name) => name.startsWith('.'))).toEqual([]);
});

it('is not ready while the disk of the data directory is full', async () => {
  // Only root may mount a disk that can be filled.
  if (!disk) return;
  const ballast = join(dataDir, 'ballast');
  fill(ballast);
  await until(() => refusal('Nothing can be written to the data directory (ENOSPC)'), 'the full disk is told');
  expect((await gateway.get('/health/live')).status).toBe(200);
  rmSync(ballast);
  await gateway.untilReady();
});

it('is not ready while the data directory is a file, or gone', async () => {
  const aside = `${dataDir}-aside`;
  renameSync(dataDir, aside);
  await until(() => refusal('Nothing can be written to the data directory (ENOENT)'), 'the missing directory is told');
  writeFileSync(dataDir, '');
  await until(() => refusal('Nothing can be written to the data directory (ENOTDIR)'), 'the file in its place is told');
  rmSync(dataDir);
  renameSync(aside, dataDir);
  await untilHolds(async () => expect((await ready()).status).toBe(200), 'it is ready again');
});

it('answers many who ask at once', async () => {
  // A process that stands still may be unready for a moment, but not again and again.
  await untilHolds(async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, ready));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  }, 'all hear that it is ready');
});
