/**
 * Builds the options of a start: the run's input, memo, search attributes and priority. Also reads the rules of a run (deadlines, lifetime,
 * limits) from the settings.
 */
import type { WorkflowStartOptions } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { Config } from '../config/config';
import { timeoutMs } from '../config/upstreams';
import type { PersonHashes } from '../domain/locks';
import { patientId, patientIdOf } from '../domain/clinicsys';
import type { SandboxBinding } from '../domain/execution-context';
import { receivers, type EventOrder, type Receiver } from '../domain/events';
import type { PreparedLead } from '../domain/forward';
import type { JsonObject } from '../domain/lead';
import type { LeadInput, Rules } from '../domain/lead-input';
import type { AttemptMemo, Memo } from '../domain/memo';
import { limitedUpstreams } from '../domain/limits';
import { markedReference, shownReference, type Reference } from '../domain/reference';
import { emailOf, createPersonalTest, phonesOf, sameSite, searchable, term } from '../domain/found-by';
import type { KeyRing } from '../keys/ring';
import { referenceHash } from '../leads/lead-filter';
import { hiddenSite } from '../leads/site-term';
import { routeOf } from '../contract/flows';
import { buildAttribute } from '../temporal/build';
import { attributes, keyAttribute, personAttributes } from '../temporal/engine';
import type { IdentityInput, Identity } from './identity';

export interface StartRequest extends IdentityInput {
  readonly flow?: string;
  /** True for a row of a file or a lead of a bulk order: it gets a lower priority. */
  readonly bulk?: boolean;
  /** The import of the lead. */
  readonly importId?: string;
  readonly prepared?: PreparedLead;
  readonly binding: SandboxBinding;
  readonly requestId?: string;
  /** A further URL for the lead's events, from X-Callback-URL. */
  readonly callbackUrl?: string;
}

/** The next attempt of a failed lead. It keeps the hashes of earlier attempts, so that the lead is also found by its former e-mail. */
export interface NextAttempt extends AttemptMemo, PersonHashes, Pick<Memo, 'senders' | 'reference'>, Repeated {
  readonly leadId: string;
  readonly attempt: number;
}

interface Repeated {
  /** Set on a lead without a key that came again and was sent: the seconds since the end of the lead with the same body. */
  readonly repeatAfterS?: number;
}

/** How a run takes its workflow id. */
export interface IdUse extends Repeated {
  readonly reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';
}

/** The workflow id of a run, and its lead's id if that is known. */
export interface RunIds extends IdUse, Pick<LeadInput, 'leadId'> {
  readonly workflowId: string;
}

export interface RunOptions {
  optionsOf(request: StartRequest, identity: Identity, place: RunIds, attempt?: NextAttempt): Options;
  hashesOf(body: JsonObject): string[];
}

type Options = WorkflowStartOptions & { readonly args: [LeadInput] };

/** The engine's default priority is 3; 5 comes last. */
const lastPriority = 5;

/** The caller's name as a number. It is hashed, because the engine stores it in clear. Undefined for a caller without a name. */
export const senderOf = (keys: Pick<KeyRing, 'hash'>, caller = ''): number | undefined =>
  caller === '' ? undefined : Buffer.from(keys.hash('sender', caller, 6)).readUIntBE(0, 6);

export function personHashes(keys: KeyRing, body: JsonObject): PersonHashes {
  const email = emailOf(body);
  return { emails: email ? [keys.hash('email', email)] : [], phones: phonesOf(body).map((phone) => keys.hash('phone', phone)) };
}

export function createRunOptions(config: Config, keys: KeyRing): RunOptions {
  const built = config.WORKER_BUILD_ID === undefined ? [buildAttribute] : [];
  const mark = keyAttribute(keys);

  /** Shares the task queue fairly among callers. The caller's name is hashed, because the engine stores this key in clear. */
  const fairnessOf = ({ caller = 'redrive' }: StartRequest) => keys.hash('fairness', caller, 13);

  /** Set on dry runs and calls as well, so that an erasure finds them. */
  function person(request: StartRequest, { site }: Terms, before?: NextAttempt): PersonHashes {
    const { emails, phones } = personHashes(keys, request.body);
    const patient = patientOf(request);
    return {
      emails: [...new Set([...(before?.emails ?? []), ...emails])],
      phones: [...new Set([...(before?.phones ?? []), ...phones])],
      patient: patient === undefined ? undefined : keys.hash('patient', String(patient)),
      site: site ?? hiddenSiteOf(request),
    };
  }

  /** The claim of a lead whose flow has the rule `ask`. A single step has none: it continues a lead. */
  function claimOf({ flow = '', name, body }: StartRequest): Pick<LeadInput, 'claim'> {
    const { rule, windowMs } = config.REPEATS?.[flow] ?? {};
    const person = emailOf(body) ?? phonesOf(body)[0];
    if (rule !== 'ask' || windowMs === undefined || person === undefined || routeOf(flow)[0] !== name) return {};
    const study = term(body, 'study') ?? term(body, 'protocol') ?? '';
    return { claim: { id: `claim-${keys.hash('claim', [flow, person, study].join('\0'), 20)}`, windowMs } };
  }

  function hiddenSiteOf({ body }: StartRequest): string | undefined {
    const own = term(body, 'site');
    return own === undefined ? undefined : hiddenSite(keys, sameSite(own));
  }

  function eventOrder({ callbackUrl }: StartRequest, { site, study: studyId, protocol }: Terms, reference?: Reference): EventOrder {
    const urls: Readonly<Record<Receiver, string | undefined>> = { webhook: config.EVENTS_WEBHOOK_URL, callback: callbackUrl };
    return {
      receivers: receivers.filter((receiver) => urls[receiver]),
      callbackUrl,
      terms: { site, studyId, protocol, reference: shownReference(reference) },
    };
  }

  return {
    optionsOf(request, { digest, nonce, lock }, { workflowId, leadId, reuse, repeatAfterS }, attempt) {
      const { body, prepared, binding, flow, dryRun, bulk, requestId } = request;
      const isLead = request.carried === 'lead' && !dryRun;
      const isPersonal = createPersonalTest(body);
      const terms = termsOf(request, isPersonal);
      const reference = isLead ? referenceOf(request, isPersonal, attempt) : undefined;
      // A redrive does not make its caller a sender of the lead.
      const senders = attempt ? attempt.senders : request.caller ? [request.caller] : undefined;
      const hasEvents = isLead && (config.EVENTS_WEBHOOK_URL ?? request.callbackUrl) !== undefined;
      const lead: LeadInput = {
        ...(!isLead && { leadId: '' }),
        ...(leadId && { leadId }),
        body,
        prepared,
        rules: rulesOf(config, flow),
        ...(dryRun && { dryRun }),
        ...(lock && { lock }),
        ...(isLead && !attempt && claimOf(request)),
        ...(attempt && { redriven: { by: attempt.by, reason: attempt.reason } }),
        ...(hasEvents && { events: eventOrder(request, terms, reference) }),
      };
      const memo: Memo = {
        digest,
        nonce,
        ...(reuse === 'REJECT_DUPLICATE' && { firstUnderId: true }),
        binding,
        ...(requestId && { requestId }),
        ...(isLead && senders && { senders }),
        ...(reference && { reference }),
        ...(attempt && { redrive: attemptMemo(attempt) }),
      };
      return {
        workflowId,
        taskQueue: config.TASK_QUEUE,
        args: [lead],
        // A single request starts without the task queue; bulk requests queue up with the lowest priority.
        ...(!bulk && { requestEagerStart: true }),
        priority: { fairnessKey: fairnessOf(request), ...(bulk && { priorityKey: lastPriority }) },
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: reuse,
        // After this time the engine reassigns the task of a dead worker.
        workflowTaskTimeout: '10s',
        memo: { lead: memo },
        typedSearchAttributes: [
          ...personAttributes(person(request, terms, attempt)),
          ...(isLead ? business(keys, request, terms, reference) : []),
          ...(isLead && repeatAfterS !== undefined ? [{ key: attributes.repeat, value: repeatAfterS }] : []),
          mark,
          ...built,
        ],
        staticSummary: summary(request),
      };
    },

    hashesOf(body) {
      const { emails, phones } = personHashes(keys, body);
      return [...emails, ...phones];
    },
  };
}

type PersonalTest = ReturnType<typeof createPersonalTest>;

interface Terms {
  readonly site?: string;
  readonly protocol?: string;
  readonly study?: string;
}

/** Returns the business terms of a lead, as they are stored and searched. Terms with personal data are left out. */
function termsOf({ body, prepared }: Pick<StartRequest, 'body' | 'prepared'>, isPersonal: PersonalTest): Terms {
  const [site, protocol, study] = [term(body, 'site'), term(body, 'protocol'), term(body, 'study')].map((value) =>
    value === undefined || isPersonal(value) ? undefined : searchable(value),
  );
  // A site from the configuration does not come from the caller, so it has no personal data.
  const known = prepared?.site ?? site;
  return { site: known && sameSite(known), protocol, study };
}

/** Returns the patient that a single step names. A whole flow gets its patient from the site system. */
function patientOf({ name, body }: StartRequest): number | undefined {
  if (name === 'getPatientStatuses') return patientIdOf(body.subjectID);
  return name.endsWith('SendComments') ? patientId(body) : undefined;
}

/** The key of a file's row is made from its content, so it is no reference. A later attempt keeps the reference of the first. */
function referenceOf(
  { idempotencyKey: key, importId }: StartRequest,
  isPersonal: PersonalTest,
  attempt?: NextAttempt,
): Reference | undefined {
  const own = attempt ? attempt.reference : key !== undefined && !importId ? { key } : undefined;
  return own && markedReference(own, isPersonal);
}

function business(
  keys: KeyRing,
  { flow, importId, caller }: StartRequest,
  { protocol, study }: Terms,
  reference?: Reference,
): SearchAttributePair[] {
  const sender = senderOf(keys, caller);
  const origin = importId ?? (reference && referenceHash(keys, reference.key));
  const terms = [
    [attributes.flow, flow],
    [attributes.state, 'running'],
    [attributes.protocol, protocol],
    [attributes.study, study],
  ] as const;
  return [
    ...terms.flatMap(([key, value]) => (value ? [{ key, value }] : [])),
    ...(origin ? [{ key: attributes.imports, value: [origin] }] : []),
    ...(sender === undefined ? [] : [{ key: attributes.sender, value: sender }]),
  ];
}

const attemptMemo = ({ orderId, orderDigest, by, reason, changed, receivedAt }: NextAttempt): AttemptMemo => {
  return { orderId, ...(orderDigest && { orderDigest }), ...(by && { by }), reason, changed, receivedAt };
};

/** The summary of the run in the Temporal UI, stored in clear: flow, study and site. */
function summary({ flow, body, name }: StartRequest): string {
  const [study, site] = [term(body, 'study'), term(body, 'site')];
  return [flow ?? name, study && `study ${searchable(study)}`, site && searchable(site)].filter(Boolean).join(' · ');
}

export function rulesOf(config: Config, flow?: string): Rules {
  const limited = limitedUpstreams(config.UPSTREAM_LIMITS ?? {});
  return {
    timeZone: config.CLINICSYS_TIMEZONE,
    leadTtlMs: config.LEAD_TTL_H * 3_600_000,
    keyTimeoutMs: config.TIMEOUT_MS['key-service'],
    timeoutMs: timeoutMs(config, flow),
    board: {
      timeoutMs: config.TIMEOUT_MS['task-board'],
      cloneMode: config.TASKBOARD_CLONE_MODE,
      cloneTimeoutMs: config.TASKBOARD_CLONE_TIMEOUT_MS,
      clonePollMs: config.TASKBOARD_CLONE_POLL_MS,
    },
    ...(limited.length > 0 && { limited }),
  };
}
