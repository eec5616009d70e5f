/**
 * Runs the flows of group E, the site system. Each step adds its fields to the record. `orchestrate` runs a whole flow, `single` one step.
 */
import { workflowInfo } from '@temporalio/workflow';
import type { KeyedInstance } from '../activities/clinicsys';
import {
  accountOf,
  leadAlreadySent,
  skippedSendResult,
  callerFields,
  comment,
  commentDay,
  firstSubjectId,
  flowSteps,
  keyRefusalFields,
  patientId,
  patientIdOf,
  rtRequestPayload,
  subjectId,
  type Flow,
  type FlowRecord,
  type FlowStep,
} from '../domain/clinicsys';
import { isObject, text, without } from '../domain/formats';
import type { BypassHold } from '../domain/hold';
import type { JsonObject, LeadReport } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import type { Origin } from '../domain/mapping';
import { withoutFacts } from '../domain/outcome';
import { runOf } from './lead';
import { lookUp, once, quickly, reading, renewingKey, type RequestTarget } from './proxies';
import type { StepRun } from './run';
import type { FailedAttempt, Step, Try } from './step';

interface StepContext {
  readonly run: StepRun;
  readonly lead: LeadInput;
  readonly flow: Flow;
  /** When the run began. Absent in a single step, whose caller provides the earlier look-up. */
  readonly looksUpSince?: string;
}
type StepFunction = (context: StepContext, record: FlowRecord) => Promise<FlowRecord>;

const notSent = 'Nothing was sent to the site system';

const instance = (record: FlowRecord, bypassHold: BypassHold) => ({
  account: accountOf(record),
  instanceName: text(record.instanceName) ?? '',
  ...(bypassHold && { bypassHold }),
});
const keyed = (record: FlowRecord, bypassHold: BypassHold): KeyedInstance => ({
  ...instance(record, bypassHold),
  key: text(record.key) ?? '',
});
const email = (record: FlowRecord) => text(record.email) ?? '';
const today = () => new Date(Date.now()).toISOString().slice(0, 10);

const targetOf = ({ rules }: LeadInput, upstream: 'V1' | 'V2'): RequestTarget => ({ rules, upstream, timeoutMs: rules.timeoutMs });

/** Adds a renewed key to the record. */
const withRenewedKey = (
  { lead }: StepContext,
  record: FlowRecord,
  attempt: Try,
  call: (keyed: KeyedInstance) => Promise<JsonObject>,
): Promise<JsonObject> =>
  renewingKey(lead.rules, instance(record, attempt.bypassHold), attempt, async (renewed) => ({
    ...renewed,
    ...(await call(keyed({ ...record, ...renewed }, attempt.bypassHold))),
  }));

/** The error context: the record so far and what a refusal adds to it, without the access key. */
const errorContext =
  (record: FlowRecord, refused: (body: JsonObject) => JsonObject = () => ({})) =>
  ({ type, upstream, body }: FailedAttempt): JsonObject => {
    const noKeyGiven = type === 'REFUSED' && upstream === 'key-service';
    const added = noKeyGiven ? keyRefusalFields(body) : isObject(body) && refused(body);
    return { record: without({ ...record, ...added }, ['key']) };
  };

const getApiKey: StepFunction = ({ run, lead: { rules } }, record) =>
  run.runStep({
    name: 'get-api-key',
    upstream: 'key-service',
    repeatable: true,
    meaning: notSent,
    errorContext: errorContext(record),
    attempt: async (attempt) => {
      const ask = reading('key service', { rules, upstream: 'key-service', timeoutMs: rules.keyTimeoutMs }, attempt);
      return { ...(await ask.getApiKey(instance(record, attempt.bypassHold))) };
    },
  });

const checkEmail: StepFunction = (context, record) =>
  context.run.runStep({
    name: 'check-email',
    upstream: 'V2',
    repeatable: true,
    meaning: notSent,
    errorContext: errorContext(record, ({ data, error, meta }) => ({ data, error, meta })),
    attempt: (attempt) => lookUpEmail(context, record, attempt),
  });

const lookUpEmail = (context: StepContext, record: FlowRecord, attempt: Try): Promise<JsonObject> => {
  const ask = reading('V2: subjects of this e-mail', targetOf(context.lead, 'V2'), attempt);
  return withRenewedKey(context, record, attempt, async (current) => ({ ...(await ask.checkEmail(current, email(record))) }));
};

const formatData: StepFunction = ({ run, flow, lead: { rules } }, record) =>
  run.runStep({
    name: 'format-data',
    repeatable: true,
    attempt: async () => ({ ...(await quickly('format phone, date of birth, sex, answers', rules.timeoutMs).formatData(record, flow)) }),
  });

const sendToRt: StepFunction = (context, record) =>
  context.flow === 'no-prescreen' && record.emailExists === true ? skipSend(context, record) : addSubject(context, record);

const skipSend: StepFunction = async ({ run }, record) => {
  if (!run.timeline.isDone('send-to-rt')) {
    run.timeline.begin('send-to-rt');
    await run.setPatient(String(firstSubjectId(record)));
    run.timeline.end('send-to-rt', 'skipped');
  }
  return skippedSendResult(record);
};

const addSubject: StepFunction = (context, record) => {
  const { run, lead, flow } = context;
  const payload = rtRequestPayload(record, flow, today());
  const response = (rtResponse: JsonObject) => ({ rtRequestPayload: payload, rtResponse });
  const send: Step<JsonObject> = {
    name: 'send-to-rt',
    upstream: 'V1',
    errorContext: errorContext({ ...record, rtRequestPayload: payload }, response),
    attempt: (attempt) =>
      withRenewedKey(context, record, attempt, async (current) => {
        const { rtResponse, patientHash } = await once('V1 apply', targetOf(lead, 'V1'), attempt).sendToRt(current, payload);
        run.timeline.patientHash = patientHash;
        return response({ ...rtResponse });
      }),
    // A getter, because the run reads it only after an unknown outcome. Without an e-mail, or without the subjects from before the send,
    // a look-up proves nothing.
    get lookUp() {
      if (!email(record) || !knowsSubjectsBefore(record)) return undefined;
      return async () => {
        const PatientID = await findNewSubject(context, record);
        const message = 'Found in the site system by a look-up: the answer to the send was lost';
        return PatientID === undefined ? undefined : response({ status: 0, PatientID, message, recovered: true });
      };
    },
    confirmed: (upstreamId) => {
      const PatientID = patientIdOf(upstreamId);
      return PatientID === undefined ? undefined : response({ status: 0, PatientID, message: 'Confirmed by a person', confirmed: true });
    },
  };
  return run.runStep(send);
};

/** True if the record has the subjects from before the send, or says that there were none. A single step may get only the latter. */
const knowsSubjectsBefore = ({ data, emailExists }: FlowRecord): boolean => Array.isArray(data) || emailExists === false;

/**
 * Finds the one subject of this e-mail that was added since the send. Returns undefined for none or several, and for one that another lead
 * may have added.
 */
async function findNewSubject(context: StepContext, record: FlowRecord): Promise<number | undefined> {
  const { run } = context;
  const before = new Set((Array.isArray(record.data) ? record.data : []).map(subjectId));
  const { data } = await lookUpEmail(context, record, lookUp);
  const added = (Array.isArray(data) ? data : []).map(subjectId).filter((id) => id !== undefined && !before.has(id));
  const [found] = added;
  if (found === undefined || added.length > 1) return undefined;
  const { open, arrived, patientHash } = await samePersonLeads(context, record, found);
  if (open + arrived > 0) return undefined;
  run.timeline.patientHash = patientHash;
  return found;
}

/** The count waits until the index has caught up. */
const countWithinMs = 15_000;

/**
 * Counts the same-person leads that may have made this subject. It waits for the engine's index, so it is a regular activity.
 */
const samePersonLeads = ({ lead: { rules }, looksUpSince }: StepContext, record: FlowRecord, subject: number) =>
  once('the engine: other leads of this person', { rules, timeoutMs: countWithinMs }).countSamePersonLeads({
    email: email(record),
    subjectId: subject,
    instanceName: text(record.instanceName) ?? '',
    since: looksUpSince,
  });

const sendComments: StepFunction = (context, record) => {
  const { run, lead, flow } = context;
  const patient = patientId(record) ?? 0;
  const commentText = comment(record, flow, commentDay(new Date(Date.now()), lead.rules.timeZone));
  const response = (rtV2Response: JsonObject) => ({ rtV2Response });
  const commentResult = (said: JsonObject = {}) =>
    response({ data: { subjectId: patient, comment: commentText }, error: {}, links: {}, ...said });
  return run.runStep({
    name: 'send-comments',
    upstream: 'V2',
    meaning: leadAlreadySent,
    refusalParks: true,
    errorContext: errorContext(record, response),
    attempt: (attempt) =>
      withRenewedKey(context, record, attempt, async (current) =>
        response(withoutFacts(await once('V2 comment', targetOf(lead, 'V2'), attempt).sendComments(current, patient, commentText))),
      ),
    // A written comment can be read back at once. If it is missing, it was not written, and a person decides whether to resend it.
    readBack: true,
    lookUp: async () => {
      const ask = reading('V2: read the comments back', targetOf(lead, 'V2'), lookUp);
      const { data } = await withRenewedKey(context, record, lookUp, async (current) => ({
        ...(await ask.readComments(current, patient)),
      }));
      const matches = (Array.isArray(data) ? data : []).filter((entry) => isComment(entry, commentText)).length;
      if (matches === 0) return undefined;
      // An earlier lead of this person may have written the same comment.
      const { commented } = await samePersonLeads(context, record, patient);
      return matches > commented ? commentResult() : undefined;
    },
    knownId: patientId(record),
    confirmed: () => commentResult({ confirmed: true }),
  });
};

const isComment = (entry: unknown, written: string): boolean => isObject(entry) && text(entry.comment) === written;

const steps: Readonly<Record<FlowStep, StepFunction>> = {
  'get-api-key': getApiKey,
  'check-email': checkEmail,
  'format-data': formatData,
  'send-to-rt': sendToRt,
  'send-comments': sendComments,
};

const dryRun = (record: FlowRecord, flow: Flow): JsonObject => {
  const skips = flow === 'no-prescreen' && record.emailExists === true;
  const message = skips ? 'The e-mail exists: nothing would be sent to V1' : 'This is what would be sent to V1. Nothing was sent';
  const payload = skips ? null : rtRequestPayload(record, flow, today());
  const origins: Record<string, Origin> = Object.fromEntries(Object.keys(payload ?? {}).map((name) => [name, 'caller']));
  return { success: true, dryRun: true, message, payload, origins };
};

/** Runs the five steps in order. The output of each is the input of the next. */
export const orchestrate =
  (flow: Flow) =>
  async (lead: LeadInput): Promise<LeadReport> => {
    const looksUpSince = new Date(lead.continued?.startedAt ?? workflowInfo().startTime).toISOString();
    const context = { lead, flow, run: runOf(lead, flow, flowSteps), looksUpSince };
    const given = callerFields(lead.body);
    await context.run.askIfRepeat();
    await context.run.takeLock();
    const keyedRecord = { ...given, ...(await getApiKey(context, given)) };
    const checked = { ...keyedRecord, ...(await checkEmail(context, keyedRecord)) };
    const ready = { ...checked, ...(await formatData(context, checked)) };
    if (lead.dryRun) return context.run.end('delivered', dryRun(ready, flow));
    const sent = { ...ready, ...(await sendToRt(context, ready)) };
    const commented = { ...sent, ...(await sendComments(context, sent)) };
    const { data, error, meta, emailExists }: FlowRecord = checked;
    const skipped = commented.rtRequestPayload === null;
    return context.run.end(skipped ? 'skipped' : 'delivered', { ...commented, emailCheckResult: { data, error, meta, emailExists } });
  };

/** Runs one step on a record that the caller provides. */
export const singleStep =
  (flow: Flow, name: FlowStep) =>
  async (lead: LeadInput): Promise<LeadReport> => {
    const context = { lead, flow, run: runOf(lead, flow, [name]) };
    if (lead.dryRun) return context.run.end('delivered', dryRunOf(name, context));
    const record = { ...lead.body, ...(await steps[name](context, lead.body)) };
    return context.run.end('rtRequestPayload' in record && record.rtRequestPayload === null ? 'skipped' : 'delivered', record);
  };

function dryRunOf(name: FlowStep, { lead, flow }: StepContext): JsonObject {
  if (name !== 'send-comments') return dryRun(lead.body, flow);
  const payload = { comment: comment(lead.body, flow, commentDay(new Date(Date.now()), lead.rules.timeZone)) };
  const origins: Record<string, Origin> = { comment: 'rule' };
  return { success: true, dryRun: true, message: 'This is the comment that would be sent. Nothing was sent', payload, origins };
}
