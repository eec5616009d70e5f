/**
 * Counts a person's other leads by the person's keyed hashes. A subject or comment in an upstream may come from one of those leads.
 */
import type { Client } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import { sameEmail, sameSite } from '../domain/found-by';
import type { CountSamePersonLeads } from '../domain/same-person';
import type { KeyRing } from '../keys/ring';
import { attributes } from '../temporal/engine';
import { indexLagMs } from './search';
import { isAtSite, siteForms } from './site-term';

/** A comment has a date without a time zone, so leads of two days may have written it. */
const commentsMs = 48 * 3_600_000;

const named = (...types: readonly string[]) => `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;
const senders = named('noPrescreen', 'withPrescreen', 'noPrescreenSendToRt', 'withPrescreenSendToRt');
const commenters = named('noPrescreen', 'withPrescreen', 'noPrescreenSendComments', 'withPrescreenSendComments');

const { emails, patient, state, step } = attributes;
/** A lead that waits for the person lock has no step yet. */
const isPastLock = `(${state.name} != 'waiting' OR ${step.name} IS NOT NULL)`;

export const createSamePersonCount =
  (client: Client, keys: KeyRing): CountSamePersonLeads =>
  async (runId, { email, subjectId, instanceName, since }) => {
    const patientHash = keys.hash('patient', String(subjectId));
    const isSubject = `(${patient.name} = '${patientHash}' AND ${isAtSite(siteForms(keys, sameSite(instanceName)))})`;
    const isPerson = email ? `(${emails.name} = '${keys.hash('email', sameEmail(email))}' OR ${isSubject})` : isSubject;
    const commentsSince = new Date(Date.now() - commentsMs).toISOString();
    const isOfThisTime = since === undefined ? [] : [`(ExecutionStatus = 'Running' OR CloseTime >= '${since}')`];
    const count = async (...what: readonly string[]) => (await client.workflow.count([...what, `RunId != '${runId}'`].join(' AND '))).count;
    // After the lag, the index lists every lead that started before the look-up in the upstream.
    await pause(indexLagMs);
    const [open, arrived, commented] = await Promise.all([
      count(isPerson, senders, isPastLock, "ExecutionStatus = 'Running'"),
      count(isSubject, senders, `${state.name} != 'skipped'`, ...isOfThisTime),
      count(isPerson, commenters, `${state.name} != 'failed'`, `StartTime > '${commentsSince}'`),
    ]);
    return { open, arrived, commented, patientHash };
  };
