/**
 * Builds the options that start a run: its input, its memo, the attributes that it can be found by, and its priority. Also reads the rules
 * for a run (deadlines, lifetime, limits) from the settings.
 */
import type { WorkflowStartOptions } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { Config } from '../config/config';
import { timeoutMs } from '../config/upstreams';
import type { PersonHashes } from '../domain/locks';
import { patientId, patientIdOf } from '../domain/clinicsys';
import type { SandboxBinding } from '../domain/execution-context';
import { receivers, type EventOrder, type Receiver } from '../domain/events';
import type { Prepared } from '../domain/forward';
import type { JsonObject } from '../domain/lead';
import type { LeadInput, Rules } from '../domain/lead-input';
import type { AttemptMemo, Memo } from '../domain/memo';
import { limitedIn } from '../domain/limits';
import { emailOf, personalIn, phonesOf, sameSite, searchable, term } from '../domain/found-by';
import type { KeyRing } from '../keys/ring';
import { hiddenSite } from '../leads/site-term';
import { builtBy } from '../temporal/build';
import { attributes, keyMark, personAttributes } from '../temporal/engine';
import type { IdentifiedBy, Identity } from './identity';

export interface Request extends IdentifiedBy {
  readonly flow?: string;
  /** One of many, such as a row of a file: it goes to the end of the queue. */
  readonly bulk?: boolean;
  /** The import that the lead came with. */
  readonly importId?: string;
  readonly prepared?: Prepared;
  readonly binding: SandboxBinding;
  /** The X-Request-Id of the request. */
  readonly requestId?: string;
  /** Its X-Callback-URL: where the lead's events go, too. */
  readonly callbackUrl?: string;
}

/** The next attempt of a failed lead. It has the hashes of earlier attempts: a lead is still found by an e-mail that was mended. */
export interface NextAttempt extends AttemptMemo, PersonHashes, Pick<Memo, 'senders'> {
  readonly leadId: string;
  readonly attempt: number;
}

export type ReusePolicy = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

/** The id under which a run starts. */
export interface Place extends Pick<LeadInput, 'leadId'> {
  readonly workflowId: string;
  readonly reuse: ReusePolicy;
}

export interface RunOptions {
  optionsOf(asked: Request, identity: Identity, place: Place, attempt?: NextAttempt): Options;
  /** The person's keyed hashes. */
  hashesOf(body: JsonObject): string[];
}

type Options = WorkflowStartOptions & { readonly args: [LeadInput] };

/** The engine's default priority is 3; 5 comes last. */
const lastPriority = 5;

/** A caller as a number: the engine stores it in clear, so the name is hashed. Undefined for a caller without a name. */
export const senderOf = (keys: Pick<KeyRing, 'hash'>, caller = ''): number | undefined =>
  caller === '' ? undefined : Buffer.from(keys.hash('sender', caller, 6)).readUIntBE(0, 6);

export function personHashes(keys: KeyRing, body: JsonObject): PersonHashes {
  const email = emailOf(body);
  return { emails: email ? [keys.hash('email', email)] : [], phones: phonesOf(body).map((phone) => keys.hash('phone', phone)) };
}

export function createRunOptions(config: Config, keys: KeyRing): RunOptions {
  const built = config.WORKER_BUILD_ID === undefined ? [builtBy] : [];
  const mark = keyMark(keys);

  /** Callers take turns where runs queue up. The engine stores this key in clear, so a caller's name is hashed. */
  const fairnessOf = ({ caller = 'redrive' }: Request) => keys.hash('fairness', caller, 13);

  /** Set on dry runs and calls as well, so that an erasure finds them. */
  function person(asked: Request, { site }: Terms, before?: NextAttempt): PersonHashes {
    const { emails, phones } = personHashes(keys, asked.body);
    const patient = patientOf(asked);
    return {
      emails: [...new Set([...(before?.emails ?? []), ...emails])],
      phones: [...new Set([...(before?.phones ?? []), ...phones])],
      patient: patient === undefined ? undefined : keys.hash('patient', String(patient)),
      site: site ?? hiddenSiteOf(asked),
    };
  }

  function hiddenSiteOf({ body }: Request): string | undefined {
    const own = term(body, 'site');
    return own === undefined ? undefined : hiddenSite(keys, sameSite(own));
  }

  function eventOrder({ callbackUrl }: Request, { site, study: studyId, protocol }: Terms): EventOrder {
    const urls: Readonly<Record<Receiver, string | undefined>> = { webhook: config.EVENTS_WEBHOOK_URL, callback: callbackUrl };
    return { receivers: receivers.filter((receiver) => urls[receiver]), callbackUrl, terms: { site, studyId, protocol } };
  }

  return {
    optionsOf(asked, { digest, nonce, lock }, { workflowId, leadId, reuse }, attempt) {
      const { body, prepared, binding, flow, dryRun, bulk, requestId } = asked;
      const isLead = asked.carried === 'lead' && !dryRun;
      const terms = termsOf(asked);
      // Whoever redrives a lead has not sent it.
      const senders = attempt ? attempt.senders : asked.caller ? [asked.caller] : undefined;
      const hasEvents = isLead && (config.EVENTS_WEBHOOK_URL ?? asked.callbackUrl) !== undefined;
      const lead: LeadInput = {
        ...(!isLead && { leadId: '' }),
        ...(leadId && { leadId }),
        body,
        prepared,
        rules: rulesOf(config, flow),
        ...(dryRun && { dryRun }),
        ...(lock && { lock }),
        ...(attempt && { redriven: { by: attempt.by, reason: attempt.reason } }),
        ...(hasEvents && { events: eventOrder(asked, terms) }),
      };
      const memo: Memo = {
        digest,
        nonce,
        ...(reuse === 'REJECT_DUPLICATE' && { firstUnderId: true }),
        binding,
        ...(requestId && { requestId }),
        ...(isLead && senders && { senders }),
        ...(attempt && { redrive: attemptMemo(attempt) }),
      };
      return {
        workflowId,
        taskQueue: config.TASK_QUEUE,
        args: [lead],
        // A single request starts at once, past the queue; one of many waits at the queue's end.
        ...(!bulk && { requestEagerStart: true }),
        priority: { fairnessKey: fairnessOf(asked), ...(bulk && { priorityKey: lastPriority }) },
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: reuse,
        // After this time the engine gives the task of a dead worker to another one.
        workflowTaskTimeout: '10s',
        memo: { lead: memo },
        typedSearchAttributes: [
          ...personAttributes(person(asked, terms, attempt)),
          ...(isLead ? business(keys, asked, terms) : []),
          mark,
          ...built,
        ],
        staticSummary: summary(asked),
      };
    },

    hashesOf(body) {
      const { emails, phones } = personHashes(keys, body);
      return [...emails, ...phones];
    },
  };
}

interface Terms {
  readonly site?: string;
  readonly protocol?: string;
  readonly study?: string;
}

/** The business terms of a lead, as they are stored and searched. A term with personal data is left out. */
function termsOf({ body, prepared }: Pick<Request, 'body' | 'prepared'>): Terms {
  const isPersonal = personalIn(body);
  const [site, protocol, study] = [term(body, 'site'), term(body, 'protocol'), term(body, 'study')].map((value) =>
    value === undefined || isPersonal(value) ? undefined : searchable(value),
  );
  // A site of the site configuration is no caller's word.
  const known = prepared?.site ?? site;
  return { site: known && sameSite(known), protocol, study };
}

/** The patient whom a step names. A whole flow learns its patient from the site system. */
function patientOf({ name, body }: Request): number | undefined {
  if (name === 'getPatientStatuses') return patientIdOf(body.subjectID);
  return name.endsWith('SendComments') ? patientId(body) : undefined;
}

function business(keys: KeyRing, { flow, importId, caller }: Request, { protocol, study }: Terms): SearchAttributePair[] {
  const sender = senderOf(keys, caller);
  const terms = [
    [attributes.flow, flow],
    [attributes.state, 'running'],
    [attributes.protocol, protocol],
    [attributes.study, study],
  ] as const;
  return [
    ...terms.flatMap(([key, value]) => (value ? [{ key, value }] : [])),
    ...(importId ? [{ key: attributes.imports, value: [importId] }] : []),
    ...(sender === undefined ? [] : [{ key: attributes.sender, value: sender }]),
  ];
}

const attemptMemo = ({ orderId, orderDigest, by, reason, changed, receivedAt }: NextAttempt): AttemptMemo => {
  return { orderId, ...(orderDigest && { orderDigest }), ...(by && { by }), reason, changed, receivedAt };
};

/** One line that the Temporal UI shows in clear with the run: flow, study and site. */
function summary({ flow, body, name }: Request): string {
  const [study, site] = [term(body, 'study'), term(body, 'site')];
  return [flow ?? name, study && `study ${searchable(study)}`, site && searchable(site)].filter(Boolean).join(' · ');
}

export function rulesOf(config: Config, flow?: string): Rules {
  const limited = limitedIn(config.UPSTREAM_LIMITS ?? {});
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
    // Absent without limits: the input of such a run does not mention them.
    ...(limited.length > 0 && { limited }),
  };
}
