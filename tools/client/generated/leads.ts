/** Written by `npm run reference` from src/contract. */
import type { Calls, None } from '../types.ts';

export type CountLeadsByDayInput = {
  /** count only leads of this flow */
  flow?: 'recruit' | 'leadforms' | 'leadforms-sandbox' | 'screening' | 'with-prescreen' | 'no-prescreen' | null;
  /** number of days including today, 1 to 30; at most as many as the engine retains closed runs */
  days?: number | string | null;
};

export type CountLeadsByDayOutput = {
  success: true;
  /** oldest first, with zeros for days without leads */
  days: readonly {
    /** the date, in UTC */
    day: string;
    /** the number of leads received */
    leads: number;
    delivered: number;
    skipped: number;
    failed: number;
    parked: number;
    discarded: number;
    /** running, waiting or verifying */
    open: number;
  }[];
};

export type CountLeadsInput = {
  /** only leads of this flow, such as no-prescreen or recruit */
  flow?: string | null;
  /** only leads that wait, are parked or failed with this error code */
  code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'POSSIBLE_REPEAT' | 'RUN_ENDED' | null;
  /** only leads that wait, are parked or failed because of this upstream */
  upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
  /** only leads with this e-mail, in any case */
  email?: string | null;
  /** only leads with this phone, in any punctuation */
  phone?: string | null;
  /** only the lead that was sent with this Idempotency-Key; each caller may have one */
  reference?: string | number | null;
  /** only the lead with this id in the upstream */
  patientId?: string | number | null;
  /** only leads of this site, by name or slug */
  site?: string | null;
  /** only leads of this instance of the site system */
  instanceName?: string | null;
  /** only leads of this protocol */
  protocol?: string | null;
  /** only leads of this study */
  studyId?: string | number | null;
  /** true: only leads that were open in the restored backup */
  restored?: 'true' | null;
  /** only leads of this import */
  importId?: string | null;
  /** only leads that were sent twice: they came again within this time, such as 10m or 24h, after the end of a lead with the same body and without an Idempotency-Key, which had not failed or been discarded */
  repeatedWithin?: string | null;
  /** only leads that were received or redriven at this time or later, ISO 8601 */
  since?: string | null;
  /** only leads that were received or redriven at this time or earlier, ISO 8601 */
  until?: string | null;
  /** true: also count by state, error code and upstream */
  groups?: 'true' | 'false' | null;
};

export type CountLeadsOutput = {
  success: true;
  counts: Readonly<Record<'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded', number>>;
  /** the leads that wait, are parked or failed, by error code and upstream, largest group first; without a code, they wait for another lead of the same person */
  groups?: readonly {
    state: 'waiting' | 'verifying' | 'parked' | 'failed';
    code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'POSSIBLE_REPEAT' | 'RUN_ENDED';
    /** the upstream that returned the error */
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    count: number;
  }[];
  /** with groups=true: runs of any kind whose workflow tasks keep failing or timing out; absent if there are none, or if the engine does not report them */
  stuckRuns?: {
    count: number;
    /** their list in the Temporal UI, if the address of the UI is known */
    temporalUrl?: string;
  };
};

export type ListLeadsInput = {
  /** only leads in this state */
  state?: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded' | null;
  /** only leads of this flow, such as no-prescreen or recruit */
  flow?: string | null;
  /** only leads that wait, are parked or failed with this error code */
  code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'POSSIBLE_REPEAT' | 'RUN_ENDED' | null;
  /** only leads that wait, are parked or failed because of this upstream */
  upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
  /** only leads with this e-mail, in any case */
  email?: string | null;
  /** only leads with this phone, in any punctuation */
  phone?: string | null;
  /** only the lead that was sent with this Idempotency-Key; each caller may have one */
  reference?: string | number | null;
  /** only the lead with this id in the upstream */
  patientId?: string | number | null;
  /** only leads of this site, by name or slug */
  site?: string | null;
  /** only leads of this instance of the site system */
  instanceName?: string | null;
  /** only leads of this protocol */
  protocol?: string | null;
  /** only leads of this study */
  studyId?: string | number | null;
  /** true: only leads that were open in the restored backup */
  restored?: 'true' | null;
  /** only leads of this import */
  importId?: string | null;
  /** only leads that were sent twice: they came again within this time, such as 10m or 24h, after the end of a lead with the same body and without an Idempotency-Key, which had not failed or been discarded */
  repeatedWithin?: string | null;
  /** only leads that were received or redriven at this time or later, ISO 8601 */
  since?: string | null;
  /** only leads that were received or redriven at this time or earlier, ISO 8601 */
  until?: string | null;
  /** only leads that were received or changed at this time or later, ISO 8601 */
  changedSince?: string | null;
  /** leads per page, 1 to 200; default 50 */
  limit?: number | string | null;
  /** nextCursor of the previous page */
  cursor?: string | null;
};

export type ListLeadsOutput = {
  success: true;
  count: number;
  leads: readonly {
    leadId: string;
    flow: string;
    state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
    step?: string;
    /** the Idempotency-Key that the lead was sent with, masked if it contains personal data; rows of a file have none */
    reference?: string;
    createdAt: string;
    updatedAt: string;
    /** the time of the restored backup in which the lead was open: the lead may have been sent after the backup */
    restored?: string;
    /** why the lead waits, is parked or failed */
    code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'POSSIBLE_REPEAT' | 'RUN_ENDED';
    /** the upstream that returned the error */
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    site?: string;
    studyId?: string;
    protocol?: string;
  }[];
  nextCursor?: string;
};

export type GetLeadInput = {
  /** the id of the lead, as an answer returned it */
  leadId: string;
  /** seconds to wait for the end of the lead, at most 60 */
  wait?: number | string | null;
  /** false: always mask the result. Otherwise the key that sent the lead and operators get it in clear, and the audit trail records the read */
  clear?: 'true' | 'false' | null;
};

export type GetLeadOutput = {
  leadId: string;
  flow: string;
  state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
  step?: string;
  /** the Idempotency-Key that the lead was sent with, masked if it contains personal data; rows of a file have none */
  reference?: string;
  createdAt: string;
  updatedAt: string;
  /** the time of the restored backup in which the lead was open: the lead may have been sent after the backup */
  restored?: string;
  /** true: the lead was read; only `state` says what became of it */
  success: true;
  /** true: the result is masked. Only the key that sent the lead and operators get it in clear, unless they ask for clear=false */
  masked?: true;
  /** what an open lead waits for; absent if it waits for nothing */
  waitsFor?: {
    what: 'retry' | 'hold' | 'pause' | 'person-lock' | 'look-up' | 'decision';
    words: string;
    /** for a hold: when the next waiting lead is sent */
    nextTryAt?: string;
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    instance?: string;
  };
  steps: readonly {
    name: string;
    state: string;
    startedAt?: string;
    endedAt?: string;
    attempts: number;
    error?: {
      code: string;
      message: string;
      /** the upstream that returned the error */
      upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    };
  }[];
  /** oldest first */
  attempts: readonly {
    /** 1 for the original request; each redrive adds 1 */
    attempt: number;
    startedAt: string;
    endedAt?: string;
    state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
    /** the operator who decided: the name of their key, or person: and their name */
    by?: string;
    /** the reason for the redrive */
    reason?: string;
    /** names of the corrected fields */
    changed?: readonly string[];
    error?: {
      code: string;
      message: string;
      /** the upstream that returned the error */
      upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    };
    /** its run in the Temporal UI, if the address of the UI is known */
    temporalUrl?: string;
  }[];
  /** true: the sandbox stood in for an upstream */
  sandbox?: true;
  /** the success body of the lead's route, without the access key of the site system */
  result?: {
    [name: string]: unknown;
  };
};

export type GetExchangesInput = {
  /** the id of the lead, as an answer returned it */
  leadId: string;
  /** true: in clear; the audit trail records the read */
  clear?: 'true' | 'false' | null;
  /** number of the attempt; default: the newest */
  attempt?: number | string | null;
};

export type GetExchangesOutput = {
  success: true;
  leadId: string;
  flow: string;
  attempt: number;
  /** the steps of this attempt */
  steps: readonly {
    name: string;
    state: string;
    startedAt?: string;
    endedAt?: string;
    attempts: number;
    error?: {
      code: string;
      message: string;
      /** the upstream that returned the error */
      upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    };
  }[];
  clear: boolean;
  lead: {
    [name: string]: unknown;
  };
  /** the fields that the redrive changed, with their values in the previous attempt and in this one */
  mended?: readonly {
    field: string;
    /** the value in the previous attempt; absent if there was none */
    before?: unknown;
    /** the value in this attempt; absent if it was removed */
    after?: unknown;
  }[];
  exchanges: readonly {
    call: string;
    step?: string;
    /** its event in the Temporal UI, if the address of the UI is known */
    temporalUrl?: string;
    startedAt?: string;
    endedAt?: string;
    /** the HTTP status of the answer; absent if there was no answer, or nothing was sent */
    status?: number;
    request?: unknown;
    /** the body of the answer; absent if it was not stored */
    answer?: unknown;
    /** the text of an answer that was not understood, without secrets */
    rawAnswer?: {
      contentType?: string;
      /** the bytes that were read */
      bytes: number;
      /** true: only the first 64 KB of the text are kept */
      isCut?: true;
      /** only in clear */
      text?: string;
    };
    error?: {
      code: string;
      message: string;
      status?: number;
    };
    fields?: readonly string[];
  }[];
  /** the decisions of operators, with their reasons: resend, confirm, discard, try, and the redrive that started this attempt */
  decisions: readonly {
    at: string;
    verb: string;
    reason: string;
    upstreamId?: string;
    /** the operator who decided: the name of their key, or person: and their name */
    by?: string;
  }[];
};

export type GetEventsInput = {
  /** the id of the lead, as an answer returned it */
  leadId: string;
};

export type GetEventsOutput = {
  success: true;
  leadId: string;
  /** oldest first */
  events: readonly {
    /** the id of the event, sent as webhook-id */
    id: string;
    type: 'lead.accepted' | 'lead.delivered' | 'lead.skipped' | 'lead.parked' | 'lead.failed' | 'lead.discarded' | 'lead.redriven';
    timestamp: string;
    attempt: number;
    deliveries: readonly {
      /** webhook: EVENTS_WEBHOOK_URL; callback: the X-Callback-URL of the request */
      receiver: 'webhook' | 'callback';
      state: 'waiting' | 'told' | 'given-up';
      tries: number;
      /** the result of the last try */
      answer?: string;
      endedAt?: string;
    }[];
  }[];
};

export type SendEventsAgainInput = GetEventsInput;

export type SendEventsAgainOutput = {
  success: true;
  leadId: string;
  count: number;
};

export type SendEventAgainInput = {
  /** the id of the lead, as an answer returned it */
  leadId: string;
  /** the id of the event, as a list returned it */
  eventId: string;
  /** only to this receiver; default: to each */
  receiver?: 'webhook' | 'callback' | null;
};

export type SendEventAgainOutput = {
  success: true;
  leadId: string;
  eventId: string;
};

export type ResendLeadInput = {
  /** the id of the lead, as an answer returned it */
  leadId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
  /** accepted and ignored: only confirm uses it */
  upstreamId?: string | number | null;
};

export type ResendLeadOutput = {
  success: true;
  leadId: string;
  state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
};

export type ConfirmLeadInput = {
  /** the id of the lead, as an answer returned it */
  leadId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
  /** the id of the lead in the upstream, such as its PatientID; for a comment only the PatientID in rtResponse */
  upstreamId: string | number;
};

export type ConfirmLeadOutput = ResendLeadOutput;

export type DiscardLeadInput = ResendLeadInput;

export type DiscardLeadOutput = ResendLeadOutput;

export type TryLeadInput = {
  /** the id of the lead, as an answer returned it */
  leadId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
};

export type TryLeadOutput = ResendLeadOutput;

export type RedriveLeadInput = {
  /** the id of the lead, as an answer returned it */
  leadId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
  /** corrected input fields, named as in the lead's route; required for a waiting lead */
  fields?: Readonly<Record<string, unknown>> | null;
  /** true: confirms that a lead whose run was ended outside of Leadgate (RUN_ENDED) is not in the upstream */
  notThere?: boolean | null;
};

export type RedriveLeadOutput = ResendLeadOutput;

export type ExportLeadsInput = {
  /** return only leads in this state */
  state?: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded' | null;
  /** only leads of this flow, such as no-prescreen or recruit */
  flow?: string | null;
  /** only leads that wait, are parked or failed with this error code */
  code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'POSSIBLE_REPEAT' | 'RUN_ENDED' | null;
  /** only leads that wait, are parked or failed because of this upstream */
  upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
  /** only leads with this e-mail, in any case */
  email?: string | null;
  /** only leads with this phone, in any punctuation */
  phone?: string | null;
  /** only the lead that was sent with this Idempotency-Key; each caller may have one */
  reference?: string | number | null;
  /** only the lead with this id in the upstream */
  patientId?: string | number | null;
  /** only leads of this site, by name or slug */
  site?: string | null;
  /** only leads of this instance of the site system */
  instanceName?: string | null;
  /** only leads of this protocol */
  protocol?: string | null;
  /** only leads of this study */
  studyId?: string | number | null;
  /** true: only leads that were open in the restored backup */
  restored?: 'true' | null;
  /** only leads of this import */
  importId?: string | null;
  /** only leads that were sent twice: they came again within this time, such as 10m or 24h, after the end of a lead with the same body and without an Idempotency-Key, which had not failed or been discarded */
  repeatedWithin?: string | null;
  /** only leads that were received or redriven at this time or later, ISO 8601 */
  since?: string | null;
  /** only leads that were received or redriven at this time or earlier, ISO 8601 */
  until?: string | null;
  /** true: include name, e-mail and phone; the audit trail records the export */
  clear?: 'true' | 'false' | null;
};

export type ImportLeadsInput = {
  /** the flow of every row; its fields are the column names */
  flow: 'recruit' | 'leadforms' | 'leadforms-sandbox' | 'screening' | 'with-prescreen' | 'no-prescreen';
  /** true: only validate and report; nothing is sent */
  check?: 'true' | 'false' | null;
  /** true: send the valid rows even if others are invalid; otherwise an invalid row stops the whole file */
  skipBad?: 'true' | 'false' | null;
  /** true: ignore columns that are not fields of the flow; otherwise such a column stops the whole file */
  dropUnknown?: 'true' | 'false' | null;
  /** maximum number of leads per second */
  ratePerS?: number | string | null;
};

export type ImportLeadsOutput = {
  /** rows with a value */
  rows: number;
  /** valid rows, which are sent unless check is true */
  good: number;
  /** invalid rows */
  badRows: number;
  /** rows with the same lead as another row */
  duplicateRows: number;
  /** rows with a leadId, which were already sent */
  knownRows: number;
  /** the first 1,000 problems, at most 20 per row */
  bad: readonly {
    /** the line of the file on which the row starts */
    line: number;
    /** the column; empty if the row as a whole is invalid */
    field: string;
    /** what is expected */
    message: string;
  }[];
  /** the first 1,000 rows with the same lead as another row */
  duplicates: readonly {
    /** the line of the file on which the row starts */
    line: number;
    /** the line of the row that is sent for this lead */
    of: number;
  }[];
  /** columns that are not fields of the flow */
  unknownColumns: readonly {
    /** the number of the column, from 1 */
    column: number;
    /** its name in the first row */
    name: string;
    /** a field of the flow with a similar name */
    like?: string;
  }[];
  success: true;
  /** true: the whole file can be sent */
  right: boolean;
};

export type ImportLeadsLine = {
  kind: 'begin';
  /** use it as the filter importId to find the leads of this import */
  importId: string;
  /** the flow of the rows */
  flow: string;
  /** true: the sandbox stands in for an upstream that is not configured */
  sandbox?: true;
  /** rows with a value */
  rows: number;
  /** valid rows, which are sent unless check is true */
  good: number;
  /** invalid rows */
  badRows: number;
  /** rows with the same lead as another row */
  duplicateRows: number;
  /** rows with a leadId, which were already sent */
  knownRows: number;
} | {
  kind: 'row';
  /** the line of the file on which the row starts */
  line: number;
  /** the state of the lead; or bad, duplicate, not-sent (no capacity, or the engine did not answer), unknown (it may have been accepted) */
  state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded' | 'bad' | 'duplicate' | 'not-sent' | 'unknown';
  /** the HTTP status that the row would have as a single request */
  status?: number;
  /** the id of the lead */
  leadId?: string;
  /** true: the row was sent before; the line has the current state of its lead */
  replayed?: true;
  /** true: the sandbox stood in for an upstream */
  sandbox?: true;
  /** the line of the row with the same lead, which is sent or was sent before */
  duplicateOf?: number;
  /** the error code */
  code?: string;
  /** a message for a person, without values of the row */
  message?: string;
} | {
  kind: 'end';
  /** true: every valid row was accepted; if false, send the same file again */
  complete: boolean;
  /** valid rows that were accepted, including those that were sent before */
  begun: number;
  /** leads that this import started */
  started: number;
  /** why not every row was accepted */
  message?: string;
};

export type StartRedriveInput = {
  /** selects failed or waiting leads; empty for every failed lead */
  filter: {
    /** only leads of this flow, such as no-prescreen or recruit */
    flow?: string | null;
    /** only leads that wait, are parked or failed with this error code */
    code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'POSSIBLE_REPEAT' | 'RUN_ENDED' | null;
    /** only leads that wait, are parked or failed because of this upstream */
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
    /** only leads with this e-mail, in any case */
    email?: string | null;
    /** only leads with this phone, in any punctuation */
    phone?: string | null;
    /** only the lead that was sent with this Idempotency-Key; each caller may have one */
    reference?: string | number | null;
    /** only the lead with this id in the upstream */
    patientId?: string | number | null;
    /** only leads of this site, by name or slug */
    site?: string | null;
    /** only leads of this instance of the site system */
    instanceName?: string | null;
    /** only leads of this protocol */
    protocol?: string | null;
    /** only leads of this study */
    studyId?: string | number | null;
    /** true: only leads that were open in the restored backup */
    restored?: 'true' | null;
    /** only leads of this import */
    importId?: string | null;
    /** only leads that were sent twice: they came again within this time, such as 10m or 24h, after the end of a lead with the same body and without an Idempotency-Key, which had not failed or been discarded */
    repeatedWithin?: string | null;
    /** only leads that were received or redriven at this time or later, ISO 8601 */
    since?: string | null;
    /** only leads that were received or redriven at this time or earlier, ISO 8601 */
    until?: string | null;
    /** the state of the leads; default: failed */
    state?: 'failed' | 'waiting' | null;
    /** limits the filter to these leads */
    leadIds?: readonly string[];
  };
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
  /** corrected input fields for all of them, named as in the leads' routes; required for waiting leads */
  fields?: Readonly<Record<string, unknown>> | null;
  /** true: confirms that a lead whose run was ended outside of Leadgate (RUN_ENDED) is not in the upstream */
  notThere?: boolean | null;
  /** maximum number of leads per second */
  ratePerS?: number | string | null;
  /** the number of leads that the filter matches, from the answer to a request without count */
  count?: number | string | null;
};

export type StartRedriveOutput = {
  success: true;
  count: number;
  sample: readonly string[];
  message: string;
} | {
  success: true;
  redriveId: string;
  state: 'running' | 'stopped' | 'done';
  count: number;
  statusUrl: string;
};

export type ListRedrivesOutput = {
  success: true;
  count: number;
  redrives: readonly {
    state: 'running' | 'stopped' | 'done';
    count: number;
    done?: number;
    ratePerS: number;
    startedAt: string;
    endedAt?: string;
    /** the name of the key that gave the order */
    by?: string;
    reason: string;
    redriveId: string;
    failedToStart?: number;
  }[];
};

export type GetRedriveInput = {
  /** the id that the start of the redrive returned */
  redriveId: string;
  /** return only results with this outcome */
  outcome?: 'started' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown' | null;
  /** results per page, 1 to 500; default 100 */
  limit?: number | string | null;
  /** nextCursor of the previous page */
  cursor?: number | string | null;
};

export type GetRedriveOutput = {
  state: 'running' | 'stopped' | 'done';
  count: number;
  done: number;
  ratePerS: number;
  startedAt: string;
  endedAt?: string;
  /** the name of the key that gave the order */
  by?: string;
  reason: string;
  redriveId: string;
  failedToStart: number;
  success: true;
  remaining: number;
  /** the number of leads for each outcome and reason, most frequent first */
  reasons: readonly {
    outcome: 'started' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown';
    code?: string;
    message?: string;
    count: number;
  }[];
  results: readonly {
    leadId: string;
    outcome: 'started' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown';
    code?: string;
    message?: string;
    state?: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
  }[];
  nextCursor?: string;
};

export type StopRedriveInput = {
  /** the id that the start of the redrive returned */
  redriveId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
};

export type StopRedriveOutput = {
  success: true;
  redriveId: string;
  state: 'running' | 'stopped' | 'done';
};

export type StartDecisionInput = {
  /** selects parked or waiting leads; empty for every parked lead */
  filter: {
    /** only leads of this flow, such as no-prescreen or recruit */
    flow?: string | null;
    /** only leads that wait, are parked or failed with this error code */
    code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'POSSIBLE_REPEAT' | 'RUN_ENDED' | null;
    /** only leads that wait, are parked or failed because of this upstream */
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
    /** only leads with this e-mail, in any case */
    email?: string | null;
    /** only leads with this phone, in any punctuation */
    phone?: string | null;
    /** only the lead that was sent with this Idempotency-Key; each caller may have one */
    reference?: string | number | null;
    /** only the lead with this id in the upstream */
    patientId?: string | number | null;
    /** only leads of this site, by name or slug */
    site?: string | null;
    /** only leads of this instance of the site system */
    instanceName?: string | null;
    /** only leads of this protocol */
    protocol?: string | null;
    /** only leads of this study */
    studyId?: string | number | null;
    /** true: only leads that were open in the restored backup */
    restored?: 'true' | null;
    /** only leads of this import */
    importId?: string | null;
    /** only leads that were sent twice: they came again within this time, such as 10m or 24h, after the end of a lead with the same body and without an Idempotency-Key, which had not failed or been discarded */
    repeatedWithin?: string | null;
    /** only leads that were received or redriven at this time or later, ISO 8601 */
    since?: string | null;
    /** only leads that were received or redriven at this time or earlier, ISO 8601 */
    until?: string | null;
    /** the state of the leads; default: parked */
    state?: 'parked' | 'waiting' | null;
    /** limits the filter to these leads */
    leadIds?: readonly string[];
  };
  /** resend: send the parked step again, only for parked leads; discard: end the lead, which is not sent again */
  verb: 'resend' | 'discard';
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
  /** maximum number of leads per second */
  ratePerS?: number | string | null;
  /** the number of leads that the filter matches, from the answer to a request without count */
  count?: number | string | null;
};

export type StartDecisionOutput = {
  success: true;
  count: number;
  sample: readonly string[];
  message: string;
} | {
  success: true;
  decisionId: string;
  state: 'running' | 'stopped' | 'done';
  count: number;
  statusUrl: string;
};

export type ListDecisionsOutput = {
  success: true;
  count: number;
  decisions: readonly {
    state: 'running' | 'stopped' | 'done';
    count: number;
    done?: number;
    ratePerS: number;
    startedAt: string;
    endedAt?: string;
    /** the name of the key that gave the order */
    by?: string;
    reason: string;
    decisionId: string;
    /** apply: the proposals of a reconciliation */
    verb: 'resend' | 'discard' | 'apply';
    notDecided?: number;
  }[];
};

export type GetDecisionInput = {
  /** the id that the start of the decision returned */
  decisionId: string;
  /** return only results with this outcome */
  outcome?: 'decided' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown' | null;
  /** results per page, 1 to 500; default 100 */
  limit?: number | string | null;
  /** nextCursor of the previous page */
  cursor?: number | string | null;
};

export type GetDecisionOutput = {
  state: 'running' | 'stopped' | 'done';
  count: number;
  done: number;
  ratePerS: number;
  startedAt: string;
  endedAt?: string;
  /** the name of the key that gave the order */
  by?: string;
  reason: string;
  decisionId: string;
  /** apply: the proposals of a reconciliation */
  verb: 'resend' | 'discard' | 'apply';
  notDecided: number;
  success: true;
  remaining: number;
  /** the number of leads for each outcome and reason, most frequent first */
  reasons: readonly {
    outcome: 'decided' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown';
    code?: string;
    message?: string;
    count: number;
  }[];
  results: readonly {
    leadId: string;
    outcome: 'decided' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown';
    code?: string;
    message?: string;
    state?: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
  }[];
  nextCursor?: string;
};

export type StopDecisionInput = {
  /** the id that the start of the decision returned */
  decisionId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
};

export type StopDecisionOutput = {
  success: true;
  decisionId: string;
  state: 'running' | 'stopped' | 'done';
};

export type StartReconciliationInput = {
  /** compare leads that were received or redriven at this time or later, ISO 8601 */
  since: string;
  /** compare leads that were received or redriven at this time or earlier, ISO 8601; default: now */
  until?: string | null;
  /** compare only leads of these flows; default: all flows */
  flows?: readonly ('recruit' | 'leadforms' | 'leadforms-sandbox' | 'screening' | 'with-prescreen' | 'no-prescreen')[];
  /** true: only count the leads */
  dryRun?: boolean | null;
};

export type StartReconciliationOutput = {
  success: true;
  dryRun: true;
  count: number;
  message: string;
} | {
  success: true;
  reconciliationId: string;
  state: 'running' | 'stopped' | 'done';
  statusUrl: string;
};

export type ListReconciliationsOutput = {
  success: true;
  count: number;
  reconciliations: readonly {
    reconciliationId: string;
    state: 'running' | 'stopped' | 'done';
    since?: string;
    until?: string;
    flows?: readonly string[];
    startedAt: string;
    endedAt?: string;
    /** the number of leads; absent until they are listed */
    count?: number;
    done?: number;
    counts?: {
      missing: number;
      twice: number;
      'unknown-here': number;
      'not-comparable': number;
      matched: number;
    };
    /** the name of the key that started it; absent if it was scheduled */
    by?: string;
  }[];
};

export type GetReconciliationInput = {
  /** the id that the start of the reconciliation returned */
  reconciliationId: string;
  /** return only these findings */
  finding?: 'missing' | 'twice' | 'unknown-here' | 'not-comparable' | 'matched' | null;
  /** true: return only findings with a proposal */
  proposed?: 'true' | null;
  /** findings per page, 1 to 500; default 100 */
  limit?: number | string | null;
  /** nextCursor of the previous page */
  cursor?: number | string | null;
};

export type GetReconciliationOutput = {
  reconciliationId: string;
  state: 'running' | 'stopped' | 'done';
  since?: string;
  until?: string;
  flows?: readonly string[];
  startedAt: string;
  endedAt?: string;
  /** the number of leads; absent until they are listed */
  count: number;
  done: number;
  counts: {
    missing: number;
    twice: number;
    'unknown-here': number;
    'not-comparable': number;
    matched: number;
  };
  /** the name of the key that started it; absent if it was scheduled */
  by?: string;
  success: true;
  remaining: number;
  /** leads of the window beyond the most that a reconciliation compares */
  leftOut: number;
  /** findings with a proposal; apply takes this as its count */
  proposals: number;
  /** the decision that carries out the proposals, once somebody has applied them */
  decisionId?: string;
  /** why the site system does not answer at the moment */
  waitsFor?: string;
  findings: readonly {
    leadId: string;
    flow?: string;
    /** the state of the lead when it was compared */
    state?: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
    finding: 'missing' | 'twice' | 'unknown-here' | 'not-comparable' | 'matched';
    why?: string;
    /** the upstream's id of the person */
    upstreamId?: string;
    /** for a parked lead: what apply does with it */
    proposal?: 'confirm' | 'resend';
  }[];
  nextCursor?: string;
};

export type StopReconciliationInput = {
  /** the id that the start of the reconciliation returned */
  reconciliationId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
};

export type StopReconciliationOutput = {
  success: true;
  reconciliationId: string;
  state: 'running' | 'stopped' | 'done';
};

export type ApplyReconciliationInput = {
  /** the id that the start of the reconciliation returned */
  reconciliationId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
  /** the number of leads that the filter matches, from the answer to a request without count */
  count?: number | string | null;
};

export type ApplyReconciliationOutput = StartDecisionOutput;

export type ListDeliveriesInput = {
  /** only deliveries in this state */
  state?: 'waiting' | 'told' | 'given-up' | null;
  /** only events of this type */
  type?: 'lead.accepted' | 'lead.delivered' | 'lead.skipped' | 'lead.parked' | 'lead.failed' | 'lead.discarded' | 'lead.redriven' | null;
  /** only deliveries to this receiver */
  receiver?: 'webhook' | 'callback' | null;
  /** only events of this time or later, ISO 8601 */
  since?: string | null;
  /** only events of this time or earlier, ISO 8601 */
  until?: string | null;
  /** only events of this lead */
  leadId?: string | null;
  /** deliveries per page, 1 to 200; default 50. A page may have fewer, and still a nextCursor */
  limit?: number | string | null;
  /** nextCursor of the previous page */
  cursor?: string | null;
};

export type ListDeliveriesOutput = {
  success: true;
  count: number;
  deliveries: readonly {
    /** webhook: EVENTS_WEBHOOK_URL; callback: the X-Callback-URL of the request */
    receiver: 'webhook' | 'callback';
    state: 'waiting' | 'told' | 'given-up';
    tries: number;
    /** the result of the last try */
    answer?: string;
    endedAt?: string;
    /** the id of the event, sent as webhook-id */
    eventId: string;
    type: 'lead.accepted' | 'lead.delivered' | 'lead.skipped' | 'lead.parked' | 'lead.failed' | 'lead.discarded' | 'lead.redriven';
    timestamp: string;
    leadId: string;
    attempt: number;
  }[];
  nextCursor?: string;
};

export type StartResendInput = {
  /** selects deliveries that were given up; empty for all */
  filter: {
    /** only events of this type */
    type?: 'lead.accepted' | 'lead.delivered' | 'lead.skipped' | 'lead.parked' | 'lead.failed' | 'lead.discarded' | 'lead.redriven' | null;
    /** only deliveries to this receiver */
    receiver?: 'webhook' | 'callback' | null;
    /** only events of this time or later, ISO 8601 */
    since?: string | null;
    /** only events of this time or earlier, ISO 8601 */
    until?: string | null;
    state?: 'given-up' | null;
  };
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
  /** maximum number of leads per second */
  ratePerS?: number | string | null;
  /** the number of leads that the filter matches, from the answer to a request without count */
  count?: number | string | null;
};

export type StartResendOutput = {
  success: true;
  count: number;
  sample: readonly string[];
  message: string;
} | {
  success: true;
  resendId: string;
  state: 'running' | 'stopped' | 'done';
  count: number;
  statusUrl: string;
};

export type ListResendsOutput = {
  success: true;
  count: number;
  resends: readonly {
    state: 'running' | 'stopped' | 'done';
    count: number;
    done?: number;
    ratePerS: number;
    startedAt: string;
    endedAt?: string;
    /** the name of the key that gave the order */
    by?: string;
    reason: string;
    resendId: string;
    notResent?: number;
  }[];
};

export type GetResendInput = {
  /** the id that the start of the resend returned */
  resendId: string;
  /** return only results with this outcome */
  outcome?: 'resent' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown' | null;
  /** results per page, 1 to 500; default 100 */
  limit?: number | string | null;
  /** nextCursor of the previous page */
  cursor?: number | string | null;
};

export type GetResendOutput = {
  state: 'running' | 'stopped' | 'done';
  count: number;
  done: number;
  ratePerS: number;
  startedAt: string;
  endedAt?: string;
  /** the name of the key that gave the order */
  by?: string;
  reason: string;
  resendId: string;
  notResent: number;
  success: true;
  remaining: number;
  /** the number of leads for each outcome and reason, most frequent first */
  reasons: readonly {
    outcome: 'resent' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown';
    code?: string;
    message?: string;
    count: number;
  }[];
  results: readonly {
    leadId: string;
    outcome: 'resent' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown';
    code?: string;
    message?: string;
    state?: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
  }[];
  nextCursor?: string;
};

export type StopResendInput = {
  /** the id that the start of the resend returned */
  resendId: string;
  /** the reason, as free text; stored encrypted, with the run and with the audit trail */
  reason: string;
};

export type StopResendOutput = {
  success: true;
  resendId: string;
  state: 'running' | 'stopped' | 'done';
};

export type GetTrafficOutput = {
  success: true;
  since: string;
  minutes: readonly {
    at: string;
    done: number;
    accepted: number;
    refused: number;
    failed: number;
    p50Ms?: number;
    p95Ms?: number;
  }[];
};

export type ListUpstreamsOutput = {
  success: true;
  count: number;
  upstreams: readonly {
    upstream: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | 'task-board';
    /** the part that is held or paused separately: account and instance, an environment, a variant */
    instance?: string;
    /** held: its leads wait; probing: one lead is being tried; draining: it answers again, and the waiting leads are sent; paused: its leads wait until an operator resumes it */
    state: 'open' | 'held' | 'probing' | 'draining' | 'paused';
    since?: string;
    /** the operator who paused it: the name of their key, or person: and their name */
    by?: string;
    /** the reason for the pause */
    reason?: string;
    /** consecutive failures; absent if no worker answers */
    failures?: number;
    /** waiting leads; absent if no worker answers */
    waiting?: number;
    nextProbeAt?: string;
    lastError?: string;
    /** the lead that failed last, of a held upstream */
    leadId?: string;
    /** true: the sandbox stands in for all of its addresses */
    sandbox?: true;
  }[];
  /** the pauses and resumes of the last 30 days, newest first: at most 20 */
  changes: readonly {
    at: string;
    verb: 'pause' | 'resume';
    upstream: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    /** absent for the whole upstream */
    instance?: string;
    /** the operator: the name of their key, or person: and their name */
    by?: string;
    reason: string;
  }[];
};

export type PauseUpstreamInput = {
  /** name of the upstream */
  upstream: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
  /** only this instance: account/instanceName of the site system, an environment, or a variant */
  instance?: string | null;
  /** the reason, as free text; stored encrypted, and returned with the upstreams */
  reason: string;
};

export type PauseUpstreamOutput = {
  success: true;
  upstream: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
  instance?: string;
  state: 'paused' | 'resumed';
  /** no known lead was sent to this instance: check its name */
  warning?: string;
};

export type ResumeUpstreamInput = PauseUpstreamInput;

export type ResumeUpstreamOutput = {
  success: true;
  upstream: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
  instance?: string;
  state: 'paused' | 'resumed';
};

export const leads = (calls: Calls) => ({
  /** Count the leads received on each day, in UTC, by their current state; a redriven lead counts once. */
  countLeadsByDay: calls.get<CountLeadsByDayInput, CountLeadsByDayOutput>('/api/leads/history'),
  /** Count the leads in each state; with groups=true, also by error code and upstream. */
  countLeads: calls.get<CountLeadsInput, CountLeadsOutput>('/api/leads/counts'),
  /** List the leads that the filter matches, newest attempt first. */
  listLeads: calls.get<ListLeadsInput, ListLeadsOutput>('/api/leads'),
  /** Get a lead with its steps; wait=N waits up to N seconds for its end. */
  getLead: calls.get<GetLeadInput, GetLeadOutput>('/api/leads/{leadId}'),
  /** Get the requests that were sent for a lead and their answers, masked; in clear with clear=true, which the audit trail records. */
  getExchanges: calls.get<GetExchangesInput, GetExchangesOutput>('/api/leads/{leadId}/exchanges'),
  /** List the events of a lead with their deliveries. */
  getEvents: calls.get<GetEventsInput, GetEventsOutput>('/api/leads/{leadId}/events'),
  /** Send all events of a lead again, each with its original webhook-id. */
  sendEventsAgain: calls.act<SendEventsAgainInput, SendEventsAgainOutput>('POST', '/api/leads/{leadId}/events'),
  /** Send one event of a lead again, with its original webhook-id. */
  sendEventAgain: calls.act<SendEventAgainInput, SendEventAgainOutput>('POST', '/api/leads/{leadId}/events/{eventId}/resend'),
  /** Send the parked step again. */
  resendLead: calls.keyed<ResendLeadInput, ResendLeadOutput>('POST', '/api/leads/{leadId}/resend'),
  /** Confirm that the parked step arrived, and continue with the upstream's id. */
  confirmLead: calls.keyed<ConfirmLeadInput, ConfirmLeadOutput>('POST', '/api/leads/{leadId}/confirm'),
  /** End a parked or waiting lead, which is not sent again. */
  discardLead: calls.keyed<DiscardLeadInput, DiscardLeadOutput>('POST', '/api/leads/{leadId}/discard'),
  /** Try a waiting lead now; if its upstream is held, the next lead in line is tried. */
  tryLead: calls.keyed<TryLeadInput, TryLeadOutput>('POST', '/api/leads/{leadId}/try'),
  /** Redrive a failed lead, or a waiting one with corrected fields. */
  redriveLead: calls.keyed<RedriveLeadInput, RedriveLeadOutput>('POST', '/api/leads/{leadId}/redrive'),
  /** Export the leads that the filter matches as a CSV file, newest attempt first, with the reason why each is stalled; personal data only with clear=true. */
  exportLeads: calls.text<ExportLeadsInput>('/api/leads.csv'),
  /** Import the leads of a CSV file, each row like a single request; by default an invalid row stops the whole file. */
  importLeads: calls.file<ImportLeadsInput, ImportLeadsOutput, ImportLeadsLine>('/api/imports'),
  /** Redrive the failed leads that a filter matches, or waiting ones with corrected fields; without count, only count them. */
  startRedrive: calls.keyed<StartRedriveInput, StartRedriveOutput>('POST', '/api/redrives'),
  /** List redrives of many leads, newest first. */
  listRedrives: calls.get<None, ListRedrivesOutput>('/api/redrives'),
  /** Get the progress of a redrive, and the outcome of each lead. */
  getRedrive: calls.get<GetRedriveInput, GetRedriveOutput>('/api/redrives/{redriveId}'),
  /** Stop a redrive; leads that are already started continue, the others are unchanged. */
  stopRedrive: calls.act<StopRedriveInput, StopRedriveOutput>('POST', '/api/redrives/{redriveId}/stop'),
  /** Resend or discard the parked leads that a filter matches, or discard waiting ones; without count, only count them. */
  startDecision: calls.keyed<StartDecisionInput, StartDecisionOutput>('POST', '/api/decisions'),
  /** List decisions about many leads, newest first. */
  listDecisions: calls.get<None, ListDecisionsOutput>('/api/decisions'),
  /** Get the progress of a decision about many leads, and the outcome of each lead. */
  getDecision: calls.get<GetDecisionInput, GetDecisionOutput>('/api/decisions/{decisionId}'),
  /** Stop a decision; leads that are already decided continue, the others are unchanged. */
  stopDecision: calls.act<StopDecisionInput, StopDecisionOutput>('POST', '/api/decisions/{decisionId}/stop'),
  /** Compare delivered and parked leads with what the site system holds; nothing is sent or changed. */
  startReconciliation: calls.keyed<StartReconciliationInput, StartReconciliationOutput>('POST', '/api/reconciliations'),
  /** List reconciliations, newest first. */
  listReconciliations: calls.get<None, ListReconciliationsOutput>('/api/reconciliations'),
  /** Get the progress of a reconciliation, its counts and its findings. */
  getReconciliation: calls.get<GetReconciliationInput, GetReconciliationOutput>('/api/reconciliations/{reconciliationId}'),
  /** Stop a reconciliation; its findings so far remain. */
  stopReconciliation: calls.act<StopReconciliationInput, StopReconciliationOutput>('POST', '/api/reconciliations/{reconciliationId}/stop'),
  /** Carry out the proposals of a reconciliation as one decision: confirm or resend its parked leads; without count, only count them. */
  applyReconciliation: calls.keyed<ApplyReconciliationInput, ApplyReconciliationOutput>('POST', '/api/reconciliations/{reconciliationId}/apply'),
  /** List the deliveries of events over all leads: the lead whose events were posted last comes first, and its newest event. */
  listDeliveries: calls.get<ListDeliveriesInput, ListDeliveriesOutput>('/api/events'),
  /** Send the events again whose delivery was given up; without count, only count their leads. */
  startResend: calls.keyed<StartResendInput, StartResendOutput>('POST', '/api/events/resends'),
  /** List resends of events of many leads, newest first. */
  listResends: calls.get<None, ListResendsOutput>('/api/events/resends'),
  /** Get the progress of a resend of events, and the outcome of each lead. */
  getResend: calls.get<GetResendInput, GetResendOutput>('/api/events/resends/{resendId}'),
  /** Stop a resend of events; those of the leads that it has not reached stay given up. */
  stopResend: calls.act<StopResendInput, StopResendOutput>('POST', '/api/events/resends/{resendId}/stop'),
  /** Get the number of leads and task-board calls that this process answered in each minute of the last hour, with their latency. */
  getTraffic: calls.get<None, GetTrafficOutput>('/api/traffic'),
  /** List the upstreams with their states (open, paused, or held because they fail) and the number of waiting leads. */
  listUpstreams: calls.get<None, ListUpstreamsOutput>('/api/upstreams'),
  /** Pause an upstream until an operator resumes it; after the answer, no further lead is sent to it. */
  pauseUpstream: calls.keyed<PauseUpstreamInput, PauseUpstreamOutput>('POST', '/api/upstreams/pause'),
  /** Resume a paused upstream; the waiting leads are sent. */
  resumeUpstream: calls.keyed<ResumeUpstreamInput, ResumeUpstreamOutput>('POST', '/api/upstreams/resume'),
});
