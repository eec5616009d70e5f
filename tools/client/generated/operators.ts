/** Written by `npm run reference` from src/contract. */
import type { Calls, None } from '../types.ts';

export type ListAuditInput = {
  /** only what was done at this moment or later, ISO 8601 */
  since?: string | null;
  /** only what was done before or at this moment, ISO 8601 */
  until?: string | null;
  /** only entries about this lead */
  leadId?: string | null;
  /** only this action, such as resend or erase */
  action?: string | null;
  /** true: values in clear; the audit trail records the read */
  clear?: 'true' | 'false' | null;
  /** entries per page, 1 to 1000; default 100 */
  limit?: number | string | null;
  /** nextCursor of the previous page */
  cursor?: string | null;
};

export type ListAuditOutput = {
  success: true;
  count: number;
  entries: readonly {
    at: string;
    who: string;
    action: string;
    outcome?: string;
    leadId?: string;
    /** of a read in clear: the path of the route */
    route?: string;
    /** of what a request caused: the IP address of the client (TRUST_PROXY) */
    address?: string;
    /** the reason and the values of an action of an operator, which are stored encrypted */
    evidence?: {
      reason?: string;
      /** masked, unless clear=true */
      upstreamId?: string;
      /** what the action changed: fields of the lead, or its state; masked, unless clear=true */
      changed?: Readonly<Record<string, {
        before?: unknown;
        after?: unknown;
      }>>;
      /** true: it was erased with the person */
      erased?: true;
      /** why it cannot be read */
      unreadable?: string;
    };
    /** of an erasure: the digests of the evidence that it removed */
    evidenceErased?: readonly string[];
    file: string;
    seq: number;
    hash: string;
    [name: string]: unknown;
  }[];
  nextCursor?: string;
};

export type ErasePersonInput = {
  /** the e-mail of the person, in any case */
  email?: string | null;
  /** the phone of the person, in any punctuation */
  phone?: string | null;
  /** the id of the person in an upstream */
  patientId?: string | number | null;
  /** erase only what was sent to this instance of the site system */
  instanceName?: string | null;
  /** the reason, as free text; stored encrypted with the audit trail, also after the erasure */
  reason?: string | null;
  /** true: only count the runs */
  dryRun?: boolean | null;
};

export type ErasePersonOutput = {
  success: true;
  dryRun?: true;
  receiptId?: string;
  erasedAt?: string;
  leads: number;
  runs: number;
  counts: readonly {
    flow: string;
    state: string;
    site?: string;
    leads: number;
  }[];
  /** the number of leads that were being sent or looked up: the upstream may have received them */
  onTheWire?: number;
  /** returned once and not stored */
  leadIds?: readonly string[];
  /** the leads that were being sent or looked up; returned once and not stored */
  underWay?: readonly string[];
  [name: string]: unknown;
} | {
  success: false;
  pending: true;
  message: string;
  leads: number;
  runs: number;
  counts: readonly {
    flow: string;
    state: string;
    site?: string;
    leads: number;
  }[];
  /** the number of leads that were being sent or looked up: the upstream may have received them */
  onTheWire?: number;
  /** returned once and not stored */
  leadIds?: readonly string[];
  /** the leads that were being sent or looked up; returned once and not stored */
  underWay?: readonly string[];
  [name: string]: unknown;
};

export type ListErasuresInput = {
  /** only what was done at this moment or later, ISO 8601 */
  since?: string | null;
  /** only what was done before or at this moment, ISO 8601 */
  until?: string | null;
};

export type ListErasuresOutput = {
  success: true;
  erasures: number;
  leads: number;
  counts: readonly {
    flow: string;
    state: string;
    site?: string;
    leads: number;
  }[];
};

export type GetCallerOutput = {
  success: true;
  /** of the key, or person: and the name of the person; absent if no keys are configured */
  name?: string;
};

export type GetRetentionOutput = {
  success: true;
  closedRuns: {
    keptH: number;
    keptSince: string;
  };
  idempotencyKeys: {
    keptH: number;
  };
  audit: {
    /** days; 0: without limit */
    keptD: number;
    oldest?: string;
  };
};

export type TestAlertsOutput = {
  success: true;
  /** the id in the message and in the text of the card */
  alertId: string;
  channels: readonly {
    channel: 'webhook' | 'slack' | 'email' | 'card';
    arrived: boolean;
    /** why it did not arrive */
    reason?: string;
  }[];
};

export const operators = (calls: Calls) => ({
  /** List the entries of the audit trail of this machine, newest first. */
  listAudit: calls.get<ListAuditInput, ListAuditOutput>('/api/audit'),
  /** Erase a person's data: end and delete every run with the e-mail, the phone or the patient id. */
  erasePerson: calls.act<ErasePersonInput, ErasePersonOutput>('POST', '/api/erase'),
  /** Count the erased leads by flow, state and site. */
  listErasures: calls.get<ListErasuresInput, ListErasuresOutput>('/api/erasures'),
  /** Get the name of the caller, under which the audit trail records its actions. */
  getCaller: calls.get<None, GetCallerOutput>('/api/caller'),
  /** Get the retention times, and the start of each kept period. */
  getRetention: calls.get<None, GetRetentionOutput>('/api/retention'),
  /** Send a test alert, once, to the channels of real alerts, and return the result of each. */
  testAlerts: calls.act<None, TestAlertsOutput>('POST', '/api/alerts/test'),
});
