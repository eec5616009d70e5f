/** Runs the service in separate processes, with its own ports and data directory. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { variableNames } from '../../src/config/settings';
import { assertPortFree } from '../../src/config/ports';
import { until } from '../support/until';
import { createRelay, type UpstreamRelay } from './relay';
import { createPart, partNames, type PartName } from './part';
import { openLog, together, type Part } from './program';

/** Below the ephemeral port range, so that the port of a restarted process is still free. */
const firstPort = Number(process.env.FAULT_PORT ?? 21_300);

/** Short deadlines for short trials. */
const short = {
  KEY_SERVICE_TIMEOUT_MS: '2000',
  CLINICSYS_TIMEOUT_MS: '2000',
  RECRUIT_TIMEOUT_MS: '2000',
  LEADFORMS_TIMEOUT_MS: '2000',
  SCREENING_TIMEOUT_MS: '2000',
  TASKBOARD_TIMEOUT_MS: '2000',
  SYNC_WAIT_MS: '12000',
};

/** A worker and an API, as on one machine. */
export interface Pair {
  readonly url: string;
  readonly worker: Part;
  readonly api: Part;
}

export interface Stage {
  /** The URL of a random API, as behind a load balancer without health checks. */
  readonly url: string;
  readonly pairs: readonly Pair[];
  /** Creates another process, with its own settings or build; it ends with the stage. */
  make(name: PartName, own?: Readonly<Record<string, string>>, dist?: string): Part;
  /** The settings of its processes. */
  readonly env: NodeJS.ProcessEnv;
  readonly dir: string;
  readonly dataDir: string;
  readonly parts: Readonly<Record<PartName, Part>>;
  readonly relay: UpstreamRelay;
  /** Sends a GET or POST to the API or the simulators; `body` is the parsed JSON. */
  ask(url: string, method?: 'GET' | 'POST'): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  readonly sandboxUrl: string;
  /** Undoes every fault: thaws, opens and restarts everything, and waits for the API. Returns the processes that it started. */
  heal(): Promise<PartName[]>;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** Additional settings for worker and API; `dir` is the directory of the stage. */
  env?(dir: string): Readonly<Record<string, string>>;
  /** The data directory; a temporary one by default. */
  readonly dataDir?: string;
  readonly pairs?: number;
  /** The build of engine, workers and APIs; that of this clone by default. */
  readonly dist?: string;
  /** An existing Temporal instead of the embedded engine, with the settings that workers and APIs need for it. */
  readonly temporal?: { readonly part: Part; readonly settings: Readonly<Record<string, string>> };
}

/** Finds free consecutive ports. */
export async function freePorts(count: number): Promise<number[]> {
  for (let first = firstPort; first < firstPort + 90; first += 10) {
    const block = Array.from({ length: count }, (_, at) => first + at);
    const taken = await Promise.all(block.map((port) => assertPortFree('FAULT_PORT', port).catch(() => port)));
    if (taken.every((port) => port === undefined)) return block;
  }
  throw new Error(`no ${count} free ports from ${firstPort} on: set FAULT_PORT`);
}

export async function openStage({
  env: moreIn,
  dataDir: givenDataDir,
  pairs: count = 1,
  dist: build,
  temporal,
}: StageOptions = {}): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-faults-'));
  const dataDir = givenDataDir ?? join(dir, 'data');
  const [engine = 0, ui = 0, sandbox = 0, relayPort = 0, ...apis] = await freePorts(4 + count);
  // Unset every setting of this machine and its .env, so that no trial reaches a real system.
  const none = Object.fromEntries(variableNames.map((name) => [name, '']));
  const env = {
    ...process.env,
    ...none,
    ...short,
    TEMPORAL_CLI_PATH: process.env.TEMPORAL_CLI_PATH ?? '',
    LEADGATE_DATA_DIR: dataDir,
    LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PORT: String(apis[0]),
    TEMPORAL_PORT: String(engine),
    TEMPORAL_UI_PORT: String(ui),
    SANDBOX: 'on',
    SANDBOX_PORT: String(relayPort),
    OPEN_LEADS_MAX: '20000',
    ...temporal?.settings,
  };
  const made: Part[] = [];
  const make: Stage['make'] = (name, own = {}, dist) => {
    const part = createPart(name, { env: { ...env, ...own }, dataDir, dist, log: openLog(join(dir, `${name}.log`)) });
    made.push(part);
    return part;
  };
  const more = moreIn?.(dir) ?? {};
  const pairs = apis.map((port, at) => {
    const own = { ...more, PORT: String(port), LEADGATE_DATA_DIR: at === 0 ? dataDir : join(dir, `data-${at + 1}`) };
    return { url: `http://127.0.0.1:${port}`, worker: make('worker', own, build), api: make('api', own, build) };
  });
  const parts: Readonly<Record<PartName, Part>> = {
    sandbox: make('sandbox', { SANDBOX_PORT: String(sandbox) }),
    engine: temporal?.part ?? make('engine', {}, build),
    worker: together(pairs.map(({ worker }) => worker)),
    api: together(pairs.map(({ api }) => api)),
  };
  const relay = createRelay(relayPort, sandbox);
  const agent = new Agent();

  const ask: Stage['ask'] = async (target, method = 'GET') => {
    const answer = await request(target, { method, dispatcher: agent, signal: AbortSignal.timeout(30_000) });
    return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
  };

  const abandon = () => made.forEach((part) => part.abandon());
  process.once('exit', abandon);

  const start = (names: readonly PartName[]) => Promise.all(names.map((name) => parts[name].start()));

  const stage: Stage = {
    get url() {
      return pairs[Math.floor(Math.random() * pairs.length)]?.url ?? '';
    },
    pairs,
    make,
    env,
    dir,
    dataDir,
    parts,
    relay,
    ask,
    sandboxUrl: `http://127.0.0.1:${sandbox}`,
    async heal() {
      await relay.open();
      for (const name of partNames) parts[name].thaw();
      const dead = partNames.filter((name) => parts[name].pid() === undefined);
      await start(dead);
      for (const { url } of pairs)
        await until(async () => (await ask(`${url}/api/leads?limit=1`)).status === 200, 'the API and the engine answer');
      // A process that lost the engine may exit a moment later.
      const late = partNames.filter((name) => parts[name].pid() === undefined);
      return late.length > 0 ? [...dead, ...(await stage.heal())] : dead;
    },
    async stop() {
      for (const part of made) part.thaw();
      // Kill workers and APIs before their dependencies.
      for (const part of [...made.filter(({ name }) => name === 'worker' || name === 'api'), ...made]) await part.kill();
      await relay.close();
      await agent.destroy();
      process.off('exit', abandon);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await relay.open();
    await start(['sandbox', 'engine']);
    await start(['worker', 'api']);
    await stage.heal();
    return stage;
  } catch (error) {
    await stage.stop();
    throw error;
  }
}
