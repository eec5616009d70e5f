/** Builds the report of a run whose task is under way, from the steps that its worker has noted: the run answers no query meanwhile. */
import { flowSteps } from '../domain/clinicsys';
import { stepOfCall } from '../domain/exchanges';
import type { LeadReport, StepReport } from '../domain/lead';
import type { TaskStep } from './local-runs';

const orchestrators: readonly string[] = ['noPrescreen', 'withPrescreen'];

/** `workflow` is the run's type. A step that ran outside of the task is shown without times. */
export function progressReport(
  known: Pick<LeadReport, 'leadId' | 'flow' | 'updatedAt'>,
  workflow: string,
  taken: readonly TaskStep[],
): LeadReport {
  const own = taken.flatMap(({ activity, ...times }) => {
    const name = stepOfCall(activity);
    return name ? [{ name, ...times }] : [];
  });
  const now = own.at(-1);
  const names: readonly string[] = orchestrators.includes(workflow) ? flowSteps : now ? [now.name] : [];
  const at = names.indexOf(now?.name ?? '');
  const steps = names.map((name, index): StepReport => {
    if (index > at) return { name, state: 'pending', attempts: 0 };
    const { startedAt, endedAt } = own.findLast((step) => step.name === name) ?? {};
    return {
      name,
      state: index < at || endedAt ? 'done' : 'running',
      attempts: 1,
      startedAt: startedAt?.toISOString(),
      endedAt: endedAt?.toISOString(),
    };
  });
  const updatedAt = (now?.endedAt ?? now?.startedAt)?.toISOString() ?? known.updatedAt;
  return { ...known, state: 'running', step: now?.name, steps, updatedAt };
}
