/** The handler of the routes that a run carries, of a lead or of a call: it starts the run, waits for it and answers with its report. */
import type { Config } from '../config/config';
import type { Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import { isOver } from '../domain/lead';
import { digestOf } from '../intake/identity';
import type { Intake } from '../intake/intake';
import type { KeyRing } from '../keys/ring';
import { reportOfAccepted } from '../leads/reports';
import { answerOf, replayed, simulated } from './answer';
import type { Handler } from './handler';
import type { Reads } from './privacy/reads';
import { callbackUrl, idempotencyKey, isDryRun, waitMs } from './request';

/** A call is waited for this long, unless its row says otherwise. It gives up after ten seconds, and then tells more than the API can. */
const callWaitMs = 12_500;

interface Needs {
  readonly config: Config;
  readonly intake: Intake;
  readonly keys: KeyRing;
  readonly reads: Reads;
}

export const createCarried =
  ({ config, intake, keys, reads }: Needs) =>
  (name: string, endpoint: Endpoint): Handler =>
  async ({ request, response, input, caller }) => {
    const ready = intake.prepare(endpoint, input.body);
    const dryRun = isDryRun(request, endpoint);
    const requestId = response.get('X-Request-Id');
    const headers = { dryRun, idempotencyKey: idempotencyKey(request), callbackUrl: callbackUrl(request, endpoint, config) };
    const run = await intake.accept({ name, endpoint, input, ...ready, ...headers, caller: caller.name, requestId });
    response.set({
      'X-Workflow-Id': run.workflowId,
      ...(run.leadId && { 'X-Lead-Id': run.leadId }),
      ...(run.replayed && replayed),
      ...(run.isSandbox && simulated),
    });
    const patienceMs = run.leadId ? waitMs(request, config) : (endpoint.waitMs?.(config) ?? callWaitMs);
    const atOnce = run.isNew && patienceMs === 0;
    const report = atOnce ? reportOfAccepted(run.leadId) : await intake.settled(run, patienceMs);
    if (!run.leadId && !isOver(report))
      throw new ApiError(endpoint.late ?? 'UPSTREAM_ERROR', 'The request was not done in time', { step: endpoint.step });
    const answer = answerOf({ ...report, leadId: run.leadId });
    if (endpoint.showsRecord) {
      const question = digestOf(keys, { name, given: input.given });
      await reads.note(request, caller, { route: endpoint.path, run: run.workflowId, question });
    }
    return answer;
  };
