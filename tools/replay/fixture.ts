/** Makes a fixture from a stored run: keeps known business terms and what decides the course of the run, and replaces everything else. */
import { flowSteps, isQuestion } from '../../src/domain/clinicsys';
import { isAbsent, isObject } from '../../src/domain/formats';
import { flows, states, type JsonObject } from '../../src/domain/lead';
import { isSafeName, isShown, kindOf } from '../../src/domain/mask';
import type { Codecs } from '../../src/temporal/decode';
import { createFake, type Fake } from './fake';
import { historyToJson, type History } from './history-json';
import { rewrite, type PayloadChanges } from './payloads';

/** Fields that decide the course of the run and contain no personal data. */
const steering = new Set(['rules', 'held', 'retryAfterMs', 'limited', 'verb']);

/** True for business terms. The lead's id and status URL are not secret elsewhere, but would identify the real lead. */
const isBusiness = (name: string, value: unknown) => name !== 'leadId' && name !== 'statusUrl' && isShown(name, value);

/** Words of Leadgate, kept if they are a whole value. */
const ownWords = new Set<string>([
  ...flowSteps,
  ...states,
  ...flows,
  ...['toolkit', 'send', 'pending', 'done', 'caller', 'site configuration', 'default', 'rule', '[secret]', 'probe', 'drain'],
]);

/** The constant words of a comment. */
const commentWords = 'Recruitment Status Weight Height Ethnicity Race Photo Yes No N A';

/** Replaces a workflow id except its prefix, which is the kind of run. */
const otherId = (value: string, fake: Fake) => value.replace(/(?<=^(?:lead(?:-r)?|call|board-copy)-).+/, (id) => fake.text(id));

/** Fields of the engine that contain a machine, a run, or free text. */
const engineFields: readonly (readonly [RegExp, (value: string, fake: Fake) => string])[] = [
  [/^identity$/, () => 'fixture'],
  [/namespace(Id)?$/i, () => 'fixture'],
  [/RunId$|^runId$|^requestId$/, (value, fake) => fake.text(value)],
  [/^(workflowId|updateId|protocolInstanceId|parentWorkflowId)$/i, otherId],
  [/^(reason|message|stackTrace|source)$/, (value, fake) => (/^(Encoded failure|TypeScriptSDK|)$/.test(value) ? value : fake.text(value))],
];

export interface Fixture {
  readonly json: unknown;
  /** The replaced values that must not be in the fixture. */
  readonly originals: readonly string[];
}

export async function fixtureOf(history: History, codecs: Codecs, salt?: Buffer): Promise<Fixture> {
  const json = historyToJson(history);
  const fake = createFake({ salt, keptDates: daysOf(history) });
  const originals = new Set<string>();
  fake.keepWords(commentWords);
  await rewrite(json, codecs, collecting(fake, originals));
  return { json: await rewrite(json, codecs, replacing(fake)), originals: [...originals] };
}

/** Returns the days of the run, which its comments contain, and one more on each side for time zones. */
function daysOf({ events }: History): string[] {
  const times = (events ?? []).map(({ eventTime }) => Number(eventTime?.seconds ?? 0) * 1000).filter(Boolean);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const days: string[] = [];
  for (let day = first - dayMs; times.length > 0 && day <= last + dayMs; day += dayMs) days.push(new Date(day).toISOString().slice(0, 10));
  return days;
}

const dayMs = 86_400_000;
const shortestToLookFor = 5;

/** The first pass collects personal values from their fields, so that the second can replace them everywhere. */
function collecting(fake: Fake, originals: Set<string>): PayloadChanges {
  const learn = (value: unknown, name: string): void => {
    if (Array.isArray(value)) return value.forEach((item) => learn(item, name));
    if (isObject(value)) return Object.entries(value).forEach(([field, inner]) => void (steering.has(field) || learn(inner, field)));
    if (isQuestion(name)) fake.keepWords(name);
    if (isAbsent(value) || typeof value === 'boolean') return;
    const text = String(value);
    const nested = jsonIn(text);
    if (nested !== undefined) return learn(nested, name);
    if (isBusiness(name, value)) return fake.keepWords(text);
    const kind = kindOf(name);
    if (kind === 'phone') fake.addPhone(text);
    if (kind) fake.replaceWords(text);
    if (text.length >= shortestToLookFor && (kind || isSecretOrId(name))) originals.add(text);
  };
  return {
    payload: ({ value }, holder) => (isEngines(holder) ? undefined : learn(value, holder)),
    field: (name, value) => (name === 'workflowId' && /^(lead|call)-/.test(String(value)) ? void originals.add(String(value)) : undefined),
  };
}

/** True for fields with a credential or an id of the person. */
const isSecretOrId = (name: string) => /^(key|apiKey|bearerToken|PatientID|patientId|subjectId|leadId|digest)$/i.test(name);

/** True for data of the SDK: details of local activities, and patch markers. */
const isEngines = (holder: string) => holder === 'data' || holder === 'patch-data';

function replacing(fake: Fake): PayloadChanges {
  const replaced = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => replaced(item, name));
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map((entry) => replacedEntry(entry)));
    if (isAbsent(value) || typeof value === 'boolean') return value;
    if (typeof value === 'number') return isBusiness(name, value) ? value : fake.number(value);
    const text = String(value);
    const nested = jsonIn(text);
    if (nested !== undefined) return JSON.stringify(replaced(nested, name));
    if (name === 'workflowId' || name === 'lock') return otherId(text, fake);
    return ownWords.has(text) || isBusiness(name, text) ? text : fake.text(text);
  };
  /** A hold also names the leads that failed. */
  const steered = (inner: unknown) => (isObject(inner) && inner.leads ? { ...inner, leads: replaced(inner.leads, 'leads') } : inner);
  const replacedEntry = ([field, inner]: [string, unknown]): [string, unknown] =>
    steering.has(field) ? [field, steered(inner)] : [isSafeName(field) ? field : fake.text(field), replaced(inner, field)];
  return {
    payload({ value }, holder) {
      if (isEngines(holder) || holder === 'summary' || plainAttributes.has(holder)) return value;
      // The SDK stores a failure's message and stack trace as a payload; the stack trace is dropped.
      if (holder === 'encodedAttributes' && isObject(value)) return { message: fake.text(String(value.message)), stack_trace: '' };
      return replaced(value, holder);
    },
    field(name, value, holder) {
      if (typeof value !== 'string') return value;
      if (/taskQueue/i.test(holder) && /^(name|normalName)$/.test(name)) return 'fixture';
      const [, change] = engineFields.find(([fields]) => fields.test(name)) ?? [];
      return change ? change(value, fake) : value;
    },
  };
}

/** Search attributes with business terms. The others are keyed hashes of personal data. */
const plainAttributes = new Set([
  'LeadFlow',
  'LeadState',
  'LeadStep',
  'LeadCode',
  'LeadUpstream',
  'LeadSite',
  'LeadProtocol',
  'LeadStudy',
  'LeadUpdatedAt',
]);

function jsonIn(text: string): JsonObject | readonly unknown[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) || Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Finds original values that are still in the fixture. There are none unless the replacement missed a case. */
export function originalsLeft({ json, originals }: Fixture): readonly string[] {
  const text = readable(json);
  const alone = (original: string) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${original.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'iu');
  return originals.filter((original) => alone(original).test(text));
}

/** Writes the fixture as text, with decoded payloads. */
const readable = (json: unknown): string =>
  JSON.stringify(json, (name, value: unknown) =>
    name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
