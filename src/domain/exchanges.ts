/**
 * Reads the exchanges of a lead from its run's activities: the step, the request and the answer of each. It hides access keys and other
 * credentials.
 */
import { accountOf, comment, commentDay, flowSteps, patientId, rtRequestPayload, type FlowRecord } from './clinicsys';
import { isObject, withoutUndefined, text } from './formats';
import { secretPlaceholder } from './forward';
import type { JsonObject } from './lead';
import type { LeadInput } from './lead-input';

/** One activity of a run, decoded. The engine stores no arguments of a local activity, so its request is derived from the lead. */
export interface RunActivity {
  readonly call: string;
  readonly args?: readonly unknown[];
  readonly result?: unknown;
  readonly endedAt?: string;
}

/** The lead as it was before the activity. */
export interface LeadBefore extends Pick<LeadInput, 'prepared' | 'rules'> {
  /** The name of its workflow type. */
  readonly workflow: string;
  readonly body: FlowRecord;
}

type ReadPart = (activity: RunActivity, lead: LeadBefore) => unknown;

interface ExchangeRow {
  readonly step: string;
  readonly request: ReadPart;
  readonly answer: ReadPart;
}

const objectAt = (value: unknown): JsonObject => (isObject(value) ? value : {});
const firstArgument = ({ args }: RunActivity, { body }: LeadBefore): JsonObject => (args ? objectAt(args[0]) : body);
/** The upstream's answer: the result without the facts that the activity added. */
const wholeAnswer: ReadPart = ({ result }) => {
  const { httpStatus: _, tries: __, ...answer } = objectAt(result);
  return answer;
};
const answerPart =
  (name: string): ReadPart =>
  ({ result }) =>
    objectAt(result)[name];

const flowOf = ({ workflow }: LeadBefore) => (workflow.startsWith('with') ? 'with-prescreen' : 'no-prescreen');
const momentOf = ({ endedAt }: RunActivity) => new Date(endedAt ?? Date.now());

const instance = (record: JsonObject): JsonObject => ({ account: accountOf(record), instanceName: text(record.instanceName) });

const rows: Readonly<Record<string, ExchangeRow>> = {
  getApiKey: {
    step: 'get-api-key',
    request: (activity, lead) => instance(firstArgument(activity, lead)),
    answer: (activity, lead) => ({ ...objectAt(wholeAnswer(activity, lead)), key: secretPlaceholder }),
  },
  checkEmail: {
    step: 'check-email',
    request: (activity, lead) => ({ ...instance(firstArgument(activity, lead)), email: activity.args?.[1] ?? text(lead.body.email) }),
    answer: wholeAnswer,
  },
  formatData: {
    step: 'format-data',
    request: (activity, lead) => pickFields(firstArgument(activity, lead), Object.keys(objectAt(activity.result))),
    answer: wholeAnswer,
  },
  sendToRt: {
    step: 'send-to-rt',
    request: (activity, lead) =>
      activity.args ? activity.args[1] : rtRequestPayload(lead.body, flowOf(lead), momentOf(activity).toISOString().slice(0, 10)),
    answer: answerPart('rtResponse'),
  },
  sendComments: {
    step: 'send-comments',
    request: (activity, lead) =>
      activity.args
        ? { subjectId: activity.args[1], comment: activity.args[2] }
        : {
            subjectId: patientId(lead.body),
            comment: comment(lead.body, flowOf(lead), commentDay(momentOf(activity), lead.rules.timeZone)),
          },
    answer: wholeAnswer,
  },
  readComments: { step: 'send-comments', request: ({ args }) => ({ subjectId: args?.[1] }), answer: wholeAnswer },
  forwardLead: {
    step: 'send',
    request: ({ args }, { prepared }) => (args ? objectAt(args[2]).payload : prepared?.payload),
    answer: answerPart('response'),
  },
};

const order: readonly string[] = [...flowSteps, 'send'];

const pickFields = (record: JsonObject, names: readonly string[]): JsonObject =>
  withoutUndefined(Object.fromEntries(names.map((name) => [name, record[name]])));

/** Adds an activity's result to the lead. */
export const withAnswer = <T extends LeadBefore>(lead: T, { call, result }: RunActivity): T =>
  result === undefined || !(call in rows) || call === 'sendComments' ? lead : { ...lead, body: { ...lead.body, ...objectAt(result) } };

/** True for a request to an upstream; the other activities of a run call the engine. */
export const isExchange = ({ call }: RunActivity): boolean => call in rows;

export interface Exchange {
  readonly step?: string;
  /** The HTTP status of a good answer. */
  readonly status?: number;
  readonly request: unknown;
  readonly answer: unknown;
}

/** Reads one exchange. A renewed key or a repeated e-mail look-up belongs to the latest step so far, which needed it. */
export function readExchange(activity: RunActivity, lead: LeadBefore, stepBefore: string | undefined): Exchange {
  const row = rows[activity.call];
  if (!row) return { step: stepBefore, request: undefined, answer: undefined };
  const step = order.indexOf(row.step) > order.indexOf(stepBefore ?? '') ? row.step : stepBefore;
  const answer = activity.result === undefined ? undefined : row.answer(activity, lead);
  const { httpStatus } = objectAt(activity.result);
  return { step, request: row.request(activity, lead), answer, ...(typeof httpStatus === 'number' && { status: httpStatus }) };
}
