/**
 * Declares the settings and their variables. A row is a setting, or a family with a variable for each of its members.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  boardList,
  campaignTemplate,
  contacts,
  count,
  credential,
  emailRoute,
  family,
  fieldMap,
  hosts,
  hours,
  issuer,
  minutes,
  moment,
  ms,
  oneOf,
  origins,
  optionalText,
  path,
  port,
  proxies,
  repeats,
  scopesByRole,
  secret,
  secretUrl,
  smtpUrl,
  text,
  timeZone,
  upstreamLimits,
  url,
  urlOfAccounts,
  webhookSecret,
  type Family,
} from './setting-forms';
import { fileOf } from './secrets';

/** The sources and the build are at different depths. */
export const projectDir = existsSync(join(__dirname, '../../package.json')) ? join(__dirname, '../..') : join(__dirname, '../../..');

/** All settings, grouped and described as in `.env.example`, which is generated from here. */
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
    REPEATS: repeats.describe(
      'what the same body without an Idempotency-Key gets after the first lead has ended, by flow: no-prescreen:answer@24h (docs/tools/README.md); unset: it is sent',
    ),
    RECONCILE_EVERY_H: count(0, 720).describe(
      'hours between two scheduled reconciliations, each of the leads of the last two intervals (docs/reconcile.md); 0 is off',
    ),
    IMPORT_ROWS_MAX: count(10_000, 100_000).describe('most rows of a file of leads'),
    OPEN_LEADS_MAX: count(5000).describe(
      'most open leads; further leads are refused (503), calls and dry runs are not; parked leads do not count (docs/scale.md)',
    ),
    STARTS_PER_S: count(0).describe('most leads started per second in total (429 above); 0 is off'),
    STARTS_PER_S_PER_CALLER: count(0).describe('the same for each caller; 0 is off'),
    TRUST_PROXY: proxies.describe(
      'the proxies in front, whose X-Forwarded-For gives the client’s address: addresses and subnets such as 127.0.0.1,10.0.0.0/8, loopback, linklocal, uniquelocal, or a number of proxies that nobody can bypass; unset: the address of the connection',
    ),
    CORS_ORIGINS: origins.describe(
      'pages that may call the API from a browser, such as https://forms.example, comma-separated; unset: none',
    ),
    SECURITY_CONTACT: contacts.describe(
      'where somebody who found a weakness reports it, like mailto:security@example.org, comma-separated: told by /.well-known/security.txt; unset: 404',
    ),
    GATEWAY_API_KEYS: secret().describe(
      'callers: name:key or name:key:scope+scope, comma-separated, keys of 20 characters or more; unset: no credentials required',
    ),
  },
  'Sign-in of people': {
    OIDC_ISSUER: issuer.describe(
      'the OpenID Connect issuer at which people sign in to the console and /docs (docs/sign-in.md), like https://login.example.org/realms/trials; unset: with gateway keys',
    ),
    OIDC_CLIENT_ID: optionalText().describe('the client id of this gateway at the issuer'),
    OIDC_CLIENT_SECRET: secret().describe('its client secret'),
    OIDC_ROLES_CLAIM: text('roles').describe("the claim with a person's roles; may be a path such as realm_access.roles"),
    OIDC_SCOPES: scopesByRole.describe(
      'the scopes of each role, like recruiter=leads,admin=leads+operator; who has none of these roles cannot sign in',
    ),
    SESSION_IDLE_MIN: minutes(15, 1440).describe('minutes without an act after which a person is signed out'),
  },
  'The command line': {
    LEADGATE_URL: url().describe(
      'the API as people reach it, for the leadgate command, for links in alerts and for sign-in; unset: PORT on this machine',
    ),
    LEADGATE_API_KEY: credential().describe('the key that the command calls the API with'),
    AUDIT_SIGNING_KEY: secret().describe(
      'the private Ed25519 key, in PEM form, that the command signs copies of the audit trail with; unset: made once in the data directory',
    ),
  },
  'The engine': {
    TEMPORAL_ADDRESS: optionalText().describe(
      'an existing Temporal; unset: the embedded one (other TEMPORAL_* variables and profiles are read too)',
    ),
    TEMPORAL_NAMESPACE: text('leadgate').describe('namespace of the runs, where no profile names another'),
    TEMPORAL_PORT: port(7233).describe('port of the embedded engine'),
    TEMPORAL_UI_PORT: port(8233).describe('port of the Temporal UI, whose pages may use the decoder'),
    TEMPORAL_UI_URL: url().describe(
      'the Temporal UI as operators reach it, for links to runs; unset: that of the embedded engine, if there is one',
    ),
    TEMPORAL_CLI_PATH: optionalText().describe('a temporal command to run as the embedded engine'),
    DECODER_PORT: port(0).describe('port on which the Temporal UI gets payloads decoded; 0 is any, and with DECODER_TOKEN it must be one'),
    DECODER_TOKEN: credential().describe(
      'the token that the decoder requires; unset: only the Temporal UI of this machine may use it, without a token',
    ),
    TASK_QUEUE: text('leadgate').describe('task queue that the worker serves'),
    WORKER_BUILD_ID: z
      .string()
      .regex(/^[\w.-]{1,100}$/, 'must be letters, digits, dots, hyphens and underscores')
      .optional()
      .describe('the build of this worker, for versioned deployments (docs/scale.md); unset: not versioned'),
    RETENTION_H: hours(168, 8760, 24).describe(
      'how long closed runs are kept, in hours; those of answered reads are deleted within minutes',
    ),
    AUDIT_RETENTION_D: count(2192, 36_500).describe('how long the audit trail is kept, in days; 0 is for ever'),
    LEADGATE_DATA_DIR: text(join(projectDir, '.data')).describe("the engine's file and generated keys"),
    BACKUP_DIR: optionalText().describe('directory for the scheduled copies of the embedded engine’s data; unset: no copies'),
    BACKUP_EVERY_H: hours(24, 720).describe('hours between two scheduled copies; the last seven are kept'),
    RESTORED_FROM: moment.describe(
      'a Temporal of your own whose database was restored: the moment of the copy, like 2026-11-24T03:00:00Z (docs/scale.md)',
    ),
    LEADGATE_KEYS: secret().describe(
      'payload encryption keys: id:base64 of 32 bytes, comma-separated or one per line; the first one encrypts; unset: generated in the data directory',
    ),
  },
  Alerts: {
    ALERT_WEBHOOK_URL: secretUrl().describe('where alerts are posted to, signed by the Standard Webhooks specification; unset: nowhere'),
    ALERT_WEBHOOK_SECRET: webhookSecret().describe(
      'the secret that they are signed with: whsec_ and 24 to 64 bytes in base64; two of them, new,old, while the receiver changes',
    ),
    ALERT_SLACK_URL: secretUrl().describe(
      'an incoming webhook of Slack, or of a chat that takes its {"text"} (docs/alerts.md), which gets each alert as a message; unset: none',
    ),
    ALERT_EMAIL: emailRoute.describe(
      'sender and recipients of alerts by e-mail, like leadgate@example.org:ops@example.org,night@example.org; unset: no e-mail',
    ),
    ALERT_SMTP_URL: smtpUrl.describe(
      'the mail server for them, like smtps://user:password@mail.example.org; smtp:// uses STARTTLS, and with a password requires it',
    ),
    ALERT_BOARD: boardList.describe(
      'the list on the task board that gets a card for each alert, marked done when the alert closes: the ids of project and list, as project/list; unset: none',
    ),
    ALERT_HEARTBEAT_URL: secretUrl().describe("requested with GET every minute while alerting works: a dead man's switch; unset: none"),
    ALERT_LEAD_AGE_MIN: count(60, 100_000).describe('alert on leads that are open for longer, in minutes; 0 is off'),
  },
  Events: {
    EVENTS_WEBHOOK_URL: secretUrl().describe(
      "where each lead's events are posted to, signed by the Standard Webhooks specification; unset: nowhere",
    ),
    EVENTS_WEBHOOK_SECRET: webhookSecret().describe(
      'the secret that they are signed with: whsec_ and 24 to 64 bytes in base64; two of them, new,old, while the receiver changes',
    ),
    EVENTS_HOSTS: hosts.describe(
      'hosts that X-Callback-URL may name, such as hooks.example or hooks.example:8443, comma-separated; unset: the header is refused',
    ),
    EVENTS_PERSONAL_DATA: oneOf(['on', 'off'], 'off').describe("on: each event has the lead's own fields, as data.lead"),
  },
  Metrics: {
    WORKER_METRICS_PORT: port(0).describe('port on which npm run worker serves its /metrics, at HOST; 0 is none'),
  },
  'The sandbox': {
    SANDBOX: oneOf(['auto', 'on', 'off'], 'auto').describe(
      'serve upstreams without a URL from the simulator; auto: on in npm start, off in the parts run alone',
    ),
    SANDBOX_PORT: port(8090).describe('port of the simulators'),
  },
  'All upstreams': {
    TIMEOUT_MS: family(
      'deadline of a request to an upstream',
      ms(30_000),
      {
        'task-board': 'TASKBOARD_TIMEOUT_MS',
        recruitment: 'RECRUIT_TIMEOUT_MS',
        leadforms: 'LEADFORMS_TIMEOUT_MS',
        screening: 'SCREENING_TIMEOUT_MS',
        'key-service': 'KEY_SERVICE_TIMEOUT_MS',
        'site-system': 'CLINICSYS_TIMEOUT_MS',
      },
      { 'key-service': ms(35_000) },
    ),
    UPSTREAM_LIMITS: upstreamLimits.describe(
      'most requests to an upstream over all workers, like V1=5/s,recruitment=30/min*2 (docs/scale.md); unset: none',
    ),
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
  },
  'Group B: recruitment': {
    RECRUIT_URL: family('recruitment system of an environment, base URL', url(), {
      sandbox: 'RECRUIT_URL_SANDBOX',
      us: 'RECRUIT_URL_US',
      canada: 'RECRUIT_URL_CANADA',
      australia: 'RECRUIT_URL_AUSTRALIA',
      europe: 'RECRUIT_URL_EUROPE',
    }),
    RECRUIT_PATIENT_PATH: path('/api/v1/patient').describe('path of its patient endpoint'),
  },
  'Group C: lead forms': {
    LEADFORMS_URL: family('lead-form system, base URL; the sandbox variant may have its own', url(), {
      both: 'LEADFORMS_URL',
      sandbox: 'LEADFORMS_SANDBOX_URL',
    }),
    LEADFORMS_KEY_IN: oneOf(['body', 'header', 'both'], 'body').describe('where the key goes; header is Authorization: Bearer'),
    LEADFORMS_SITES_FILE: optionalText().describe(
      'JSON: the sites and their configuration, see config/sites.json; read again when it changes',
    ),
    LEADFORMS_CAMPAIGN_TEMPLATE: campaignTemplate.describe('how campaign_name is built from {sponsor}, {protocol} and {location}'),
    SCR_SANDBOX_BOUNCE_MODE: z
      .string()
      .default('')
      .transform((word) => word.trim().toLowerCase() === 'true')
      .describe('true: the sandbox variant sends nothing and answers with the payload'),
  },
  'Group D: screening': {
    SCREENING_URL: url().describe('screening platform, base URL'),
    SCREENING_API_KEY: credential().describe('its key, where the caller sends none'),
    SCREENING_MAPS_FILE: optionalText().describe('JSON: your own words for race and recruitment_status; read again when it changes'),
  },
  'Group E: site system': {
    KEY_SERVICE_URL: urlOfAccounts('KEY_SERVICE_URL', 'key service, full URL'),
    KEY_CACHE_TTL_S: count(0, 86_400).describe('keep a key in memory this long; 0 is off'),
    CLINICSYS_V1_APPLY_URL: urlOfAccounts('CLINICSYS_V1_APPLY_URL', 'V1 apply endpoint, full URL'),
    CLINICSYS_V2_URL: urlOfAccounts('CLINICSYS_V2_URL', 'V2 API, base URL'),
    CLINICSYS_V1_FORMAT: oneOf(['form', 'json'], 'form').describe('how V1 bodies are written'),
    CLINICSYS_V1_FIELD_MAP: fieldMap.describe('JSON: V1 field name, such as Zip or questions[101] → the name your V1 wants'),
    CLINICSYS_TIMEZONE: timeZone.describe("time zone of the comment's date"),
  },
} as const;

/** Variables outside of `.env.example`: a file that commands write, and variables that Node, Temporal and OpenTelemetry document. */
const otherVariables = {
  LEADGATE_KEYS_FILE: optionalText(),
  NODE_ENV: optionalText(),
  TEMPORAL_PROFILE: optionalText(),
  TEMPORAL_CONFIG_FILE: optionalText(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(),
};

export type Merged<T> = (T extends unknown ? (all: T) => void : never) extends (all: infer All) => void ? All : never;
export type SettingRows = Merged<(typeof settings)[keyof typeof settings]> & typeof otherVariables;

type SettingRow = z.ZodType | Family;
export const isFamily = (row: SettingRow): row is Family => 'variables' in row;

export const settingRows: readonly (readonly [string, SettingRow])[] = [...Object.values(settings), otherVariables].flatMap((group) =>
  Object.entries(group),
);

interface Variable {
  readonly name: string;
  readonly form: z.ZodType;
  /** The member of the family. */
  readonly member?: string;
}

/** Returns the variables of a row: one, or one for each member of a family. */
export const variablesOf = ([name, row]: readonly [string, SettingRow]): readonly Variable[] =>
  isFamily(row)
    ? Object.entries(row.variables).map(([member, variable]) => ({ name: variable, form: row.forms[member] as z.ZodType, member }))
    : [{ name, form: row }];

/** Every variable with its type. */
export const variables: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  settingRows.flatMap((row) => variablesOf(row).map(({ name, form }) => [name, form])),
);

export const isSecret = (form: z.ZodType): boolean => form.meta()?.secret === true;

const secretNames = Object.entries(variables).flatMap(([name, form]) => (isSecret(form) ? [name] : []));
/** The secrets that may be read from a file. LEADGATE_KEYS is not among them, because commands write its file. */
export const secretsInFiles = secretNames.filter((name) => !(fileOf(name) in variables));

/** The names of all variables that may be set. */
export const variableNames: readonly string[] = [...new Set([...Object.keys(variables), ...secretNames.map(fileOf)])];
