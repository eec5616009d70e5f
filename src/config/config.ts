/**
 * The settings: reads the environment and `.env` into one checked, frozen object. Nothing else reads `process.env`.
 * A setting keeps its name everywhere, so `config.SYNC_WAIT_MS` is `SYNC_WAIT_MS` of `.env.example`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import {
  campaignTemplate,
  count,
  credential,
  fieldMap,
  hosts,
  hours,
  moment,
  ms,
  oneOf,
  origins,
  optionalText,
  path,
  port,
  secret,
  secretUrl,
  text,
  timeZone,
  upstreamLimits,
  url,
  webhookSecret,
} from './setting-forms';
import { fileOf, secretIn } from './secrets';

/** The sources and the build lie at different depths. */
export const projectDir = existsSync(join(__dirname, '../../package.json')) ? join(__dirname, '../..') : join(__dirname, '../../..');

/** All settings, grouped and described as in `.env.example`, which is written from here. */
export const settings = {
  'The HTTP API': {
    PORT: port(8080).describe('port of the API'),
    HOST: text('127.0.0.1').describe('address that the API listens on'),
    BODY_LIMIT_BYTES: count(262_144, 1_048_576, 1).describe('largest request body, after decompression'),
    JSON_DEPTH_MAX: count(32, 1000).describe('deepest nesting of a request body'),
    JSON_KEYS_MAX: count(500, 100_000).describe('most keys in a request body, nested ones included'),
    HEADERS_TIMEOUT_MS: ms(10_000).describe('how long a client may take to send its headers'),
    REQUEST_TIMEOUT_MS: ms(30_000).describe('how long a client may take to send its whole request'),
    SYNC_WAIT_MS: count(25_000, 60_000).describe('how long a lead route waits for its run before it answers 202'),
    LEAD_TTL_H: hours(24, 720).describe('how long an unsent lead is tried before it is parked'),
    IDEMPOTENCY_WINDOW_H: hours(72, 720).describe('how long an Idempotency-Key is remembered'),
    IMPORT_BYTES_MAX: count(5_242_880, 104_857_600).describe('largest CSV file of leads, after decompression'),
    IMPORT_ROWS_MAX: count(10_000, 100_000).describe('most rows of such a file'),
    UPSTREAM_LIMITS: upstreamLimits.describe(
      'most requests to an upstream over all workers, like V1=5/s,recruitment=30/min*2 (docs/scale.md); unset: none',
    ),
    OPEN_LEADS_MAX: count(5000).describe(
      'past this many open leads new ones are refused (503), calls and dry runs are not; parked leads take no room (docs/scale.md)',
    ),
    STARTS_PER_S: count(0).describe('most leads started a second in all (429 past it); 0 is off'),
    STARTS_PER_S_PER_CALLER: count(0).describe('the same for each caller; 0 is off'),
    CORS_ORIGINS: origins.describe(
      'pages that may call the API from a browser, such as https://forms.example, comma-separated; unset: none',
    ),
    GATEWAY_API_KEYS: secret().describe(
      'callers: name:key or name:key:scope+scope, comma-separated, keys of 20 characters or more; unset: no credentials asked',
    ),
  },
  'The command line': {
    LEADGATE_URL: url().describe('where the leadgate command finds the API; unset: PORT on this machine'),
    LEADGATE_API_KEY: credential().describe('the key that it calls the API with'),
  },
  'The engine': {
    TEMPORAL_ADDRESS: optionalText().describe(
      'an existing Temporal; unset: the embedded one (other TEMPORAL_* variables and profiles are read too)',
    ),
    TEMPORAL_NAMESPACE: text('leadgate').describe('namespace of the runs, where no profile names another'),
    TEMPORAL_PROFILE: optionalText().describe('a profile of the Temporal configuration file, for TLS and API keys'),
    TEMPORAL_CONFIG_FILE: optionalText().describe('that file'),
    TEMPORAL_PORT: port(7233).describe('port of the embedded engine'),
    TEMPORAL_UI_PORT: port(8233).describe('port of the Temporal UI, whose pages may ask the decoder'),
    TEMPORAL_UI_URL: url().describe(
      'the Temporal UI as operators reach it, for links to runs; unset: that of the embedded engine, if there is one',
    ),
    TEMPORAL_CLI_PATH: optionalText().describe('a temporal command to run as the embedded engine'),
    DECODER_PORT: port(0).describe('port on which the Temporal UI gets payloads decoded; 0 is any, and with DECODER_TOKEN it must be one'),
    DECODER_TOKEN: credential().describe('asked of whoever decodes; unset: only the Temporal UI of this machine may, without being asked'),
    TASK_QUEUE: text('leadgate').describe('task queue that the worker serves'),
    WORKER_BUILD_ID: z
      .string()
      .regex(/^[\w.-]{1,100}$/, 'must be letters, digits, dots, hyphens and underscores')
      .optional()
      .describe('the build of this worker, for versioned deployments (docs/scale.md); unset: not versioned'),
    WORKER_DEPLOYMENT: text('leadgate').describe('name of the deployment that the build belongs to'),
    RETENTION_H: hours(168, 8760, 24).describe('how long closed runs are kept, in hours; those of answered reads go within minutes'),
    ENGINE_SYNC: oneOf(['full', 'normal'], 'full').describe('full survives a power loss; normal survives a crash and is faster'),
    AUDIT_RETENTION_D: count(2190, 36_500).describe('how long the audit trail is kept, in days; 0 is for ever'),
    LEADGATE_DATA_DIR: text(join(projectDir, '.data')).describe("the engine's file and generated keys"),
    NODE_ENV: optionalText().describe('production: the encryption keys must be given, none are generated'),
    BACKUP_DIR: optionalText().describe('where the embedded engine’s process puts copies of what is stored; unset: it makes none'),
    BACKUP_EVERY_H: hours(24, 720).describe('how often it makes one'),
    BACKUP_KEEP: count(7, 1000, 1).describe('how many of its own copies it keeps'),
    RESTORED_FROM: moment.describe(
      'a Temporal of your own whose database was restored: the moment of the copy, like 2026-11-24T03:00:00Z (docs/scale.md)',
    ),
    LEADGATE_KEYS: secret().describe('payload encryption keys: id:base64 of 32 bytes, comma-separated, the first one writes'),
    LEADGATE_KEYS_FILE: optionalText().describe('a file with the same, one key a line; unset: generated in the data dir'),
  },
  Alerts: {
    ALERT_WEBHOOK_URL: secretUrl().describe('where alerts are posted to, signed by the Standard Webhooks specification; unset: nowhere'),
    ALERT_WEBHOOK_SECRET: webhookSecret().describe('the secret that they are signed with: whsec_ and 24 to 64 bytes in base64'),
    ALERT_BOARD_PROJECT: optionalText().describe('the project on the task board in which each alert is a card, done when it is mended'),
    ALERT_BOARD_LIST: optionalText().describe('the list in that project'),
    ALERT_HEARTBEAT_URL: secretUrl().describe("asked with GET every minute while the alerting looks: a dead man's switch; unset: none"),
    ALERT_LEAD_AGE_MIN: count(60, 100_000).describe('open leads that are older are an alert, in minutes; 0 is off'),
    ALERT_DISK_FREE_MB: count(1_024, 10_000_000).describe(
      'less free space than this, now or a day from now, is an alert, in MiB; 0: only a disk that is full by then',
    ),
    ALERT_CLEAR_S: count(60, 86_400).describe('how long all must be well before an alert is closed'),
    ALERT_CONSOLE_URL: url().describe('the console as operators reach it, for links in alerts; unset: PORT on this machine'),
  },
  Events: {
    EVENTS_WEBHOOK_URL: secretUrl().describe(
      "where each lead's events are posted to, signed by the Standard Webhooks specification; unset: nowhere",
    ),
    EVENTS_WEBHOOK_SECRET: webhookSecret().describe('the secret that they are signed with: whsec_ and 24 to 64 bytes in base64'),
    EVENTS_HOSTS: hosts.describe(
      'hosts that X-Callback-URL may name, such as hooks.example or hooks.example:8443, comma-separated; unset: the header is refused',
    ),
    EVENTS_PERSONAL_DATA: oneOf(['on', 'off'], 'off').describe("on: each event has the lead's own fields, as data.lead"),
  },
  Metrics: {
    WORKER_METRICS_PORT: port(0).describe('port on which npm run worker serves its /metrics, at HOST; 0 is none'),
  },
  Traces: {
    OTEL_EXPORTER_OTLP_ENDPOINT: url().describe(
      'a collector for OpenTelemetry traces (OTLP over HTTP, base URL; other OTEL_EXPORTER_OTLP_* variables are read too); unset: none',
    ),
    OTEL_SERVICE_NAME: text('leadgate').describe('name of this service in traces'),
  },
  'The sandbox': {
    SANDBOX: oneOf(['auto', 'on', 'off'], 'auto').describe(
      'serve upstreams without a URL from the simulator; auto: on in npm start, off in the parts run alone',
    ),
    SANDBOX_PORT: port(8090).describe('port of the simulators'),
  },
  'Group A: task board': {
    TASKBOARD_URL: url().describe('task board, full GraphQL URL'),
    TASKBOARD_TOKEN_ID: secret().describe('token id'),
    TASKBOARD_TOKEN_SECRET: secret().describe('token secret'),
    TASKBOARD_COMPANY_ID: secret().describe('organisation id'),
    TASKBOARD_TEMPLATE_PROJECT_ID: secret().describe('the project that new projects are copies of'),
    TASKBOARD_HEADER_STYLE: oneOf(['bloo', 'blue'], 'bloo').describe('names of the credential headers: X-Bloo-… or blue-…'),
    TASKBOARD_CLONE_MODE: oneOf(['auto', 'template', 'copy'], 'auto').describe(
      'how the template is copied; auto: as a template, and where it is none by copying it',
    ),
    TASKBOARD_CLONE_TIMEOUT_MS: ms(60_000).describe('how long a copy may take until it is there'),
    TASKBOARD_CLONE_POLL_MS: ms(1_000, 60_000).describe('how often the copy is looked for'),
    TASKBOARD_TIMEOUT_MS: ms(30_000).describe('deadline of a task-board request'),
  },
  'Group B: recruitment': {
    RECRUIT_URL_SANDBOX: url().describe('recruitment system of the sandbox environment, base URL'),
    RECRUIT_URL_US: url().describe('the same for us'),
    RECRUIT_URL_CANADA: url().describe('the same for canada'),
    RECRUIT_URL_AUSTRALIA: url().describe('the same for australia'),
    RECRUIT_URL_EUROPE: url().describe('the same for europe'),
    RECRUIT_PATIENT_PATH: path('/api/v1/patient').describe('path of its patient endpoint'),
    RECRUIT_TIMEOUT_MS: ms(30_000).describe('deadline of a recruitment request'),
  },
  'Group C: lead forms': {
    LEADFORMS_URL: url().describe('lead-form system, base URL'),
    LEADFORMS_SANDBOX_URL: url().describe('the same for the sandbox variant; unset: LEADFORMS_URL'),
    LEADFORMS_KEY_IN: oneOf(['body', 'header', 'both'], 'body').describe('where the key goes; header is Authorization: Bearer'),
    LEADFORMS_SITES_FILE: optionalText().describe(
      'JSON: the sites and their configuration, see config/sites.json; read again when it changes',
    ),
    LEADFORMS_CAMPAIGN_TEMPLATE: campaignTemplate.describe('how campaign_name is built from {sponsor}, {protocol} and {location}'),
    LEADFORMS_TIMEOUT_MS: ms(30_000).describe('deadline of a lead-form request'),
    SCR_SANDBOX_BOUNCE_MODE: z
      .string()
      .default('')
      .transform((word) => word.trim().toLowerCase() === 'true')
      .describe('true: the sandbox variant sends nothing and answers with the payload'),
  },
  'Group D: screening': {
    SCREENING_URL: url().describe('screening platform, base URL'),
    SCREENING_API_KEY: credential().describe('its key, where the caller sends none'),
    SCREENING_TIMEOUT_MS: ms(30_000).describe('deadline of a screening request'),
    SCREENING_MAPS_FILE: optionalText().describe('JSON: your own words for race and recruitment_status; read again when it changes'),
  },
  'Group E: site system': {
    KEY_SERVICE_URL: url().describe('key service, full URL'),
    KEY_SERVICE_URL_ERG: url().describe('the same for account ERG'),
    KEY_SERVICE_URL_FUTURO: url().describe('the same for account Futuro'),
    KEY_SERVICE_TIMEOUT_MS: ms(35_000).describe('deadline of a key request'),
    KEY_CACHE_TTL_S: count(0, 86_400).describe('keep a key in memory this long; 0 is off'),
    CLINICSYS_V1_APPLY_URL: url().describe('V1 apply endpoint, full URL'),
    CLINICSYS_V1_APPLY_URL_ERG: url().describe('the same for account ERG'),
    CLINICSYS_V1_APPLY_URL_FUTURO: url().describe('the same for account Futuro'),
    CLINICSYS_V2_URL: url().describe('V2 API, base URL'),
    CLINICSYS_V2_URL_ERG: url().describe('the same for account ERG'),
    CLINICSYS_V2_URL_FUTURO: url().describe('the same for account Futuro'),
    CLINICSYS_V1_FORMAT: oneOf(['form', 'json'], 'form').describe('how V1 bodies are written'),
    CLINICSYS_V1_FIELD_MAP: fieldMap.describe('JSON: V1 field name, such as Zip or questions[101] → the name your V1 wants'),
    CLINICSYS_TIMEZONE: timeZone.describe("time zone of the comment's date"),
    CLINICSYS_TIMEOUT_MS: ms(30_000).describe('deadline of a V1 or V2 request'),
  },
} as const;

type Settings = typeof settings;
type Shape = { [Group in keyof Settings]: Settings[Group] }[keyof Settings];
type Merged<T> = (T extends unknown ? (all: T) => void : never) extends (all: infer All) => void ? All : never;
type Values<T> = { readonly [Name in keyof T]: T[Name] extends z.ZodType ? z.infer<T[Name]> : never };

export type Config = Values<Merged<Shape>>;

const schema = z.object(Object.assign({}, ...Object.values(settings)) as Record<string, z.ZodType>);

/** Settings that are needed together or not at all. */
const pairs = [
  ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET'],
  ['ALERT_BOARD_PROJECT', 'ALERT_BOARD_LIST'],
] as const;

const whole = schema.superRefine((values: Readonly<Record<string, unknown>>, check) => {
  if (values.CORS_ORIGINS && !values.GATEWAY_API_KEYS)
    check.addIssue({
      code: 'custom',
      path: ['CORS_ORIGINS'],
      message: 'needs GATEWAY_API_KEYS: without keys a page in a browser of this machine could act as an operator',
    });
  const hasReceivers = Boolean(values.EVENTS_WEBHOOK_URL ?? values.EVENTS_HOSTS);
  if (hasReceivers && !values.EVENTS_WEBHOOK_SECRET)
    check.addIssue({ code: 'custom', path: ['EVENTS_WEBHOOK_SECRET'], message: 'is needed with EVENTS_WEBHOOK_URL and with EVENTS_HOSTS' });
  if (!hasReceivers && values.EVENTS_WEBHOOK_SECRET)
    check.addIssue({ code: 'custom', path: ['EVENTS_WEBHOOK_URL'], message: 'is needed with EVENTS_WEBHOOK_SECRET, or EVENTS_HOSTS is' });
  for (const [one, other] of pairs) {
    const [missing, given] = values[one] === undefined ? [one, other] : [other, one];
    if (values[missing] === undefined && values[given] !== undefined)
      check.addIssue({ code: 'custom', path: [missing], message: `must be set together with ${given}` });
  }
});

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The longest value that an error repeats: a longer one is no number and no word, but may be a misplaced secret. */
const longestGiven = 20;

/** For settings that are a number or a word: what was given. Other values may be secrets. */
function notAsGiven(name: string, value = ''): string {
  const isPlain = (schema.shape[name]?.meta() as { plain?: boolean } | undefined)?.plain === true;
  return isPlain && value.length <= longestGiven ? `, not ${JSON.stringify(value)}` : '';
}

/** The secrets that a file may hold. LEADGATE_KEYS_FILE is a setting of its own: the file may not be there yet, and commands write it. */
const secretNames = Object.entries(schema.shape).flatMap(([name, setting]) =>
  setting.meta()?.secret === true && !(fileOf(name) in schema.shape) ? [name] : [],
);
/** Each names the file that a secret is read from. */
export const secretFiles: readonly string[] = secretNames.map(fileOf);

/** Secrets that packages read from the environment by themselves. */
const packageSecrets = ['TEMPORAL_API_KEY', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

/** Throws a ConfigError that names all secrets at once that cannot be taken from their files. */
function secretsIn(environment: NodeJS.ProcessEnv, names: readonly string[]): Readonly<Record<string, string>> {
  const read = names.map((name) => [name, secretIn(environment, name)] as const);
  const problems = read.flatMap(([, { problem }]) => problem ?? []);
  if (problems.length > 0) throw notRight(problems);
  return Object.fromEntries(read.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])));
}

/** Throws a ConfigError that names all wrong settings at once, with what is allowed. */
export function parseConfig(environment: NodeJS.ProcessEnv): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const given = { ...set, ...secretsIn(set, secretNames) };
  const parsed = whole.safeParse(given);
  if (parsed.success) {
    const config = parsed.data as Config;
    // An Idempotency-Key is remembered by its run, so the run must be kept for as long as the key.
    return Object.freeze({ ...config, RETENTION_H: Math.max(config.RETENTION_H, config.IDEMPOTENCY_WINDOW_H) });
  }
  throw wrong(parsed.error, given);
}

function wrong({ issues }: z.ZodError, given: NodeJS.ProcessEnv): ConfigError {
  return notRight(issues.map(({ path: [name], message }) => `${String(name)}: ${message}${notAsGiven(String(name), given[String(name)])}`));
}

const notRight = (problems: readonly string[]) =>
  new ConfigError(`These settings are not right:\n${[...new Set(problems)].map((problem) => `  ${problem}`).join('\n')}`);

/** The settings with some of them given anew, each checked as at a start. */
export function withSettings(config: Config, given: Readonly<Record<string, string>>): Config {
  const parsed = z.object(Object.fromEntries(Object.entries(schema.shape).filter(([name]) => name in given))).safeParse(given);
  if (!parsed.success) throw wrong(parsed.error, given);
  return Object.freeze({ ...config, ...parsed.data });
}

/** True if no existing Temporal is named, so that the embedded one is used. */
export const isEmbedded = ({ TEMPORAL_ADDRESS, TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE }: Config): boolean =>
  !TEMPORAL_ADDRESS && !TEMPORAL_PROFILE && !TEMPORAL_CONFIG_FILE;

/** The environment wins over `.env`. */
export function loadConfig(): Config {
  const file = join(projectDir, '.env');
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  for (const [name, value] of Object.entries(fromFile)) process.env[name] ??= value;
  for (const [name, secret] of Object.entries(secretsIn(process.env, packageSecrets))) {
    process.env[name] = secret;
    delete process.env[fileOf(name)];
  }
  return parseConfig(process.env);
}

/** The environment for Temporal's own connection settings. An empty variable counts as not set, as with every setting. */
export const connectionVariables = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value?.trim() ? [[name, value]] : [])));

/** The value of a variable that a configuration file names, such as the key of a site; it may stand in a file, too. */
export function environmentValue(name: string): string | undefined {
  const { value, problem } = secretIn(process.env, name);
  if (problem !== undefined) throw new ConfigError(problem);
  return value?.trim() || undefined;
}
