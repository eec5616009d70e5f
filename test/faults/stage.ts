/** Runs the whole service on this machine in its separate parts, with ports and a data directory of its own. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { variableNames } from '../../src/config/settings';
import { assertPortFree } from '../../src/config/ports';
import { until } from '../support/until';
import { createFront, type Front } from './front';
import { createPart, partNames, type PartName } from './part';
import { openLog, together, type Part } from './program';

/** Below the range from which the kernel gives ports to clients, so that a part finds its port free again. */
const firstPort = Number(process.env.FAULT_PORT ?? 21_300);

/** Short deadlines, so that a trial is over soon. */
const short = {
  KEY_SERVICE_TIMEOUT_MS: '2000',
  CLINICSYS_TIMEOUT_MS: '2000',
  RECRUIT_TIMEOUT_MS: '2000',
  LEADFORMS_TIMEOUT_MS: '2000',
  SCREENING_TIMEOUT_MS: '2000',
  TASKBOARD_TIMEOUT_MS: '2000',
  SYNC_WAIT_MS: '12000',
};

/** A worker and an API, as on a machine of their own. */
export interface Pair {
  readonly url: string;
  readonly worker: Part;
  readonly api: Part;
}

export interface Stage {
  /** Of an API, any of them: as behind a load balancer that does not notice who is down. */
  readonly url: string;
  readonly pairs: readonly Pair[];
  /** One more, with settings of its own or of another build; it ends with the stage. */
  make(name: PartName, own?: Readonly<Record<string, string>>, dist?: string): Part;
  /** What its parts are set to. */
  readonly env: NodeJS.ProcessEnv;
  readonly dir: string;
  readonly dataDir: string;
  readonly parts: Readonly<Record<PartName, Part>>;
  readonly front: Front;
  /** GET or POST, at the API or at the simulators; `body` is the parsed JSON. */
  ask(url: string, method?: 'GET' | 'POST'): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  readonly sandboxUrl: string;
  /** Undoes every fault: nothing is frozen, closed or dead any more, and the API answers. Returns the parts that had to be started. */
  heal(): Promise<PartName[]>;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** More settings for worker and API; `dir` is the stage's own. */
  env?(dir: string): Readonly<Record<string, string>>;
  /** Where the data directory lies; its own temporary one by default. */
  readonly dataDir?: string;
  readonly pairs?: number;
  /** The build that its engine, workers and APIs run from; this clone's by default. */
  readonly dist?: string;
  /** A Temporal that is there already, instead of the embedded engine; what its workers and APIs are set to. */
  readonly temporal?: { readonly part: Part; readonly settings: Readonly<Record<string, string>> };
}

/** Neighbours, all free. */
export async function freePorts(wanted: number): Promise<number[]> {
  for (let first = firstPort; first < firstPort + 90; first += 10) {
    const block = Array.from({ length: wanted }, (_, at) => first + at);
    const taken = await Promise.all(block.map((port) => assertPortFree('FAULT_PORT', port).catch(() => port)));
    if (taken.every((port) => port === undefined)) return block;
  }
  throw new Error(`no ${wanted} free ports from ${firstPort} on: set FAULT_PORT`);
}

export async function openStage({
  env: moreIn,
  dataDir: given,
  pairs: count = 1,
  dist: build,
  temporal,
}: StageOptions = {}): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-faults-'));
  const dataDir = given ?? join(dir, 'data');
  const [engine = 0, ui = 0, sandbox = 0, relay = 0, ...apis] = await freePorts(4 + count);
  // A setting of this machine, or of its .env, must not take a trial to a real system.
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
    SANDBOX_PORT: String(relay),
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
  const front = createFront(relay, sandbox);
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
    front,
    ask,
    sandboxUrl: `http://127.0.0.1:${sandbox}`,
    async heal() {
      await front.open();
      for (const name of partNames) parts[name].thaw();
      const dead = partNames.filter((name) => parts[name].pid() === undefined);
      await start(dead);
      for (const { url } of pairs)
        await until(async () => (await ask(`${url}/api/leads?limit=1`)).status === 200, 'the API and the engine answer');
      // One that lost the engine may end a moment later.
      const late = partNames.filter((name) => parts[name].pid() === undefined);
      return late.length > 0 ? [...dead, ...(await stage.heal())] : dead;
    },
    async stop() {
      for (const part of made) part.thaw();
      // The workers and APIs before what they work with.
      for (const part of [...made.filter(({ name }) => name === 'worker' || name === 'api'), ...made]) await part.kill();
      await front.close();
      await agent.destroy();
      process.off('exit', abandon);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await front.open();
    await start(['sandbox', 'engine']);
    await start(['worker', 'api']);
    await stage.heal();
    return stage;
  } catch (error) {
    await stage.stop();
    throw error;
  }
}
