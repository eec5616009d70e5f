/** Handles the routes of leads and calls: starts the run, waits for it and answers with its report. */
import type { Config } from '../config/config';
import type { Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import { misspeltFields } from '../contract/input';
import { isOver, type LeadReport } from '../domain/lead';
import { digestOf } from '../intake/identity';
import type { Intake } from '../intake/intake';
import type { KeyRing } from '../keys/ring';
import { reportOfAccepted } from '../leads/reports';
import { answerOf, rateHeaders, replayedHeader, sandboxHeader, warningHeader, withheldAnswer } from './answer';
import type { Handler } from './handler';
import type { Reads } from './privacy/reads';
import { callbackUrl, idempotencyKey, isDryRun, waitMs } from './request';

/** The default wait for a call. The run itself ends after ten seconds with a more precise error, so the API waits a little longer. */
const callWaitMs = 12_500;

interface Needs {
  readonly config: Config;
  readonly intake: Intake;
  readonly keys: KeyRing;
  readonly reads: Reads;
}

export const createRunHandler =
  ({ config, intake, keys, reads }: Needs) =>
  (name: string, endpoint: Endpoint): Handler =>
  async ({ request, response, input, caller, requester }) => {
    const ready = intake.prepare(endpoint, input.body);
    const dryRun = isDryRun(request, endpoint);
    const requestId = response.get('X-Request-Id');
    const warnings = misspeltFields(input.given, endpoint);
    response.set(warningHeader(warnings));
    const headers = { dryRun, idempotencyKey: idempotencyKey(request), callbackUrl: callbackUrl(request, endpoint, config) };
    const run = await intake
      .accept({ name, endpoint, input, ...ready, ...headers, caller: caller.name, requestId })
      .finally(() => response.set(rateHeaders(intake.rates(caller.name))));
    response.set({
      'X-Workflow-Id': run.workflowId,
      ...(run.leadId && { 'X-Lead-Id': run.leadId }),
      ...(run.replayed && replayedHeader),
      ...(run.isSandbox && sandboxHeader),
    });
    const timeoutMs = run.leadId ? waitMs(request, config) : (endpoint.waitMs?.(config) ?? callWaitMs);
    const isImmediate = run.isNew && timeoutMs === 0;
    const report = isImmediate ? reportOfAccepted(run.leadId) : await intake.settled(run, timeoutMs);
    if (!run.leadId && !isOver(report))
      throw new ApiError(endpoint.lateError ?? 'UPSTREAM_ERROR', 'The request did not finish in time', { step: endpoint.step });
    const ofLead = { ...report, leadId: run.leadId };
    // The request that sent a lead gets its record without an entry on the trail. Any other request for the lead reads it.
    const isRead = run.leadId !== '' && !run.isNew && holdsRecord(report);
    if (isRead && !(await isRecorded(reads.record(requester, { route: endpoint.path, leadIds: [run.leadId] }))))
      return withheldAnswer(ofLead);
    const answer = answerOf(ofLead);
    if (endpoint.showsRecord) {
      const question = digestOf(keys, { name, given: input.given });
      await reads.record(requester, { route: endpoint.path, run: run.workflowId, question });
    }
    return dryRun && warnings.length > 0 ? { ...answer, body: { ...answer.body, warnings } } : answer;
  };

const holdsRecord = ({ result, errorContext }: LeadReport): boolean => (result ?? errorContext) !== undefined;

const isRecorded = (entry: Promise<void>): Promise<boolean> =>
  entry.then(
    () => true,
    () => false,
  );
