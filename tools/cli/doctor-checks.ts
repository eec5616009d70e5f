/** Runs the checks of `leadgate doctor`. Each reports what it found and what to do, and never shows a secret. */
import { Client } from '@temporalio/client';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ageOfCopies } from '../../src/backup/schedule';
import { LeadgateError } from '../client';
import { apiUrl, givenNames, isEmbedded, parseConfig, valuesOf, type Config } from '../../src/config/config';
import { findExposures } from '../../src/config/exposure';
import { settings, variablesOf } from '../../src/config/settings';
import { findUnreadSettings } from '../../src/config/unread-settings';
import { sandboxPort, upstreamsOf } from '../../src/config/upstreams';
import { buildsOf, type Build } from './builds';
import { findLocalEngine, engineSources, uncheckedWarning } from '../../src/engine/find';
import { searchContext } from '../../src/engine/search-context';
import { countStuckRuns } from '../../src/leads/stuck-runs';
import { isShort, leastFreeBytes, readDiskSpace, describeSpace } from '../../src/lib/disk-space';
import { codeOf } from '../../src/lib/errors';
import { clockHarm, clockWords, engineOffMs, harmlessMs } from '../../src/temporal/clock';
import { connect, searchAttributes } from '../../src/temporal/engine';
import { whyNotReady } from '../../src/temporal/readiness';
import { gatewayOf, commandErrorOf } from './gateway';
import { evidenceUse, localKeys } from './keyring';
import { program } from './program';
import { findConnectionProblem } from './reach';

export interface Finding {
  readonly what: string;
  /** A `note` is information only. */
  readonly state: 'ok' | 'note' | 'trouble';
  readonly found: string;
  readonly next?: string;
}

export type Check = (config: Config) => Promise<readonly Finding[]>;

export const ok = (what: string, found: string): Finding => ({ what, state: 'ok', found });
export const note = (what: string, found: string, next?: string): Finding => ({ what, state: 'note', found, next });
export const trouble = (what: string, found: string, next: string): Finding => ({ what, state: 'trouble', found, next });

/** Finds trouble if this machine's clock is off by more than is harmless. */
export const clockFinding = (offMs: number, whose: string): Finding[] =>
  Math.abs(offMs) > harmlessMs ? [trouble('Clock', clockWords(offMs, whose), clockHarm)] : [];

export function nodeVersion(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('Node', version)
    : trouble('Node', `${version} is too old`, 'install Node 20.19 or newer');
}

/** Shows names only: some values are secrets, and a URL may contain one. */
const configured: Check = async (config) => {
  const standard: Readonly<Record<string, unknown>> = valuesOf(parseConfig({}));
  const set = Object.entries(valuesOf(config)).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify(standard[name]) ? [] : [name],
  );
  return [
    ok('Settings', set.length > 0 ? `set: ${set.join(', ')}; the others have their defaults` : 'all have their defaults; see .env.example'),
  ];
};

/** A name without a known neighbour in `.env` may belong to another program. */
const unread: Check = async (config) =>
  findUnreadSettings(config, givenNames()).map(({ meant, message }) =>
    meant === undefined
      ? note('Settings', message, 'remove it, unless another program reads it')
      : trouble('Settings', message, 'correct its name, or remove it'),
  );

const exposure: Check = async (config) =>
  findExposures(config).map(({ what, found, next, isGrave }) => (isGrave ? trouble : note)(what, found, next));

/** The nearest existing parent directory, because the service creates missing directories. */
const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)));

function whyNotWritten(dir: string): string | undefined {
  try {
    if (!statSync(nearest(dir)).isDirectory()) return `${nearest(dir)} is not a directory`;
    accessSync(nearest(dir), constants.W_OK);
    return undefined;
  } catch (error) {
    return `${dir} cannot be written (${String(codeOf(error))})`;
  }
}

const dataDir: Check = async (config) => {
  const what = 'Data directory';
  const { LEADGATE_DATA_DIR: dir } = config;
  const why = whyNotWritten(dir);
  const finding = isEmbedded(config) ? trouble : note;
  if (why) return [finding(what, why, 'make it writable for this user, or set LEADGATE_DATA_DIR to another directory')];
  return [existsSync(dir) ? ok(what, `${dir} is writable`) : note(what, `${dir} does not exist yet`, 'npm start creates it')];
};

const keys: Check = async (config) => {
  const what = 'Encryption keys';
  const { LEADGATE_KEYS, LEADGATE_KEYS_FILE, LEADGATE_DATA_DIR } = config;
  const file = LEADGATE_KEYS_FILE ?? join(LEADGATE_DATA_DIR, 'keys');
  const from = LEADGATE_KEYS ? 'LEADGATE_KEYS' : file;
  if (!LEADGATE_KEYS && !existsSync(file))
    return [
      LEADGATE_KEYS_FILE
        ? trouble(what, `${file} does not exist`, 'set LEADGATE_KEYS_FILE to the file with the keys')
        : note(
            what,
            `${file} does not exist yet`,
            'npm start creates it; on a second machine, copy the file of the first one, or set LEADGATE_KEYS',
          ),
    ];
  try {
    const ring = localKeys(config);
    const { byId, current } = ring;
    const unreadable = (await evidenceUse(config, ring)).get('') ?? 0;
    const open = !LEADGATE_KEYS && (statSync(file).mode & 0o077) !== 0;
    return [
      ok(what, `${byId.size} from ${from}; ${current.id} encrypts new data`),
      ...(unreadable > 0
        ? [trouble(what, `the evidence of ${unreadable} actions on the audit trail needs a key that is missing`, 'put the key back')]
        : []),
      ...(open ? [trouble(what, `${file} can be read by other users of this machine`, `chmod 600 ${file}`)] : []),
    ];
  } catch {
    return [trouble(what, `the keys in ${from} cannot be read`, 'each must be id:base64 of 32 bytes')];
  }
};

const copies: Check = async (config) => {
  const what = 'Copies';
  if (!isEmbedded(config)) return [];
  const newest = await ageOfCopies(config);
  if (!newest) return [note(what, 'none are scheduled', `set BACKUP_DIR to schedule them, or run ${program} backup`)];
  const { ageMs, isLate } = newest;
  const found =
    ageMs === undefined ? `none in ${config.BACKUP_DIR}` : `the newest in ${config.BACKUP_DIR} is ${(ageMs / hourMs).toFixed(1)} h old`;
  return [isLate ? trouble(what, found, 'see the log of the process with the engine') : ok(what, found)];
};

const hourMs = 3_600_000;

const disk: Check = async ({ LEADGATE_DATA_DIR: dir }) => {
  const space = await readDiskSpace(nearest(dir));
  const found = `${describeSpace(space)}, for ${dir}`;
  return [
    isShort(space, leastFreeBytes) ? trouble('Disk', found, 'free some space: on a full disk, no lead is accepted') : ok('Disk', found),
  ];
};

/** A worker with a build gets no new runs until that build is current. */
const builds = (known: readonly Build[]): readonly Finding[] =>
  known.length === 0 || known.some(({ isCurrent }) => isCurrent)
    ? []
    : [
        note(
          'Builds',
          `none of ${known.map(({ id }) => id).join(', ')} is current, so none runs new leads`,
          `${program} deploy current <build>`,
        ),
      ];

async function runs(client: Client, taskQueue: string): Promise<Finding> {
  const what = 'Runs';
  const count = await countStuckRuns(client, taskQueue);
  if (count === undefined)
    return note(what, 'the server does not report whether runs are stuck', 'Temporal servers report it from version 1.30 on');
  if (count === 0) return ok(what, 'none is stuck');
  const [are, whose] = count === 1 ? ['is', 'its'] : ['are', 'their'];
  const next = 'list them in the Temporal UI with TemporalReportedProblems IS NOT NULL; see docs/operating.md, A stuck run';
  return trouble(what, `${count} ${are} stuck: ${whose} workflow tasks keep failing or timing out`, next);
}

const engineProgram: Check = async (config) => {
  const what = 'Engine program';
  if (!isEmbedded(config)) return [];
  const found = await findLocalEngine(engineSources(searchContext(config.TEMPORAL_CLI_PATH)));
  if (!found) return [note(what, 'not installed yet', 'npm start downloads it')];
  return [found.isUnchecked ? note(what, uncheckedWarning(found.path)) : ok(what, found.path)];
};

const connectMs = 2_000;

/** With the URL of the service alone, its engine may be anywhere. The API's own answer says whether its engine and worker are there. */
function engineMissing(config: Config): Finding {
  const found = `does not answer at ${config.TEMPORAL_ADDRESS ?? `127.0.0.1:${config.TEMPORAL_PORT}`}`;
  if (!isEmbedded(config)) return trouble('Engine', found, 'see TEMPORAL_ADDRESS and the other TEMPORAL_ settings');
  if (config.LEADGATE_URL === undefined) return trouble('Engine', found, 'npm start runs it, or npm run engine');
  return note(
    'Engine',
    `${found}, so the service is checked through LEADGATE_URL alone (see API); the other lines are about this machine`,
    "for its engine, keys, disk and upstreams, run doctor with the service's settings, such as TEMPORAL_PORT or TEMPORAL_ADDRESS",
  );
}

const engine: Check = async (config) => {
  const what = 'Engine';
  const reached = await connect(config, connectMs).catch(() => undefined);
  if (!reached) return [engineMissing(config)];
  const { connection, namespace } = reached;
  const client = new Client({ connection, namespace });
  try {
    const names = Object.keys(searchAttributes).map((name) => `${name} IS NULL`);
    const known = await client.workflow.count(names.join(' AND ')).then(
      () => undefined,
      (error: unknown) => String(codeOf(error)),
    );
    if (known !== undefined)
      return [
        ok(what, 'answers'),
        trouble(
          'Namespace',
          `${namespace} does not exist, or lacks search attributes`,
          'start a worker: it creates them, or says what to create by hand',
        ),
      ];
    const unpolled = await whyNotReady(client, namespace, config.TASK_QUEUE);
    return [
      ok(what, 'answers'),
      ok('Namespace', `${namespace} exists and has its search attributes`),
      unpolled
        ? trouble('Worker', unpolled, 'npm start runs one, or npm run worker')
        : ok('Worker', `polls the task queue ${config.TASK_QUEUE}`),
      ...clockFinding(await engineOffMs({ connection, namespace }, config.TASK_QUEUE), "the engine's, at least"),
      await runs(client, config.TASK_QUEUE),
      ...builds(await buildsOf({ client, taskQueue: config.TASK_QUEUE })),
    ];
  } finally {
    await connection.close();
  }
};

const api: Check = async (config) => {
  const address = apiUrl(config);
  let offMs = 0;
  const onAnswer = ({ headers }: { readonly headers: Headers }) => {
    offMs = Date.now() - Date.parse(headers.get('date') ?? '') || 0;
  };
  const { service } = gatewayOf(config);
  const ready = async (): Promise<Finding> => {
    // The version needs a key, the readiness does not.
    const version = await service.version().then(
      (answer) => `, version ${answer.version}`,
      () => '',
    );
    return ok('API', `ready at ${address}${version}`);
  };
  const unready = (error: unknown): Finding => {
    if (!(error instanceof LeadgateError)) throw error;
    return error.code === 'NOT_ACCEPTED'
      ? trouble('API', `runs at ${address}, but is not ready: ${error.message}`, 'see Engine and Worker')
      : trouble('API', commandErrorOf(error).message, 'npm start runs it, or npm run api');
  };
  const found = await service.isReady({}, { onAnswer }).then(ready, unready);
  return [found, ...clockFinding(offMs, "the API's")];
};

/** `SANDBOX=auto` is on in `npm start` and off in a single process; this check reports it as for `npm start`. */
const upstreams: Check = async (config) => {
  const standIn = sandboxPort(config, 'on') !== undefined;
  const groups = Object.entries(settings).filter(([group]) => group.startsWith('Group '));
  const values = new Map<string, unknown>(Object.entries(valuesOf(config)));
  const found = groups.map(async ([group, members]): Promise<Finding[]> => {
    const urls = Object.entries(members)
      .flatMap(variablesOf)
      .flatMap(({ name }) => {
        const url = values.get(name);
        return /_URL(_|$)/.test(name) && typeof url === 'string' ? [{ name, url }] : [];
      });
    if (urls.length === 0)
      return [
        note(
          group,
          standIn ? 'no URL is set: the sandbox is used (in npm start, or with SANDBOX=on)' : 'no URL is set: its routes answer 503',
        ),
      ];
    return Promise.all(
      urls.map(async ({ name, url }) => {
        const why = await findConnectionProblem(url);
        return why
          ? trouble(group, `${name} cannot be reached: ${why}`, `see ${name}, the firewall and the upstream itself`)
          : ok(group, `${name} can be reached`);
      }),
    );
  });
  return (await Promise.all(found)).flat();
};

const files: Check = async (config) => {
  const { LEADFORMS_SITES_FILE, SCREENING_MAPS_FILE } = config;
  if (!LEADFORMS_SITES_FILE && !SCREENING_MAPS_FILE) return [];
  try {
    upstreamsOf(config);
    return [ok('Files', [LEADFORMS_SITES_FILE, SCREENING_MAPS_FILE].filter(Boolean).join(', '))];
  } catch (error) {
    return [
      trouble(
        'Files',
        error instanceof Error ? error.message : 'cannot be read',
        `correct the file; ${program} sites check shows details of the sites`,
      ),
    ];
  }
};

export const checks: readonly Check[] = [
  configured,
  unread,
  exposure,
  dataDir,
  keys,
  copies,
  disk,
  files,
  engineProgram,
  engine,
  api,
  upstreams,
];
