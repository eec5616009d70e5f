/** Maps leads of group D: makes the screening platform's patient from a caller's lead, and reads its answers. */
import { date, integer, isAbsent, isObject, isoDate, pick, withoutUndefined, text, InvalidValue } from './formats';
import { noSuccess, readSuccess, type Forwarder } from './forward';
import type { JsonObject } from './lead';
import { fromOrigin, fromCaller, mapFields, type MappedPayload, type MappingRow } from './mapping';
import { notAnObject, unclear } from './outcome';

const numbered = /^(question|answer)_(\d{1,9})$/;
export const mostQuestions = 100;

/** A deployment's own words, in lower case, with the upstream's words for them. They take precedence over the rules. */
export interface ScreeningMaps {
  readonly race: Readonly<Record<string, string>>;
  readonly recruitment_status: Readonly<Record<string, string>>;
}

type Rules = readonly (readonly [words: readonly string[], value: string])[];

/** The order matters: "caucasian" contains "asian", and "american indian" must not match "indian american". */
const raceRules: Rules = [
  [['pacific', 'hawaiian'], 'Native Hawaiian or Other Pacific Islander'],
  [['american indian', 'alaska', 'native american'], 'American Indian or Alaska Native'],
  [['white', 'caucasian'], 'White'],
  [['black', 'african'], 'Black or African American'],
  [['asian'], 'Asian'],
  [[''], 'Not Reported'],
];

const statusRules: Rules = [
  [['dnq', 'not qualified', 'not eligible', 'ineligible', 'disqualif', 'screen fail', 'does not qualify'], 'Not eligible'],
  [[''], 'Referral'],
];

const applyRules =
  (field: keyof ScreeningMaps, rules: Rules) =>
  ({ body, maps }: ScreeningSetup): string | undefined => {
    const given = text(body[field])?.toLowerCase();
    if (given === undefined) return undefined;
    return pick(maps[field], given) ?? rules.find(([words]) => words.some((word) => given.includes(word)))?.[1];
  };

export interface ScreeningSetup {
  readonly body: JsonObject;
  readonly maps: ScreeningMaps;
}

const rows: readonly MappingRow<ScreeningSetup>[] = [
  ['study_id', fromCaller('study_id')],
  ['site_id', fromCaller('site_id')],
  ['email', fromCaller('email')],
  ['first_name', fromCaller('first_name')],
  ['last_name', fromCaller('last_name')],
  ['phone_number', fromCaller('phone_number')],
  ['date_of_birth', fromCaller('date_of_birth', isoDay)],
  ['postal_code', fromCaller('postal_code')],
  ['gender', fromCaller('gender'), fromCaller('sex')],
  ['race', fromOrigin('rule', applyRules('race', raceRules))],
  ['ethnicity', fromCaller('ethnicity')],
  ['height', fromCaller('height')],
  ['height_unit', fromCaller('height_unit'), fromOrigin('default', () => 'in')],
  ['weight', fromCaller('weight')],
  ['weight_unit', fromCaller('weight_unit'), fromOrigin('default', () => 'lb')],
  ['recruitment_status', fromOrigin('rule', applyRules('recruitment_status', statusRules))],
  ['questions', fromOrigin('caller', ({ body }) => questionsOf(body))],
];

export const screeningPayload = (setup: ScreeningSetup): MappedPayload => mapFields(rows, setup);

function isoDay(value: string): string | undefined {
  const read = date(value);
  return read instanceof InvalidValue ? undefined : isoDate(read);
}

/** True if the questions are a list, which takes precedence over numbered pairs. */
export const hasList = ({ questions }: JsonObject): boolean =>
  !isAbsent(questions) && !(Array.isArray(questions) && questions.length === 0);

export const isNumbered = (name: string): boolean => numbered.test(name);

/** Each `question_N` and `answer_N`. */
export const numberedTexts = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const [, part, number] = numbered.exec(name) ?? [];
      const given = text(value);
      return part && given !== undefined ? [[`${part}_${Number(number)}`, given]] : [];
    }),
  );

/** The questions as the caller sent them: the list, or else each `question_N` with its `answer_N`, by number. */
export function givenQuestions(body: JsonObject): readonly { readonly path: string; readonly value: unknown }[] {
  const { questions } = body;
  if (hasList(body)) return (Array.isArray(questions) ? questions : [questions]).map((value, at) => ({ path: `questions.${at}`, value }));
  const byNumber = new Map<number, Record<string, unknown>>();
  for (const [name, value] of Object.entries(body)) {
    const [, part, number] = numbered.exec(name) ?? [];
    if (part && !isAbsent(value)) byNumber.set(Number(number), { ...byNumber.get(Number(number)), [part]: value });
  }
  return [...byNumber].sort(([one], [other]) => one - other).map(([at, value]) => ({ path: `question_${at}`, value }));
}

/** The questions to send. A question without an answer, or an answer without a question, is sent, too. */
export function questionsOf(body: JsonObject): readonly JsonObject[] | undefined {
  const read = givenQuestions(body).flatMap(({ value }) => {
    const pair = isObject(value) ? withoutUndefined({ question: text(value.question), answer: text(value.answer) }) : {};
    return Object.keys(pair).length > 0 ? [pair] : [];
  });
  return read.length > 0 ? read : undefined;
}

export const screening: Forwarder = {
  who: 'The screening platform',
  credential: 'key',
  responseField: 'screeningResponse',
  read(body) {
    if (!isObject(body)) return notAnObject;
    if (readSuccess(body) === false) return { refused: true };
    if (!readSuccess(body)) return noSuccess;
    const patientId = text(body.id);
    return patientId ? { accepted: { response: body, patientId } } : unclear(body.id, 'id', 'a text or a number');
  },
  confirmed: (upstreamId) => ({ success: true, id: integer(upstreamId) ?? upstreamId }),
};
