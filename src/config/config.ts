/**
 * Reads the settings from the environment and `.env` into one validated, frozen object. No other file reads `process.env`. A setting has the
 * name of its variable, such as `config.SYNC_WAIT_MS`. A family has a value for each member: `config.RECRUIT_URL.us` is `RECRUIT_URL_US`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { isObject } from '../domain/formats';
import { fileOf, secretIn } from './secrets';
import { isPrivate, type Family } from './setting-forms';
import { isFamily, projectDir, settingRows, secretsInFiles, variables, variablesOf, type Merged, type SettingRows } from './settings';

export { projectDir };

type Value<Setting> =
  Setting extends Family<infer Names, infer Form>
    ? { readonly [Member in keyof Names]: z.infer<Form> }
    : Setting extends z.ZodType
      ? z.infer<Setting>
      : never;
export type Config = { readonly [Name in keyof SettingRows]: Value<SettingRows[Name]> };

type ByVariable<Name extends PropertyKey, Setting> =
  Setting extends Family<infer Names, infer Form>
    ? { readonly [Member in keyof Names as Names[Member]]: z.infer<Form> }
    : { readonly [Only in Name]: Value<Setting> };
/** The values by variable. A family has several variables. */
export type Values = Merged<{ [Name in keyof SettingRows]: ByVariable<Name, SettingRows[Name]> }[keyof SettingRows]>;

function configOf(values: Readonly<Record<string, unknown>>): Config {
  const membersOf = ({ variables: names }: Family) =>
    Object.fromEntries(Object.entries(names).map(([member, name]) => [member, values[name]]));
  return Object.freeze(
    Object.fromEntries(settingRows.map(([name, row]) => [name, isFamily(row) ? membersOf(row) : values[name]])),
  ) as Config;
}

export function valuesOf(config: Config): Values {
  const byName: Readonly<Record<string, unknown>> = config;
  const values = settingRows.flatMap((row) => {
    const value = byName[row[0]];
    return variablesOf(row).map(({ name, member }) => [name, member !== undefined && isObject(value) ? value[member] : value]);
  });
  return Object.fromEntries(values) as Values;
}

const neededToSignIn = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_SCOPES'] as const;

/** Returns what is missing or wrong for the sign-in of people, by setting. */
function signInProblems(values: Readonly<Record<string, unknown>>): readonly (readonly [name: string, message: string])[] {
  const [given] = neededToSignIn.filter((name) => values[name]);
  if (!values.OIDC_ISSUER) return given ? [['OIDC_ISSUER', `is needed with ${given}`]] : [];
  const { LEADGATE_URL: url } = values;
  const isOpen = typeof url === 'string' && !isPrivate(url);
  return [
    ...neededToSignIn.filter((name) => !values[name]).map((name) => [name, 'is needed with OIDC_ISSUER'] as const),
    ...(isOpen ? [['LEADGATE_URL', 'must begin with https:// with OIDC_ISSUER, except on this machine'] as const] : []),
  ];
}

const setTogether = [
  ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET'],
  ['ALERT_EMAIL', 'ALERT_SMTP_URL'],
] as const;

const schema = z.object(variables).superRefine((values: Readonly<Record<string, unknown>>, check) => {
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
  for (const [name, message] of signInProblems(values)) check.addIssue({ code: 'custom', path: [name], message });
  for (const pair of setTogether) {
    const [missing] = pair.filter((name) => !values[name]);
    const [given] = pair.filter((name) => values[name]);
    if (missing && given) check.addIssue({ code: 'custom', path: [missing], message: `must be set together with ${given}` });
  }
});

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The longest value that an error repeats. A longer one may be a misplaced secret. */
const longestGiven = 20;

/** Quotes the value of a setting that is a number or a word. Any other value may be a secret. */
function quoteValue(name: string, value = ''): string {
  const isPlain = (variables[name]?.meta() as { plain?: boolean } | undefined)?.plain === true;
  return isPlain && value.length <= longestGiven ? `, not ${JSON.stringify(value)}` : '';
}

/** Secrets that dependencies read from the environment. */
export const packageSecrets = ['TEMPORAL_API_KEY', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

/** Throws one ConfigError for all secrets that cannot be read from their files. */
function secretsIn(environment: NodeJS.ProcessEnv, names: readonly string[]): Readonly<Record<string, string>> {
  const read = names.map((name) => [name, secretIn(environment, name)] as const);
  const problems = read.flatMap(([, { problem }]) => problem ?? []);
  if (problems.length > 0) throw settingsError(problems);
  return Object.fromEntries(read.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])));
}

/** Throws one ConfigError for all invalid settings, with what is allowed. */
export function parseConfig(environment: NodeJS.ProcessEnv): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const given = { ...set, ...secretsIn(set, secretsInFiles) };
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw errorOfIssues(parsed.error, given);
  const values = parsed.data as Values;
  // An Idempotency-Key is stored with its run, as is the first answer, so the run must be kept as long as either.
  const windowsH = Object.values(values.REPEATS ?? {}).map((repeat) => Math.ceil((repeat?.windowMs ?? 0) / 3_600_000));
  return configOf({ ...values, RETENTION_H: Math.max(values.RETENTION_H, values.IDEMPOTENCY_WINDOW_H, ...windowsH) });
}

function errorOfIssues({ issues }: z.ZodError, given: NodeJS.ProcessEnv): ConfigError {
  return settingsError(
    issues.map(({ path: [name], message }) => `${String(name)}: ${message}${quoteValue(String(name), given[String(name)])}`),
  );
}

const settingsError = (problems: readonly string[]) =>
  new ConfigError(`Invalid settings:\n${[...new Set(problems)].map((problem) => `  ${problem}`).join('\n')}`);

/** Returns the settings with some of them replaced, validated as at a start. */
export function withSettings(config: Config, given: Readonly<Record<string, string>>): Config {
  const parsed = z.object(Object.fromEntries(Object.entries(variables).filter(([name]) => name in given))).safeParse(given);
  if (!parsed.success) throw errorOfIssues(parsed.error, given);
  return configOf({ ...valuesOf(config), ...parsed.data });
}

/** True if the settings name no Temporal, so that the embedded one is used. */
export const isEmbedded = ({ TEMPORAL_ADDRESS, TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE }: Config): boolean =>
  !TEMPORAL_ADDRESS && !TEMPORAL_PROFILE && !TEMPORAL_CONFIG_FILE;

/** The URL by which people reach the API. */
export const apiUrl = ({ LEADGATE_URL, PORT }: Pick<Config, 'LEADGATE_URL' | 'PORT'>): string =>
  (LEADGATE_URL ?? `http://127.0.0.1:${PORT}`).replace(/\/+$/, '');

function readEnvFile(): NodeJS.Dict<string> {
  const file = join(projectDir, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

export interface GivenNames {
  readonly inFile: readonly string[];
  readonly inEnvironment: readonly string[];
}

/** Returns the names of the variables, without their values. */
export const givenNames = (): GivenNames => ({ inFile: Object.keys(readEnvFile()), inEnvironment: Object.keys(process.env) });

/** True if a variable is set to nothing. It then counts as not set. */
export const isBlank = (name: string): boolean => process.env[name]?.trim() === '';

/** A variable of the environment takes precedence over `.env`. */
export function loadConfig(): Config {
  const fromFile = readEnvFile();
  for (const [name, value] of Object.entries(fromFile)) process.env[name] ??= value;
  for (const [name, secret] of Object.entries(secretsIn(process.env, packageSecrets))) {
    process.env[name] = secret;
    delete process.env[fileOf(name)];
  }
  return parseConfig(process.env);
}

/** Returns the environment for Temporal's own connection settings, without empty variables. */
export const connectionVariables = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value?.trim() ? [[name, value]] : [])));

/** Reads a variable that a configuration file names, such as the key of a site, or the file that `<NAME>_FILE` names. */
export function environmentValue(name: string): string | undefined {
  const { value, problem } = secretIn(process.env, name);
  if (problem !== undefined) throw new ConfigError(problem);
  return value?.trim() || undefined;
}
