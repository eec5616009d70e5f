/**
 * The engine's settings for one gateway. Temporal's defaults would make it slow and short of memory, or protect several tenants from each
 * other.
 */
import type { UiAddress } from '../temporal-ui/ui-proxy';

type Value = number | boolean | string;

/** Settings, grouped by their reason. Older servers ignore keys that they do not know. */
const dynamicConfig: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  'With few shards the default of 20 polls a second and shard makes each dispatch wait up to 50 ms.': {
    'history.transferProcessorMaxPollRPS': 2000,
    'history.timerProcessorMaxPollRPS': 2000,
  },
  'Where much comes in, the search index is written five times a second: a run that is over by then gets one entry instead of two.': {
    'history.visibilityProcessorMaxPollRPS': 5,
  },
  'One small queue: without partitions no task is forwarded from one to another.': {
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
  },
  'Fewer rounds for each lead; on by default since 1.29 and 1.32 only.': {
    'system.enableEagerWorkflowStart': true,
    'system.enableActivityEagerExecution': true,
  },
  'Each caller that waits for its run is a long poll; the default of 1200 is less than OPEN_LEADS_MAX.': {
    'frontend.namespaceCount': 20_000,
  },
  'The rates that protect a shared cluster from its tenants protect nobody here.': {
    'frontend.rps': 20_000,
    'frontend.namespaceRPS': 20_000,
    'frontend.namespaceRPS.visibility': 2000,
    'history.rps': 30_000,
    'matching.rps': 20_000,
    'matching.persistenceMaxQPS': 30_000,
  },
  'A closed run can be deleted once the queue has said how far it is; the default of 30 s is a long time to wait for that.': {
    'history.transferProcessorUpdateAckInterval': '1s',
  },
  'By default the server keeps runs and their events in memory for an hour after their end; here it keeps those that go on.': {
    'history.hostLevelCacheMaxSize': 500,
    'history.eventsHostLevelCacheMaxSizeBytes': 8 * 1024 * 1024,
  },
  'By default start-dev reads the search attributes from the database for each entry of the index; they change at a start only.': {
    'system.forceSearchAttributesCacheRefreshOnRead': false,
  },
  'A new namespace or search attribute is known everywhere after this long; the default is 2 s.': {
    'system.namespaceCacheRefreshInterval': '500ms',
  },
};

/** Fairness costs the engine some percent, so the embedded one has it only if leads can queue up before a limit. */
const fairness: typeof dynamicConfig = {
  'Where leads queue up, their callers take turns; otherwise whose file came first would be first.': {
    'matching.enableFairness': true,
  },
};

/** Closes the engine's HTTP API, which nothing here uses: a web page could reach it by DNS rebinding. */
const noHttpHost = 'frontend.httpAllowedHosts=[""]';

/** The same settings as a file for a Temporal server of one's own, which rereads it while it runs. */
export const dynamicConfigFile = (): string => {
  const group = ([why, values]: [string, Readonly<Record<string, Value>>]) =>
    [`# ${why}`, ...Object.entries(values).map(([name, value]) => `${name}: [{ value: ${value} }]`), ''].join('\n');
  const head = "# How a server of one's own is set for one gateway. Written by `npm run reference` from src/engine/tuning.ts.\n";
  return [head, ...Object.entries({ ...dynamicConfig, ...fairness }).map(group)].join('\n');
};

/** Pages of the log that are written before they go into the file: twice SQLite's own number, which saves 4 % of a lead's writes. */
const logPages = 2_000;
const pageBytes = 4_096;

const pragmas = [
  'journal_mode=wal',
  // Each commit reaches the disk, so that it survives a power loss.
  'synchronous=2',
  // Overwrite deleted data in the file, and keep the log beside it no larger than one round.
  'secure_delete=1',
  `wal_autocheckpoint=${logPages}`,
  `journal_size_limit=${logPages * pageBytes}`,
];

export interface EngineSettings {
  readonly host: string;
  readonly port: number;
  /** The address of the engine's own UI; undefined for none. */
  readonly ui?: UiAddress;
  /** The database file; undefined to store nothing. */
  readonly databaseFile?: string;
  readonly codecEndpoint?: string;
  /** True if upstreams have limits, so that leads queue up. */
  readonly hasLimits: boolean;
}

const optional = (flag: string, value?: string) => (value === undefined ? [] : [flag, value]);

/** The engine's command line. `help` is its own help for start-dev: flags that are not in it are left out. */
export function engineArguments(settings: EngineSettings, help: string): string[] {
  const { host, port, ui, databaseFile, codecEndpoint, hasLimits } = settings;
  return [
    ...['server', 'start-dev', '--ip', host, '--port', `${port}`],
    ...(ui ? ['--ui-ip', ui.host, '--ui-port', `${ui.port}`] : ['--headless']),
    ...['--log-level', 'warn', '--log-format', 'json'],
    ...optional('--db-filename', databaseFile),
    ...(databaseFile ? pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]) : []),
    ...optional('--ui-codec-endpoint', codecEndpoint),
    ...['--dynamic-config-value', noHttpHost],
    ...(help.includes('--ui-disable-news-fetch') ? ['--ui-disable-news-fetch'] : []),
    ...Object.values({ ...dynamicConfig, ...(hasLimits && fairness) })
      .flatMap((values) => Object.entries(values))
      .flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${JSON.stringify(value)}`]),
  ];
}
