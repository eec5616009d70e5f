/** Defines the types of settings, such as a port, a URL or a secret: each parses its value, and its error names what is expected. */
import { isIPv4 } from 'node:net';
import { z } from 'zod';
import { fieldMapProblems } from '../domain/field-map';
import { isObject } from '../domain/formats';
import { limitsFormat, parseLimits } from '../domain/limits';
import { parseRepeats, repeatsFormat } from '../domain/repeats';
import { ipAddressIn } from '../lib/ip-address';
import { isLoopback } from '../lib/loopback';
import { parseScopesByRole, scopesByRoleFormat } from './scopes';

/** Values of these types are no secrets, so an error may repeat them. */
const plain = { plain: true };

function whole(standard: number, least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error }).default(standard).meta(plain);
}

/** A time in hours, which may be fractional. */
export function hours(standard: number, most: number, least = 0) {
  const error = least > 0 ? `must be a number from ${least} to ${most}` : `must be a number above 0, and at most ${most}`;
  return z.coerce.number({ error }).positive({ error }).min(least, { error }).max(most, { error }).default(standard).meta(plain);
}

/** A time in minutes, which may be fractional. */
export const minutes = (standard: number, most: number) => hours(standard, most);

export const port = (standard: number) => whole(standard, 0, 65_535);
export const count = (standard: number, most = 1_000_000, least = 0) => whole(standard, least, most);
export const ms = (standard: number, most = 600_000) => whole(standard, 1, most);

export const oneOf = <const Words extends readonly string[]>(words: Words, standard: NoInfer<Words[number]>) =>
  z
    .enum(words, { error: `must be one of ${words.join(', ')}` })
    .default(standard as never)
    .meta(plain);

export const url = () => z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' }).optional();

/** True for https, and for http on this machine, where nobody listens in. */
export function isPrivate(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopback(hostname);
}

/** An issuer of OpenID Connect, as its discovery document names it. */
export const issuer = url().refine((given) => {
  if (given === undefined) return true;
  if (!isPrivate(given)) return false;
  const { search, hash, username, password } = new URL(given);
  return `${search}${hash}${username}${password}` === '';
}, 'must begin with https://, except on this machine, and have no query');

/** A URL whose path or query may hold a token. */
export const secretUrl = () => url().meta({ secret: true });
export const path = (standard: string) => z.string().startsWith('/', { error: 'must begin with /' }).default(standard);
export const secret = () => z.string().optional().meta({ secret: true });
/** A secret that is sent as a header. */
export const credential = () =>
  z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII')
    .optional()
    .meta({ secret: true });
export const moment = z.iso.datetime({ offset: true, error: 'must be a moment such as 2026-11-24T03:00:00Z' }).optional().meta(plain);
export const text = (standard: string) => z.string().default(standard);
export const optionalText = () => z.string().optional();

/** A secret of the Standard Webhooks specification: 24 to 64 bytes. */
function isWebhookSecret(given: string): boolean {
  const { length } = Buffer.from(/^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(given)?.[1] ?? '', 'base64');
  return length >= 24 && length <= 64;
}

/** One secret, or a new and an old one while the receiver changes to the new one. */
export const webhookSecret = () =>
  secret().refine(
    (given) => given === undefined || (webhookSecrets(given).length <= 2 && webhookSecrets(given).every(isWebhookSecret)),
    'must be whsec_ and 24 to 64 bytes in base64, or two of these with a comma between them',
  );

export const webhookSecrets = (written: string): readonly string[] => written.split(',').map((each) => each.trim());

/** A mail server with its user and password: smtps:// begins with TLS, and smtp:// asks for it. */
export const smtpUrl = secret().refine((given) => {
  if (given === undefined) return true;
  if (!URL.canParse(given)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(given);
  return /^smtps?:$/.test(protocol) && hostname !== '' && `${pathname}${search}${hash}`.replace('/', '') === '';
}, 'must be a URL such as smtps://user:password@mail.example.org, with no path and no parameters');

/** The sender of an e-mail and its recipients. */
export const emailRoute = z
  .string()
  .regex(
    /^[^\s@:,<>]+@[^\s@:,<>]+:[^\s@:,<>]+@[^\s@:,<>]+(\s*,\s*[^\s@:,<>]+@[^\s@:,<>]+)*$/,
    'must be the sender and the recipients, like leadgate@example.org:ops@example.org,night@example.org',
  )
  .transform((route) => {
    const [from = '', to = ''] = route.split(':');
    return { from, to: to.split(',').map((address) => address.trim()) };
  })
  .optional();

/** Origins as a browser sends them: scheme, host and port only. A slash at the end is dropped. */
export const origins = z
  .string()
  .transform((list) => list.split(',').map((origin) => origin.trim().replace(/\/$/, '')))
  .refine((list) => list.every((origin) => URL.canParse(origin) && /^https?:/.test(origin) && new URL(origin).origin === origin), {
    error: 'must be origins such as https://forms.example, comma-separated',
  })
  .optional()
  .meta(plain);

/** The names that Express has for subnets. */
const subnetNames = ['loopback', 'linklocal', 'uniquelocal'];

function isProxy(entry: string): boolean {
  if (subnetNames.includes(entry)) return true;
  const [, written = '', prefix = '1'] = /^([\d.a-f:]+)(?:\/(\d{1,3}))?$/i.exec(entry) ?? [];
  const address = ipAddressIn(written);
  return address !== undefined && Number(prefix) >= 1 && Number(prefix) <= (isIPv4(address) ? 32 : 128);
}

/** The proxies in front, as `trust proxy` of Express takes them: how many, or their addresses and subnets. */
export const proxies = z
  .string()
  .transform((given) => (/^\d+$/.test(given.trim()) ? Number(given) : given.split(',').map((entry) => entry.trim())))
  .refine((given) => (typeof given === 'number' ? given >= 1 && given <= 10 : given.every(isProxy)), {
    error:
      'must be addresses or subnets of proxies, such as 127.0.0.1 or 10.0.0.0/8, or loopback, linklocal or uniquelocal, comma-separated, or a number from 1 to 10',
  })
  .optional()
  .meta(plain);

/** A list on the task board, by the ids of its project and of itself. */
export const boardList = z
  .string()
  .regex(/^[^/\s]+\/[^/\s]+$/, 'must be the ids of a project and of a list in it, like project/list')
  .transform((ids) => {
    const [projectId = '', todoListId = ''] = ids.split('/');
    return { projectId, todoListId };
  })
  .optional();

/** A mailbox, a page or a telephone number, as RFC 9116 takes them. */
function isContact(given: string): boolean {
  if (given.startsWith('https:')) return /^[\x21-\x7e]+$/.test(given) && URL.canParse(given);
  return /^mailto:[\w.%+-]+@[\w-]+(\.[\w-]+)+$/.test(given) || /^tel:\+\d[\d.-]*\d$/.test(given);
}

/** Where a weakness is reported. */
export const contacts = z
  .string()
  .transform((list) => list.split(',').map((contact) => contact.trim()))
  .refine((list) => list.every(isContact), {
    error: 'must begin with mailto:, https:// or tel:+, like mailto:security@example.org, comma-separated, the preferred one first',
  })
  .optional()
  .meta(plain);

/** Host names as in a URL, with or without a port. */
export const hosts = z
  .string()
  .transform((list) => list.split(',').map((host) => host.trim().toLowerCase()))
  .refine((list) => list.every((host) => /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(host)), {
    error: 'must be names of hosts such as hooks.example or hooks.example:8443, comma-separated',
  })
  .optional()
  .meta(plain);

export const fieldMap = z
  .string()
  .default('{}')
  .transform((json, check): Readonly<Record<string, string>> => {
    const map = namesIn(json);
    const problems = map ? fieldMapProblems(map) : ['must be a JSON object of names, like {"Zip":"PostalCode"}'];
    for (const problem of problems) check.addIssue(problem);
    return Object.fromEntries(map ?? []);
  });

/** Reads the names into a Map, which also keeps names such as `__proto__`. */
function namesIn(json: string): ReadonlyMap<string, string> | undefined {
  try {
    const read: unknown = JSON.parse(json);
    return new Map(z.array(z.tuple([z.string(), z.string()])).parse(isObject(read) && Object.entries(read)));
  } catch {
    return undefined;
  }
}

/** Tries the name, because `Intl.supportedValuesOf` lists only one name for each zone. */
const isTimeZone = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).format(0) !== '';
  } catch {
    return false;
  }
};

export const timeZone = z.string().default('UTC').refine(isTimeZone, 'must be a time zone name, like America/New_York');

export const campaignTemplate = z
  .string()
  .default('{sponsor} - {location}')
  .refine(
    (template) => !/[{}]/.test(template.replace(/\{(sponsor|protocol|location)\}/g, '')),
    'may hold {sponsor}, {protocol} and {location}, and no other braces',
  );

/** A text that `parse` reads, or else an error with its format. */
const parsed = <T>(parse: (written: string) => T | undefined, format: string) =>
  z
    .string()
    .transform((written, check) => {
      const read = parse(written);
      if (read !== undefined) return read;
      check.addIssue(format);
      return z.NEVER;
    })
    .optional();

export const upstreamLimits = parsed(parseLimits, limitsFormat);
/** The scopes of people, by their roles. */
export const scopesByRole = parsed(parseScopesByRole, scopesByRoleFormat);
export const repeats = parsed(parseRepeats, repeatsFormat);

type Variables = Readonly<Record<string, string>>;

/** A setting with several members, each with its own variable. `.env.example` lists the first one. */
export interface Family<Names extends Variables = Variables, Form extends z.ZodType = z.ZodType> {
  readonly description: string;
  readonly variables: Names;
  readonly forms: { readonly [Member in keyof Names]: Form };
}

/** `others` has the members with another type. */
export function family<const Names extends Variables, Form extends z.ZodType>(
  description: string,
  form: Form,
  variables: Names,
  others: { readonly [Member in keyof Names]?: Form } = {},
): Family<Names, Form> {
  const forms = Object.fromEntries(Object.keys(variables).map((member) => [member, others[member] ?? form]));
  // TypeScript loses the names in Object.fromEntries.
  return { description, variables, forms: forms as Record<keyof Names, Form> };
}

/** A URL for both accounts of the site system, which each account can override. */
export const urlOfAccounts = <const Name extends string>(name: Name, description: string) =>
  family(`${description}; an account may have its own`, url(), { both: name, ERG: `${name}_ERG`, Futuro: `${name}_FUTURO` });
