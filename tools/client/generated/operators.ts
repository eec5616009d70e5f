/** Written by `npm run reference` from src/contract. */
import type { Calls, None } from '../types.ts';

export type ListAuditInput = {
  /** only what was done at this moment or later, ISO 8601 */
  since?: string | null;
  /** only what was done before or at this moment, ISO 8601 */
  until?: string | null;
  /** only what was done to this lead */
  leadId?: string | null;
  /** only this kind of act, such as resend or erase */
  action?: string | null;
  /** how many at once, 1 to 1000; 100 when it is left out */
  limit?: number | string | null;
  /** nextCursor of the answer before */
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
    /** of a read in clear */
    route?: string;
    /** of a read in clear: where it was asked from */
    address?: string;
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
  /** the id under which an upstream knows the person */
  patientId?: string | number | null;
  /** only what went to this site */
  instanceName?: string | null;
  /** why, in your own words; it is not written down */
  reason?: string | null;
  /** true: only count */
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
  /** of so many a request was on the wire: the upstream may have it */
  onTheWire?: number;
  /** told once, and not kept */
  leadIds?: readonly string[];
  /** of these a request was on the wire; told once, and not kept */
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
  /** of so many a request was on the wire: the upstream may have it */
  onTheWire?: number;
  /** told once, and not kept */
  leadIds?: readonly string[];
  /** of these a request was on the wire; told once, and not kept */
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
  /** absent: callers need no keys here */
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
    /** 0: for ever */
    keptD: number;
    oldest?: string;
  };
};

export type TestAlertsOutput = {
  success: true;
  /** as in the message, and in the text of the card */
  alertId: string;
  channels: readonly {
    channel: 'webhook' | 'card';
    arrived: boolean;
    /** why not */
    reason?: string;
  }[];
};

export const operators = (calls: Calls) => ({
  /** Who did what, newest first: the trail of this machine. */
  listAudit: calls.get<ListAuditInput, ListAuditOutput>('/api/audit'),
  /** Forget a person: every run that holds the e-mail, the phone or the patient id is ended and deleted. */
  erasePerson: calls.act<ErasePersonInput, ErasePersonOutput>('POST', '/api/erase'),
  /** How many leads were erased, by flow, state and site. */
  listErasures: calls.get<ListErasuresInput, ListErasuresOutput>('/api/erasures'),
  /** Whose key this is: the name under which its acts are recorded. */
  getCaller: calls.get<None, GetCallerOutput>('/api/caller'),
  /** How long what is kept, and since when. */
  getRetention: calls.get<None, GetRetentionOutput>('/api/retention'),
  /** Tell a test alert the way that real alerts go, and what became of it; it is told once. */
  testAlerts: calls.act<None, TestAlertsOutput>('POST', '/api/alerts/test'),
});
