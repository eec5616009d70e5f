/** The engine's index tells of a person's other leads. */
import type { Client } from '@temporalio/client';
import type { AskOthers } from '../domain/others';
import { sameEmail, sameSite, searchable, term } from '../domain/terms';
import type { KeyRing } from '../keys';
import { attributes } from '../temporal';

/** A comment holds its day, wherever that begins. */
const commentsMs = 48 * 3_600_000;

const named = (...types: readonly string[]) => `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;
const senders = named('noPrescreen', 'withPrescreen', 'noPrescreenSendToRt', 'withPrescreenSendToRt');
const commenters = named('noPrescreen', 'withPrescreen', 'noPrescreenSendComments', 'withPrescreenSendComments');

const { email: emailHash, patient, site, state, step } = attributes;
/** One that waits for the person's turn has no step yet. */
const mayHaveSent = `(${state.name} != 'waiting' OR ${step.name} IS NOT NULL)`;

export const createAskOthers =
  (client: Client, keys: KeyRing): AskOthers =>
  async (runId, { email, subjectId, instanceName }) => {
    const patientHash = keys.hash('patient', String(subjectId));
    const isSubject = `(${patient.name} = '${patientHash}' AND ${site.name} = '${searchable(sameSite(term({ instanceName }, 'site') ?? ''))}')`;
    const isPerson = email ? `(${emailHash.name} = '${keys.hash('email', sameEmail(email))}' OR ${isSubject})` : isSubject;
    const since = new Date(Date.now() - commentsMs).toISOString();
    const count = async (...what: readonly string[]) => (await client.workflow.count([...what, `RunId != '${runId}'`].join(' AND '))).count;
    const [open, arrived, commented] = await Promise.all([
      count(isPerson, senders, mayHaveSent, "ExecutionStatus = 'Running'"),
      count(isSubject, senders),
      count(isPerson, commenters, `${state.name} != 'failed'`, `StartTime > '${since}'`),
    ]);
    return { open, arrived, commented, patientHash };
  };
