/** Written by `npm run reference` from src/contract. */
import type { Calls, None } from '../types.ts';

export type CountLeadsByDayInput = {
  /** only leads of this flow */
  flow?: 'recruit' | 'leadforms' | 'leadforms-sandbox' | 'screening' | 'with-prescreen' | 'no-prescreen' | null;
  /** how many days, today included, 1 to 30; never more than the engine keeps closed runs */
  days?: number | string | null;
};

export type CountLeadsByDayOutput = {
  success: true;
  /** oldest first; a day without leads has zeros */
  days: readonly {
    /** in UTC */
    day: string;
    /** how many came in */
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
  code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'RUN_ENDED' | null;
  /** only leads that wait, are parked or failed because of this upstream */
  upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
  /** only leads of this e-mail, in any case */
  email?: string | null;
  /** only leads of this phone, in any punctuation */
  phone?: string | null;
  /** only the lead that the upstream knows under this id */
  patientId?: string | number | null;
  /** only leads of this site, by name or slug */
  site?: string | null;
  /** only leads of this instance of the site system */
  instanceName?: string | null;
  /** only leads of this protocol */
  protocol?: string | null;
  /** only leads of this study */
  studyId?: string | number | null;
  /** true: only leads that were open in the copy that was restored */
  restored?: 'true' | null;
  /** only leads that this import started */
  importId?: string | null;
  /** only leads that came, or were redriven, at this moment or later, ISO 8601 */
  since?: string | null;
  /** only leads that came, or were redriven, before or at this moment, ISO 8601 */
  until?: string | null;
  /** true: also by state, error code and upstream */
  groups?: 'true' | 'false' | null;
};

export type CountLeadsOutput = {
  success: true;
  counts: Readonly<Record<'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded', number>>;
  /** the leads that stand still or failed, most first; without a code they wait for another lead of their person */
  groups?: readonly {
    state: 'waiting' | 'verifying' | 'parked' | 'failed';
    code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'RUN_ENDED';
    /** the upstream that the error came from */
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    count: number;
  }[];
  /** with groups=true: runs of any kind whose workflow tasks keep failing or timing out; absent: none, or the engine cannot tell */
  stuckRuns?: {
    count: number;
    /** their list in the Temporal UI, if the address of that is known */
    temporalUrl?: string;
  };
};

export type ListLeadsInput = {
  /** only leads in this state */
  state?: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded' | null;
  /** only leads of this flow, such as no-prescreen or recruit */
  flow?: string | null;
  /** only leads that wait, are parked or failed with this error code */
  code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'RUN_ENDED' | null;
  /** only leads that wait, are parked or failed because of this upstream */
  upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
  /** only leads of this e-mail, in any case */
  email?: string | null;
  /** only leads of this phone, in any punctuation */
  phone?: string | null;
  /** only the lead that the upstream knows under this id */
  patientId?: string | number | null;
  /** only leads of this site, by name or slug */
  site?: string | null;
  /** only leads of this instance of the site system */
  instanceName?: string | null;
  /** only leads of this protocol */
  protocol?: string | null;
  /** only leads of this study */
  studyId?: string | number | null;
  /** true: only leads that were open in the copy that was restored */
  restored?: 'true' | null;
  /** only leads that this import started */
  importId?: string | null;
  /** only leads that came, or were redriven, at this moment or later, ISO 8601 */
  since?: string | null;
  /** only leads that came, or were redriven, before or at this moment, ISO 8601 */
  until?: string | null;
  /** only leads that came or changed at this moment or later, ISO 8601 */
  changedSince?: string | null;
  /** how many at once, 1 to 200; 50 when it is left out */
  limit?: number | string | null;
  /** nextCursor of the answer before */
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
    createdAt: string;
    updatedAt: string;
    /** the lead was open in the copy of this moment, which was restored: it may have been sent since */
    restored?: string;
    /** why it stands still or failed */
    code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'RUN_ENDED';
    /** the upstream that the error came from */
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    site?: string;
    studyId?: string;
    protocol?: string;
  }[];
  nextCursor?: string;
};

export type GetLeadInput = {
  /** the lead, as X-Lead-Id or an answer named it */
  leadId: string;
  /** wait up to so many seconds for the end of the lead, at most 60 */
  wait?: number | string | null;
  /** false: masked for everybody. Otherwise the key that sent the lead and operators see it in clear, which is recorded */
  clear?: 'true' | 'false' | null;
};

export type GetLeadOutput = {
  leadId: string;
  flow: string;
  state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
  step?: string;
  createdAt: string;
  updatedAt: string;
  /** the lead was open in the copy of this moment, which was restored: it may have been sent since */
  restored?: string;
  success: true;
  /** the result is masked: in clear only the key that sent the lead and operators see it, unless they asked for clear=false */
  masked?: true;
  /** what an open lead waits for; absent while it is at work */
  waitsFor?: {
    what: 'retry' | 'hold' | 'pause' | 'person-lock' | 'look-up' | 'decision';
    words: string;
    /** of a hold: when the next lead of its line goes */
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
      /** the upstream that the error came from */
      upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    };
  }[];
  /** oldest first */
  attempts: readonly {
    /** 1 is the lead as it came in; each redrive is one more */
    attempt: number;
    startedAt: string;
    endedAt?: string;
    state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
    /** the name of the key of the person who decided */
    by?: string;
    /** why it was redriven */
    reason?: string;
    /** names of the fields that were mended */
    changed?: readonly string[];
    error?: {
      code: string;
      message: string;
      /** the upstream that the error came from */
      upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    };
    /** its run in the Temporal UI, if the address of that is known */
    temporalUrl?: string;
  }[];
  /** true if the sandbox stood in for an upstream */
  sandbox?: true;
  /** the success body of the lead's route, without the access key of the site system */
  result?: {
    [name: string]: unknown;
  };
};

export type GetExchangesInput = {
  /** the lead, as X-Lead-Id or an answer named it */
  leadId: string;
  /** true: as it is, and that is recorded */
  clear?: 'true' | 'false' | null;
  /** of this attempt; the newest one when it is left out */
  attempt?: number | string | null;
};

export type GetExchangesOutput = {
  success: true;
  leadId: string;
  flow: string;
  attempt: number;
  /** of this attempt */
  steps: readonly {
    name: string;
    state: string;
    startedAt?: string;
    endedAt?: string;
    attempts: number;
    error?: {
      code: string;
      message: string;
      /** the upstream that the error came from */
      upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    };
  }[];
  clear: boolean;
  lead: {
    [name: string]: unknown;
  };
  /** the fields that the redrive changed, with their values of the attempt before and of this one */
  mended?: readonly {
    field: string;
    /** absent: the attempt before had none */
    before?: unknown;
    /** absent: it was taken out */
    after?: unknown;
  }[];
  exchanges: readonly {
    call: string;
    step?: string;
    /** its event in the Temporal UI, if the address of that is known */
    temporalUrl?: string;
    startedAt?: string;
    endedAt?: string;
    /** the HTTP status of the answer; absent: no answer came, or nothing was asked */
    status?: number;
    request?: unknown;
    /** absent beside a status: the answer is not kept */
    answer?: unknown;
    error?: {
      code: string;
      message: string;
      status?: number;
    };
    fields?: readonly string[];
  }[];
  /** what people said of it, and why: resend, confirm, discard, try; redrive, where it is what began this run */
  decisions: readonly {
    at: string;
    verb: string;
    reason: string;
    upstreamId?: string;
    /** the name of the key of the person who decided */
    by?: string;
  }[];
};

export type GetEventsInput = {
  /** the lead, as X-Lead-Id or an answer named it */
  leadId: string;
};

export type GetEventsOutput = {
  success: true;
  leadId: string;
  /** oldest first */
  events: readonly {
    /** the webhook-id */
    id: string;
    type: 'lead.accepted' | 'lead.delivered' | 'lead.skipped' | 'lead.parked' | 'lead.failed' | 'lead.discarded' | 'lead.redriven';
    timestamp: string;
    attempt: number;
    deliveries: readonly {
      /** webhook: EVENTS_WEBHOOK_URL; callback: the X-Callback-URL of the lead’s request */
      receiver: 'webhook' | 'callback';
      state: 'waiting' | 'told' | 'given-up';
      tries: number;
      /** what the receiver did at the last try */
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

export type ResendLeadInput = {
  /** the lead, as X-Lead-Id or an answer named it */
  leadId: string;
  /** why, in your own words; kept with the run */
  reason: string;
  /** taken and not used: only confirm needs it */
  upstreamId?: string | number | null;
};

export type ResendLeadOutput = {
  success: true;
  leadId: string;
  state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
};

export type ConfirmLeadInput = {
  /** the lead, as X-Lead-Id or an answer named it */
  leadId: string;
  /** why, in your own words; kept with the run */
  reason: string;
  /** the id that the upstream gave the lead, such as its PatientID; of a comment, that of rtResponse alone */
  upstreamId: string | number;
};

export type ConfirmLeadOutput = ResendLeadOutput;

export type DiscardLeadInput = ResendLeadInput;

export type DiscardLeadOutput = ResendLeadOutput;

export type TryLeadInput = {
  /** the lead, as X-Lead-Id or an answer named it */
  leadId: string;
  /** why, in your own words; kept with the run */
  reason: string;
};

export type TryLeadOutput = ResendLeadOutput;

export type RedriveLeadInput = {
  /** the lead, as X-Lead-Id or an answer named it */
  leadId: string;
  /** why, in your own words; kept with the run */
  reason: string;
  /** corrected input fields, under the names of the lead's own route */
  fields?: Readonly<Record<string, unknown>> | null;
  /** true: the run was ended outside of Leadgate (RUN_ENDED), and what may have been sent before is not in the upstream */
  notThere?: boolean | null;
};

export type RedriveLeadOutput = ResendLeadOutput;

export type ExportLeadsInput = {
  /** only leads in this state */
  state?: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded' | null;
  /** only leads of this flow, such as no-prescreen or recruit */
  flow?: string | null;
  /** only leads that wait, are parked or failed with this error code */
  code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'RUN_ENDED' | null;
  /** only leads that wait, are parked or failed because of this upstream */
  upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
  /** only leads of this e-mail, in any case */
  email?: string | null;
  /** only leads of this phone, in any punctuation */
  phone?: string | null;
  /** only the lead that the upstream knows under this id */
  patientId?: string | number | null;
  /** only leads of this site, by name or slug */
  site?: string | null;
  /** only leads of this instance of the site system */
  instanceName?: string | null;
  /** only leads of this protocol */
  protocol?: string | null;
  /** only leads of this study */
  studyId?: string | number | null;
  /** true: only leads that were open in the copy that was restored */
  restored?: 'true' | null;
  /** only leads that this import started */
  importId?: string | null;
  /** only leads that came, or were redriven, at this moment or later, ISO 8601 */
  since?: string | null;
  /** only leads that came, or were redriven, before or at this moment, ISO 8601 */
  until?: string | null;
  /** true: with name, e-mail and phone, and that is recorded */
  clear?: 'true' | 'false' | null;
};

export type ImportLeadsInput = {
  /** the way that every row takes; its fields are the names of the columns */
  flow: 'recruit' | 'leadforms' | 'leadforms-sandbox' | 'screening' | 'with-prescreen' | 'no-prescreen';
  /** true: only look, and report; nothing is sent */
  check?: 'true' | 'false' | null;
  /** true: send the rows that are right where others are not; without it nothing is sent then */
  skipBad?: 'true' | 'false' | null;
  /** true: leave out the columns that the flow does not know; without it nothing is sent then */
  dropUnknown?: 'true' | 'false' | null;
  /** most leads a second */
  ratePerS?: number | string | null;
};

export type ImportLeadsOutput = {
  /** rows of the file that hold a value */
  rows: number;
  /** rows that would be sent, or are */
  good: number;
  /** rows with something wrong */
  badRows: number;
  /** rows of a lead that another row is already */
  duplicateRows: number;
  /** rows with a leadId: leads that were sent before */
  knownRows: number;
  /** what is wrong, the first thousand; at most twenty of a row */
  bad: readonly {
    /** the line of the file on which the row begins */
    line: number;
    /** the column; empty where the row as a whole is wrong */
    field: string;
    /** what is expected of it */
    message: string;
  }[];
  /** rows that are the same lead as another row, the first thousand */
  duplicates: readonly {
    /** the line of the file on which the row begins */
    line: number;
    /** the line of the row that stands for this lead */
    of: number;
  }[];
  /** columns that the flow does not know */
  unknownColumns: readonly {
    /** which column, counted from 1 */
    column: number;
    /** its name in the first row */
    name: string;
    /** a field of the flow that is written much like it */
    like?: string;
  }[];
  success: true;
  /** whether the whole file can be sent */
  right: boolean;
};

export type ImportLeadsLine = {
  kind: 'begin';
  /** the filter importId finds the leads that this import starts */
  importId: string;
  /** the flow */
  flow: string;
  /** a simulator stands in for an upstream that is not configured */
  sandbox?: true;
  /** rows of the file that hold a value */
  rows: number;
  /** rows that would be sent, or are */
  good: number;
  /** rows with something wrong */
  badRows: number;
  /** rows of a lead that another row is already */
  duplicateRows: number;
  /** rows with a leadId: leads that were sent before */
  knownRows: number;
} | {
  kind: 'row';
  /** the line of the file on which the row begins */
  line: number;
  /** of the lead; or bad, duplicate, not-sent (the intake was full, or the engine did not answer), unknown (it may have been accepted) */
  state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded' | 'bad' | 'duplicate' | 'not-sent' | 'unknown';
  /** what the row would have been answered as a request of its own */
  status?: number;
  /** the lead */
  leadId?: string;
  /** the same row was here before: this is what became of it */
  replayed?: true;
  /** true if the sandbox stood in for an upstream */
  sandbox?: true;
  /** the line of the row that stands for this lead: it is sent, or was sent before */
  duplicateOf?: number;
  /** as in an error */
  code?: string;
  /** for a person; never a value of the row */
  message?: string;
} | {
  kind: 'end';
  /** whether every good row was taken; when not, send the same file again */
  complete: boolean;
  /** good rows that were taken, with those that were here before */
  begun: number;
  /** leads that this import started */
  started: number;
  /** why not every row was taken */
  message?: string;
};

export type StartRedriveInput = {
  /** which failed leads, by what they can be found by; empty for all */
  filter: {
    /** only leads of this flow, such as no-prescreen or recruit */
    flow?: string | null;
    /** only leads that wait, are parked or failed with this error code */
    code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'RUN_ENDED' | null;
    /** only leads that wait, are parked or failed because of this upstream */
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
    /** only leads of this e-mail, in any case */
    email?: string | null;
    /** only leads of this phone, in any punctuation */
    phone?: string | null;
    /** only the lead that the upstream knows under this id */
    patientId?: string | number | null;
    /** only leads of this site, by name or slug */
    site?: string | null;
    /** only leads of this instance of the site system */
    instanceName?: string | null;
    /** only leads of this protocol */
    protocol?: string | null;
    /** only leads of this study */
    studyId?: string | number | null;
    /** true: only leads that were open in the copy that was restored */
    restored?: 'true' | null;
    /** only leads that this import started */
    importId?: string | null;
    /** only leads that came, or were redriven, at this moment or later, ISO 8601 */
    since?: string | null;
    /** only leads that came, or were redriven, before or at this moment, ISO 8601 */
    until?: string | null;
    state?: 'failed' | null;
    /** only these of them */
    leadIds?: readonly string[];
  };
  /** why, in your own words; kept with the run */
  reason: string;
  /** corrected input fields for each of them, under the names of the leads' own routes */
  fields?: Readonly<Record<string, unknown>> | null;
  /** true: the run was ended outside of Leadgate (RUN_ENDED), and what may have been sent before is not in the upstream */
  notThere?: boolean | null;
  /** most leads a second */
  ratePerS?: number | string | null;
  /** how many leads the filter matches, as the answer without count says */
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
    redriveId: string;
    failedToStart?: number;
  }[];
};

export type GetRedriveInput = {
  /** the redrive, as its start named it */
  redriveId: string;
  /** only results with this outcome */
  outcome?: 'started' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown' | null;
  /** how many results at once, 1 to 500; 100 when it is left out */
  limit?: number | string | null;
  /** nextCursor of the answer before */
  cursor?: number | string | null;
};

export type GetRedriveOutput = {
  state: 'running' | 'stopped' | 'done';
  count: number;
  done: number;
  ratePerS: number;
  startedAt: string;
  endedAt?: string;
  redriveId: string;
  failedToStart: number;
  success: true;
  remaining: number;
  /** how many leads had each outcome, and why; most first */
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
  /** the redrive, as its start named it */
  redriveId: string;
  /** why, in your own words; kept with the run */
  reason: string;
};

export type StopRedriveOutput = {
  success: true;
  redriveId: string;
  state: 'running' | 'stopped' | 'done';
};

export type StartDecisionInput = {
  /** which parked leads, by what they can be found by; empty for all */
  filter: {
    /** only leads of this flow, such as no-prescreen or recruit */
    flow?: string | null;
    /** only leads that wait, are parked or failed with this error code */
    code?: 'UPSTREAM_REJECTED' | 'UPSTREAM_ERROR' | 'UPSTREAM_PAUSED' | 'OUTCOME_UNKNOWN' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'CONFIG_ERROR' | 'RUN_ENDED' | null;
    /** only leads that wait, are parked or failed because of this upstream */
    upstream?: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening' | null;
    /** only leads of this e-mail, in any case */
    email?: string | null;
    /** only leads of this phone, in any punctuation */
    phone?: string | null;
    /** only the lead that the upstream knows under this id */
    patientId?: string | number | null;
    /** only leads of this site, by name or slug */
    site?: string | null;
    /** only leads of this instance of the site system */
    instanceName?: string | null;
    /** only leads of this protocol */
    protocol?: string | null;
    /** only leads of this study */
    studyId?: string | number | null;
    /** true: only leads that were open in the copy that was restored */
    restored?: 'true' | null;
    /** only leads that this import started */
    importId?: string | null;
    /** only leads that came, or were redriven, at this moment or later, ISO 8601 */
    since?: string | null;
    /** only leads that came, or were redriven, before or at this moment, ISO 8601 */
    until?: string | null;
    state?: 'parked' | null;
    /** only these of them */
    leadIds?: readonly string[];
  };
  /** resend: send the parked step again; discard: end the lead without sending */
  verb: 'resend' | 'discard';
  /** why, in your own words; kept with the run */
  reason: string;
  /** most leads a second */
  ratePerS?: number | string | null;
  /** how many leads the filter matches, as the answer without count says */
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
    decisionId: string;
    verb: 'resend' | 'discard';
    notDecided?: number;
  }[];
};

export type GetDecisionInput = {
  /** the decision, as its start named it */
  decisionId: string;
  /** only results with this outcome */
  outcome?: 'decided' | 'wrong-state' | 'not-found' | 'invalid' | 'unknown' | null;
  /** how many results at once, 1 to 500; 100 when it is left out */
  limit?: number | string | null;
  /** nextCursor of the answer before */
  cursor?: number | string | null;
};

export type GetDecisionOutput = {
  state: 'running' | 'stopped' | 'done';
  count: number;
  done: number;
  ratePerS: number;
  startedAt: string;
  endedAt?: string;
  decisionId: string;
  verb: 'resend' | 'discard';
  notDecided: number;
  success: true;
  remaining: number;
  /** how many leads had each outcome, and why; most first */
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
  /** the decision, as its start named it */
  decisionId: string;
  /** why, in your own words; kept with the run */
  reason: string;
};

export type StopDecisionOutput = {
  success: true;
  decisionId: string;
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
    /** what is held or paused by itself: account and instance, an environment, a variant */
    instance?: string;
    /** held: its leads wait; probing: one is under way; draining: it answers again, the line empties; paused: its leads wait until a person resumes it */
    state: 'open' | 'held' | 'probing' | 'draining' | 'paused';
    since?: string;
    /** the name of the key of the person who paused it */
    by?: string;
    /** why it is paused */
    reason?: string;
    /** failures in a row; absent while no worker answers */
    failures?: number;
    /** leads in the line; absent while no worker answers */
    waiting?: number;
    nextProbeAt?: string;
    lastError?: string;
    /** the sandbox answers for it; absent if any of its addresses is real */
    sandbox?: true;
  }[];
  /** who paused and resumed an upstream, and why, newest first: at most 20, of the last 30 days */
  changes: readonly {
    at: string;
    verb: 'pause' | 'resume';
    upstream: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
    /** absent: the whole upstream */
    instance?: string;
    /** the name of the key of the person */
    by?: string;
    reason: string;
  }[];
};

export type PauseUpstreamInput = {
  /** the upstream */
  upstream: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
  /** only this instance: account/instanceName of the site system, an environment, a variant */
  instance?: string | null;
  /** why, in your own words; kept encrypted, and shown with the upstreams */
  reason: string;
};

export type PauseUpstreamOutput = {
  success: true;
  upstream: 'key-service' | 'V1' | 'V2' | 'recruitment' | 'leadforms' | 'screening';
  instance?: string;
  state: 'paused' | 'resumed';
  /** the instance may be mistyped: no lead is known to have gone to it */
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
  /** How many leads came in on each day, in UTC, and how they stand now; a lead that was sent again counts once. */
  countLeadsByDay: calls.get<CountLeadsByDayInput, CountLeadsByDayOutput>('/api/leads/history'),
  /** How many leads are in each state; groups=true counts them by error code and upstream, too. */
  countLeads: calls.get<CountLeadsInput, CountLeadsOutput>('/api/leads/counts'),
  /** Leads, newest attempt first, by what they can be found by. */
  listLeads: calls.get<ListLeadsInput, ListLeadsOutput>('/api/leads'),
  /** What happened to one lead, step by step; wait=N waits up to N seconds for its end. */
  getLead: calls.get<GetLeadInput, GetLeadOutput>('/api/leads/{leadId}'),
  /** What was sent for one lead and what came back, masked; clear=true shows it as it is, and that is recorded. */
  getExchanges: calls.get<GetExchangesInput, GetExchangesOutput>('/api/leads/{leadId}/exchanges'),
  /** The events of a lead, and how far each one got with its receivers. */
  getEvents: calls.get<GetEventsInput, GetEventsOutput>('/api/leads/{leadId}/events'),
  /** Send all events of a lead again, each with the webhook-id that it had. */
  sendEventsAgain: calls.act<SendEventsAgainInput, SendEventsAgainOutput>('POST', '/api/leads/{leadId}/events'),
  /** Send the parked step again. */
  resendLead: calls.keyed<ResendLeadInput, ResendLeadOutput>('POST', '/api/leads/{leadId}/resend'),
  /** The parked step did arrive: go on with the upstream's own id. */
  confirmLead: calls.keyed<ConfirmLeadInput, ConfirmLeadOutput>('POST', '/api/leads/{leadId}/confirm'),
  /** End the parked lead without sending. */
  discardLead: calls.keyed<DiscardLeadInput, DiscardLeadOutput>('POST', '/api/leads/{leadId}/discard'),
  /** Try a waiting lead now; before an upstream that is held, the next lead of the line goes. */
  tryLead: calls.keyed<TryLeadInput, TryLeadOutput>('POST', '/api/leads/{leadId}/try'),
  /** Send a failed lead again, with corrected fields where they are given. */
  redriveLead: calls.keyed<RedriveLeadInput, RedriveLeadOutput>('POST', '/api/leads/{leadId}/redrive'),
  /** All leads that the filter matches, newest attempt first, as a CSV file; it shows no person without clear=true. */
  exportLeads: calls.text<ExportLeadsInput>('/api/leads.csv'),
  /** Send the leads of a CSV file, one row after the other, each as a request of its own would be; nothing when a row is wrong. */
  importLeads: calls.file<ImportLeadsInput, ImportLeadsOutput, ImportLeadsLine>('/api/imports'),
  /** Send the failed leads that a filter matches again; without count they are only counted. */
  startRedrive: calls.keyed<StartRedriveInput, StartRedriveOutput>('POST', '/api/redrives'),
  /** Redrives of many leads, newest first. */
  listRedrives: calls.get<None, ListRedrivesOutput>('/api/redrives'),
  /** How far a redrive is, and what became of each lead. */
  getRedrive: calls.get<GetRedriveInput, GetRedriveOutput>('/api/redrives/{redriveId}'),
  /** Stop between two leads; what is started goes on, the rest stays failed. */
  stopRedrive: calls.act<StopRedriveInput, StopRedriveOutput>('POST', '/api/redrives/{redriveId}/stop'),
  /** Resend or discard the parked leads that a filter matches; without count they are only counted. */
  startDecision: calls.keyed<StartDecisionInput, StartDecisionOutput>('POST', '/api/decisions'),
  /** Decisions about many leads, newest first. */
  listDecisions: calls.get<None, ListDecisionsOutput>('/api/decisions'),
  /** How far a decision about many leads is, and what became of each lead. */
  getDecision: calls.get<GetDecisionInput, GetDecisionOutput>('/api/decisions/{decisionId}'),
  /** Stop between two leads; what is decided goes on, the rest stays parked. */
  stopDecision: calls.act<StopDecisionInput, StopDecisionOutput>('POST', '/api/decisions/{decisionId}/stop'),
  /** Leads and task-board calls that this process answered, minute by minute, for the last hour at most. */
  getTraffic: calls.get<None, GetTrafficOutput>('/api/traffic'),
  /** The upstreams: open, paused, or held because they fail, and how many leads wait. */
  listUpstreams: calls.get<None, ListUpstreamsOutput>('/api/upstreams'),
  /** Keep an upstream from taking leads until a person resumes it; once this is answered, no lead begins to go out. */
  pauseUpstream: calls.keyed<PauseUpstreamInput, PauseUpstreamOutput>('POST', '/api/upstreams/pause'),
  /** End the pause of an upstream: the leads that waited go out. */
  resumeUpstream: calls.keyed<ResumeUpstreamInput, ResumeUpstreamOutput>('POST', '/api/upstreams/resume'),
});
