/**
 * Reads the exchanges of a lead from its run's activities: the step, the request and the answer of each. It hides access keys and other
 * credentials.
 */
import { accountOf, comment, commentDay, flowSteps, patientId, rtRequestPayload, type FlowRecord } from './clinicsys';
import { isObject, present, text } from './formats';
import { concealed } from './forward';
import type { JsonObject } from './lead';
import type { LeadInput } from './lead-input';

/** One activity of a run, decoded. The engine stores no arguments of a local activity, so its request is derived from the lead. */
export interface Carried {
  readonly call: string;
  readonly args?: readonly unknown[];
  readonly result?: unknown;
  readonly endedAt?: string;
}

/** The lead as it was before the activity. */
export interface Lead extends Pick<LeadInput, 'prepared' | 'rules'> {
  /** The name of its workflow type. */
  readonly workflow: string;
  readonly body: FlowRecord;
}

type Read = (carried: Carried, lead: Lead) => unknown;

interface Row {
  readonly step: string;
  readonly request: Read;
  readonly answer: Read;
}

const objectAt = (value: unknown): JsonObject => (isObject(value) ? value : {});
const first = ({ args }: Carried, { body }: Lead): JsonObject => (args ? objectAt(args[0]) : body);
/** The upstream's answer: the result without the facts that the activity added. */
const whole: Read = ({ result }) => {
  const { httpStatus: _, tries: __, ...answer } = objectAt(result);
  return answer;
};
const part =
  (name: string): Read =>
  ({ result }) =>
    objectAt(result)[name];

const flowOf = ({ workflow }: Lead) => (workflow.startsWith('with') ? 'with-prescreen' : 'no-prescreen');
const momentOf = ({ endedAt }: Carried) => new Date(endedAt ?? Date.now());

const instance = (record: JsonObject): JsonObject => ({ account: accountOf(record), instanceName: text(record.instanceName) });

const rows: Readonly<Record<string, Row>> = {
  getApiKey: {
    step: 'get-api-key',
    request: (carried, lead) => instance(first(carried, lead)),
    answer: (carried, lead) => ({ ...objectAt(whole(carried, lead)), key: concealed }),
  },
  checkEmail: {
    step: 'check-email',
    request: (carried, lead) => ({ ...instance(first(carried, lead)), email: carried.args?.[1] ?? text(lead.body.email) }),
    answer: whole,
  },
  formatData: {
    step: 'format-data',
    request: (carried, lead) => picked(first(carried, lead), Object.keys(objectAt(carried.result))),
    answer: whole,
  },
  sendToRt: {
    step: 'send-to-rt',
    request: (carried, lead) =>
      carried.args ? carried.args[1] : rtRequestPayload(lead.body, flowOf(lead), momentOf(carried).toISOString().slice(0, 10)),
    answer: part('rtResponse'),
  },
  sendComments: {
    step: 'send-comments',
    request: (carried, lead) =>
      carried.args
        ? { subjectId: carried.args[1], comment: carried.args[2] }
        : {
            subjectId: patientId(lead.body),
            comment: comment(lead.body, flowOf(lead), commentDay(momentOf(carried), lead.rules.timeZone)),
          },
    answer: whole,
  },
  readComments: { step: 'send-comments', request: ({ args }) => ({ subjectId: args?.[1] }), answer: whole },
  forwardLead: {
    step: 'send',
    request: ({ args }, { prepared }) => (args ? objectAt(args[2]).payload : prepared?.payload),
    answer: part('response'),
  },
};

const order: readonly string[] = [...flowSteps, 'send'];

const picked = (record: JsonObject, names: readonly string[]): JsonObject =>
  present(Object.fromEntries(names.map((name) => [name, record[name]])));

/** Adds an activity's result to the lead. */
export const withAnswer = <T extends Lead>(lead: T, { call, result }: Carried): T =>
  result === undefined || !(call in rows) || call === 'sendComments' ? lead : { ...lead, body: { ...lead.body, ...objectAt(result) } };

/** True for a request to an upstream; the other activities of a run call the engine. */
export const isExchange = ({ call }: Carried): boolean => call in rows;

export interface Exchange {
  readonly step?: string;
  /** The HTTP status of a good answer. */
  readonly status?: number;
  readonly request: unknown;
  readonly answer: unknown;
}

/** Reads one exchange. A renewed key or a repeated e-mail look-up belongs to the latest step so far, which needed it. */
export function readExchange(carried: Carried, lead: Lead, stepBefore: string | undefined): Exchange {
  const row = rows[carried.call];
  if (!row) return { step: stepBefore, request: undefined, answer: undefined };
  const step = order.indexOf(row.step) > order.indexOf(stepBefore ?? '') ? row.step : stepBefore;
  const answer = carried.result === undefined ? undefined : row.answer(carried, lead);
  const { httpStatus } = objectAt(carried.result);
  return { step, request: row.request(carried, lead), answer, ...(typeof httpStatus === 'number' && { status: httpStatus }) };
}

/** Names of fields that hold credentials. */
const secretNames = new Set(['key', 'apikey', 'bearertoken', 'token', 'authorization', 'password', 'secret']);

export const isSecretName = (name: string): boolean => secretNames.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''));

/** Hides credentials, which not even a clear view may show. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isSecretName(name) ? concealed : withoutSecrets(inner)]));
}
