/** Runs a gateway in the test's process: sandbox, worker and API, on free ports and with its own task queue. All tests share the engine. */
import { Client } from '@temporalio/client';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveApi } from '../../src/api/serve';
import { createPages } from '../../tools/reference/pages';
import { auditDir } from '../../src/audit/lines';
import { openTrail } from '../../src/audit/trail';
import { parseConfig, type Config } from '../../src/config/config';
import { sandboxPort, upstreamsOf } from '../../src/config/upstreams';
import type { JsonObject } from '../../src/domain/lead';
import type { Admission } from '../../src/intake/admission';
import { parseKeyRing, type KeyRing } from '../../src/keys/ring';
import { forgetErasedPersons } from '../../src/runtime/erased-evidence';
import { installRuntime, type Stop } from '../../src/runtime/process';
import { createShared, withWorker, type WorkerShared } from '../../src/runtime/shared';
import { startWorker as startOwnWorker } from '../../src/runtime/worker';
import type { SandboxOptions } from '../../tools/sandbox/app';
import { startSandbox } from '../../tools/sandbox/start';
import { connect, dataConverter, type Engine } from '../../src/temporal/engine';
import { testEngine } from './engine';
import { until } from './until';

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any; // eslint-disable-line -- a test reads into it and states what it expects
}

export interface Gateway {
  readonly url: string;
  readonly sandboxUrl: string;
  readonly config: Config;
  readonly engine: Engine;
  readonly keys: KeyRing;
  readonly client: Client;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<GatewayAnswer>;
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<GatewayAnswer>;
  get(path: string, headers?: Record<string, string>): Promise<GatewayAnswer>;
  /** Waits until /health/ready answers 200. */
  untilReady(): Promise<void>;
  /** The state of the simulators. */
  sandbox(): Promise<SandboxState>;
  /** Makes the simulators answer every held call. */
  release(): Promise<void>;
  /** Starts another worker on the same task queue. */
  startWorker(): Promise<Stop>;
  /** Closes the audit trail; its next entry starts a new file. */
  stopTrail(): Promise<void>;
  stopApi(): Promise<void>;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly sandbox?: SandboxOptions;
  readonly withoutWorker?: true;
  /** How long no problem may occur before an alert is closed. */
  readonly alertClearMs?: number;
  /** Replaces objects that worker and API share. */
  readonly shared?: Partial<WorkerShared>;
  /** Wraps the admission, to observe it. */
  readonly observed?: (admission: Admission) => Admission;
}

export { logged } from './logged';

/** Often enough that no test waits for the next time, whatever the index lags. */
const forgetEveryMs = 3_000;

export async function startGateway({
  settings = {},
  sandbox,
  withoutWorker,
  alertClearMs,
  shared = {},
  observed = (admission) => admission,
}: GatewayOptions = {}): Promise<Gateway> {
  installRuntime();
  const dataDir = settings.LEADGATE_DATA_DIR ?? mkdtempSync(join(tmpdir(), 'leadgate-gateway-'));
  const config = parseConfig({
    LEADGATE_DATA_DIR: dataDir,
    TEMPORAL_ADDRESS: testEngine().address,
    TEMPORAL_NAMESPACE: testEngine().namespace,
    TASK_QUEUE: `test-${randomUUID()}`,
    PORT: '0',
    LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    ...settings,
  });
  const keys = parseKeyRing(config.LEADGATE_KEYS ?? '');
  const stops: Stop[] = settings.LEADGATE_DATA_DIR ? [] : [async () => rmSync(dataDir, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const simulators = await startSandbox({ SANDBOX_PORT: 0 }, sandbox);
    stops.push(simulators.close);
    const engine = await connect(config, 5_000);
    stops.push(() => engine.connection.close());
    const upstreams = upstreamsOf(config, sandboxPort({ ...config, SANDBOX_PORT: simulators.port }, 'on'));
    const trail = openTrail(auditDir(config.LEADGATE_DATA_DIR), keys);
    stops.push(trail.close);
    const made = withWorker(createShared(config, engine, keys, trail));
    const local = { ...made, admission: observed(made.admission), ...shared };
    const startWorker = async () => {
      const stopWorker = await startOwnWorker(config, engine, keys, upstreams, local, {
        code: { workflowBundle: { codePath: testEngine().bundlePath } },
        alertClearMs,
      });
      let stopped: Promise<void> | undefined;
      const once = () => (stopped ??= stopWorker());
      stops.push(once);
      return once;
    };
    if (!withoutWorker) await startWorker();
    stops.push(forgetErasedPersons(config, engine, keys, local, forgetEveryMs));
    const api = await serveApi(config, engine, keys, upstreams, local, createPages(config));
    stops.push(api.stop);
    const sending =
      (method: string): Gateway['post'] =>
      (path, body, headers = {}) =>
        call(`${api.url}${path}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        });
    return {
      url: api.url,
      sandboxUrl: simulators.url,
      config,
      engine,
      keys,
      client: new Client({ connection: engine.connection, namespace: engine.namespace, dataConverter: dataConverter(keys) }),
      post: sending('POST'),
      patch: sending('PATCH'),
      get: (path, headers = {}) => call(`${api.url}${path}`, { headers }),
      untilReady: async () =>
        void (await until(async () => (await call(`${api.url}/health/ready`)).status === 200, 'the gateway is ready')),
      sandbox: async () => (await call(`${simulators.url}/__state`)).body as SandboxState,
      release: async () => void (await call(`${simulators.url}/__release`, { method: 'POST' })),
      startWorker,
      stopTrail: trail.close,
      stopApi: api.stop,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The settings that gateways of one installation share. */
export function sameInstallation({ config }: Gateway): Record<string, string> {
  const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE, TASK_QUEUE, LEADGATE_KEYS = '' } = config;
  return { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TASK_QUEUE, LEADGATE_KEYS };
}

async function call(url: string, init?: RequestInit): Promise<GatewayAnswer> {
  const response = await fetch(url, init);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? await response.json() : await response.text() };
}

let people = 0;

/** Creates a lead of a new person. `sentinels` make the simulators fail, see docs/sandbox.md. */
export function newLead(sentinels = '', fields: JsonObject = {}): Record<string, unknown> & { email: string } {
  const tag = `${process.pid}-${++people}-${randomBytes(3).toString('hex')}`;
  return {
    instanceName: 'erg-oct',
    StudyID: 12,
    ReferrerID: 7,
    firstName: 'Ann',
    lastName: 'Lee',
    email: `ann-${tag}${sentinels && `+${sentinels}`}@example.org`,
    phone: '(555) 201-3344',
    dob: '03/05/1980',
    sex: 'Female',
    condition: 'Eczema',
    protocol: 'AD-301',
    ...fields,
  };
}

export interface SandboxState {
  readonly calls: Readonly<Record<string, number>>;
  readonly taskboard: { readonly projects: readonly { readonly name: string }[] };
  readonly requests: readonly {
    readonly call: string;
    readonly method: string;
    readonly url: string;
    readonly body: string;
    readonly answered: number | null;
  }[];
}
