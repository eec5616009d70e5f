/** Builds the report of a run that is busy inside its own task and answers no query. It is made of the steps that its worker has noted. */
import { flowSteps } from '../domain/clinicsys';
import { stepOfCall } from '../domain/exchanges';
import type { LeadReport, StepReport } from '../domain/lead';
import type { TaskStep } from './local-runs';

const orchestrators: readonly string[] = ['noPrescreen', 'withPrescreen'];

/**
 * `workflow` is the run's type. A step that ran outside of the task is shown without times. Undefined if the task is not busy with a step.
 */
export function busyReport(
  known: Pick<LeadReport, 'leadId' | 'flow'>,
  workflow: string,
  ran: readonly TaskStep[] = [],
): LeadReport | undefined {
  const now = ran.at(-1);
  const step = now && stepOfCall(now.activity);
  if (!step) return undefined;
  const names: readonly string[] = orchestrators.includes(workflow) ? flowSteps : [step];
  const at = names.findIndex((name) => name === step);
  const steps = names.map((name, index): StepReport => {
    const times = ran.findLast(({ activity }) => stepOfCall(activity) === name);
    if (index > at) return { name, state: 'pending', attempts: 0 };
    return {
      name,
      state: index === at ? 'running' : 'done',
      attempts: 1,
      startedAt: times?.startedAt.toISOString(),
      endedAt: times?.endedAt?.toISOString(),
    };
  });
  return { ...known, state: 'running', step, steps, updatedAt: now.startedAt.toISOString() };
}
