import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifiedManifest } from '../../src/backup/manifest';
import { ageOfCopies, copyAge, copyIfDue, scheduleCopies, nameAt } from '../../src/backup/schedule';
import { whileSuspended } from '../../src/backup/suspend';
import { parseConfig, projectDir } from '../../src/config/config';
import { parseKeyRing } from '../../src/keys/ring';
import { leadgate } from '../cli/support';
import { newLead } from '../support/gateway';
import { logged } from '../support/logged';
import { startService, type Service } from '../support/service';
import { until } from '../support/until';

/** `leadgate backup`: a whole copy of a running service, or none; and a service that goes on. */
describe('a copy', () => {
  let dir: string;
  let service: Service;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'leadgate-backup-'));
    service = await startService({ BACKUP_DIR: join(dir, 'scheduled') });
    // A copy that is being made would be among the left-overs that the tests look for.
    await until(() => scheduled().some((name) => /^leadgate-\d{8}T\d{6}Z$/.test(name)), 'the service makes its first copy by itself');
  });
  afterAll(async () => {
    await service.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  const backup = (target: string, more: Record<string, string> = {}) =>
    leadgate(['backup', target], { settings: { LEADGATE_DATA_DIR: service.dataDir, ...more } });
  const send = () => service.post('/api/clinicsys/no-prescreen', newLead());
  const filesIn = (target: string) => readdirSync(target, { recursive: true, encoding: 'utf8' });
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const scheduled = () => readdirSync(join(dir, 'scheduled'));
  const leftOvers = (of: string) => readdirSync(of).filter((name) => /copy|unfinished/.test(name));

  it('warns about a copy inside the data directory', async () => {
    const inside = join(service.dataDir, 'copies');
    expect(await backup(inside)).toMatchObject({ status: 0, err: expect.stringContaining(`${inside} is in the data directory`) });
    rmSync(inside, { recursive: true });
    const outside = join(dir, 'elsewhere');
    expect(await backup(outside)).toMatchObject({ status: 0, err: '' });
    rmSync(outside, { recursive: true });
  });

  it('copies a running service with the digest of each file, and without its keys', async () => {
    await send();
    const target = join(dir, 'whole');
    const during = [send(), send(), send()];
    const { status, out } = await backup(target);
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/: \d+ files, .* MiB, as of .*Z; the engine was suspended for \d+ ms\n.*keys/),
    ]);
    for (const answer of await Promise.all(during)) expect(answer.status).toBe(200);

    const { files } = JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8'));
    const digestOf = (path: string) =>
      createHash('sha256')
        .update(readFileSync(join(target, path)))
        .digest('hex');
    for (const { path, bytes, sha256 } of files)
      expect([path, statSync(join(target, path)).size, digestOf(path)]).toEqual([path, bytes, sha256]);
    const paths = files.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['engine.db', 'engine.db-wal', 'data-version', expect.stringMatching(/^audit\//)]));
    expect(
      filesIn(target)
        .filter((path) => statSync(join(target, path)).isFile())
        .toSorted(),
    ).toEqual([...paths, 'manifest.json'].toSorted());

    const [key = ''] = readFileSync(join(service.dataDir, 'keys'), 'utf8').trim().split(':').slice(1);
    for (const path of paths) expect(readFileSync(join(target, path)).includes(key)).toBe(false);
    expect([modeOf(target), modeOf(join(target, 'audit')), ...paths.map((path: string) => modeOf(join(target, path)))]).toEqual([
      '700',
      '700',
      ...paths.map(() => '600'),
    ]);
    expect([leftOvers(service.dataDir), leftOvers(dir)]).toEqual([[], []]);
  });

  it('the service makes scheduled copies, and reports the age of the newest as a metric', async () => {
    expect(scheduled()).toHaveLength(1);
    const age = async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      return metrics.split('\n').find((line) => line.startsWith('leadgate_backup_age_seconds'));
    };
    expect(await age()).toMatch(/ \d+(\.\d+)?$/);
  });

  it('leaves out temporary files, so that the copy can be restored', async () => {
    writeFileSync(join(service.dataDir, 'audit', '.being-written'), 'half a line');
    const target = join(dir, 'beside-a-probe');
    expect((await backup(target)).status).toBe(0);
    expect((await verifiedManifest(target)).files.map(({ path }) => path)).toContain('data-version');
    expect(filesIn(target)).not.toContain('audit/.being-written');
  });

  it('writes a tar file to the standard output', async () => {
    const script = join(projectDir, 'scripts/bootstrap.mjs');
    const env = { ...process.env, LEADGATE_DATA_DIR: service.dataDir };
    const archive = spawn(process.execPath, [script, 'cli', 'backup', '--to', '-'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const list = spawn('tar', ['-t'], { stdio: ['pipe', 'pipe', 'inherit'] });
    archive.stdout.pipe(list.stdin);
    let names = '';
    list.stdout.on('data', (chunk: Buffer) => (names += chunk.toString()));
    await Promise.all([once(list, 'close'), once(archive, 'close')]);
    expect(names.split('\n')).toEqual(expect.arrayContaining(['./engine.db', './manifest.json', './data-version']));
    expect(leftOvers(service.dataDir)).toEqual([]);
  });

  it('refuses an unknown file by name, and leaves no unfinished copy', async () => {
    const stranger = join(service.dataDir, 'audit', 'not ours');
    writeFileSync(stranger, '');
    const target = join(dir, 'with-a-stranger');
    expect(await backup(target)).toMatchObject({ status: 2, err: expect.stringMatching(/: audit\/not ours is not a file of Leadgate/) });
    rmSync(stranger);
    expect(existsSync(target)).toBe(false);
    expect([leftOvers(service.dataDir), leftOvers(dir)]).toEqual([[], []]);
    expect((await send()).status).toBe(200);
  });

  it('never overwrites another copy', async () => {
    const target = join(dir, 'taken');
    mkdirSync(target);
    writeFileSync(join(target, 'mine'), '');
    expect(await backup(target)).toMatchObject({ status: 2, err: expect.stringContaining('is not empty') });
    expect(readdirSync(target)).toEqual(['mine']);
  });

  describe('the suspended engine', () => {
    const stateOf = ({ pid }: ChildProcess) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
    let program: ChildProcess;
    beforeEach(() => (program = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })));
    afterEach(() => void program.kill('SIGKILL'));

    it('continues after the copy', async () => {
      expect(await whileSuspended(program.pid ?? 0, async () => stateOf(program))).toBe('T');
      await until(() => stateOf(program) !== 'T', 'the program goes on');
    });

    it('continues when the copying process is killed', async () => {
      const script = join(__dirname, '../support/run-ts.js');
      const copying = spawn(process.execPath, [script, join(__dirname, 'suspend.ts'), `${program.pid}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(copying.stdout, 'data');
      expect(stateOf(program)).toBe('T');
      copying.kill('SIGKILL');
      await until(() => stateOf(program) !== 'T', 'the program goes on');
    });
  });

  it('refuses to copy files that change during the copy', async () => {
    const data = mkdtempSync(join(dir, 'changing-'));
    const change = () => writeFileSync(join(data, 'engine.db'), 'again');
    change();
    const writing = setInterval(change, 5);
    const { status, err } = await backup(join(dir, 'never'), {
      LEADGATE_DATA_DIR: data,
      LEADGATE_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    });
    clearInterval(writing);
    expect([status, err]).toEqual([2, expect.stringContaining('kept changing during the copy')]);
    expect(existsSync(join(dir, 'never'))).toBe(false);
  });
});

/** Copies on a schedule: what is due is read from the directory, and only own copies are removed. */
describe('scheduled copies', () => {
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

  const settings = () => ({ LEADGATE_DATA_DIR: dir, BACKUP_DIR: copies, BACKUP_EVERY_H: '6' });
  const config = () => parseConfig(settings());
  const due = (now: number) => copyIfDue(config(), keys, { dir: copies, everyMs: 6 * hourMs }, now);

  it('makes a copy at once, and the next one when it is due', async () => {
    const now = Date.now();
    expect(await due(now)).toBe(join(copies, nameAt(now)));
    expect(await due(now + 5 * hourMs)).toBeUndefined();
    expect(await due(now + 6 * hourMs + 60_000)).toBeDefined();
  });

  it('keeps the last seven, and every copy that a person made', async () => {
    await leadgate(['backup', join(copies, 'mine')], {
      settings: { ...settings(), LEADGATE_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
    });
    mkdirSync(join(copies, `${nameAt(0)}.unfinished-999999999`));
    const now = Date.now();
    const moments = Array.from({ length: 9 }, (_, at) => now + at * 7 * hourMs);
    for (const moment of moments) await due(moment);
    expect(readdirSync(copies).toSorted()).toEqual([...moments.slice(2).map(nameAt), 'mine']);
  });

  it('reports the age of the newest copy, and whether it is late', async () => {
    expect(await ageOfCopies(config())).toEqual({ isLate: false });
    await due(Date.now());
    const now = Date.now();
    expect(await ageOfCopies(config(), now + 12 * hourMs - 60_000)).toMatchObject({ isLate: false });
    expect(await ageOfCopies(config(), now + 12 * hourMs + 60_000)).toMatchObject({ isLate: true });
    expect(await copyAge(config())?.()).toBeLessThan(60);
    expect(copyAge(parseConfig({ LEADGATE_DATA_DIR: dir }))).toBeUndefined();
  });

  it('doctor reports the age of the newest copy', async () => {
    await due(Date.now());
    const { out } = await leadgate(['doctor'], { settings: settings() });
    expect(out).toMatch(/ok {2}Copies +the newest in .*copies is 0\.0 h old/);
    expect((await leadgate(['doctor'], { settings: { LEADGATE_DATA_DIR: dir } })).out).toMatch(/- {3}Copies +none are scheduled/);
  });

  it('a failed copy is logged, and the service continues', async () => {
    rmSync(copies, { recursive: true });
    writeFileSync(copies, '');
    const stop = scheduleCopies(config(), keys);
    const line = await until(() => logged.find((one) => one.includes('backup failed')), 'it is logged');
    expect(line).toContain('"level":"error"');
    await stop();
  });
});
