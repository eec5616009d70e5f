/** Describes the result of a replay as text. */
import { flowSteps } from '../../src/domain/clinicsys';
import type { Command } from './commands';
import type { HistorySummary } from './history';
import type { ReplayVerdict } from './replay';

/** The phrases for each kind of command: what the run did, and what the code would do. */
const verbs: Readonly<Record<string, readonly [did: string, would: string]>> = {
  scheduleActivity: ['called', 'call'],
  scheduleLocalActivity: ['called the local activity', 'call the local activity'],
  setPatchMarker: ['took a patched branch', 'take a patched branch'],
  startTimer: ['started a timer', 'start a timer'],
  upsertWorkflowSearchAttributes: ['updated its search attributes', 'update its search attributes'],
  signalExternalWorkflowExecution: ['signalled another run', 'signal another run'],
  startChildWorkflowExecution: ['started the run', 'start the run'],
  completeWorkflowExecution: ['completed', 'complete'],
  continueAsNewWorkflowExecution: ['continued as new', 'continue as new'],
  failWorkflowExecution: ['failed', 'fail'],
};

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Names the step of an activity. In group E both have the same name; forwarders have only the step send. */
function stepOf(activity: string): string {
  const name = activity === 'forwardLead' ? 'send' : kebab(activity);
  return name === 'send' || (flowSteps as readonly string[]).includes(name) ? ` (step ${name})` : '';
}

function phrase({ kind, name }: Command, tense: 0 | 1): string {
  const verb = verbs[kind]?.[tense] ?? kind;
  return name ? `${verb} ${name}${stepOf(name)}` : verb;
}

const plural = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`;

export const outline = ({ events, steps, state }: Pick<HistorySummary, 'events' | 'steps' | 'state'>): string =>
  `${plural(events, 'event')}, ${plural(steps, 'step')}, ${state}`;

export const describeSame = ({ events, steps, state }: HistorySummary): string =>
  `The code would do the same: ${outline({ events, steps, state })}.`;

export function describeDifference({ difference, reason }: Pick<ReplayVerdict, 'difference' | 'reason'>): string {
  if (!difference) return `The code would not do the same: ${reason ?? 'the engine gave no reason'}.`;
  const { recorded, issued } = difference;
  const there = recorded ? `at event ${recorded.eventId} the run ${phrase(recorded, 0)}` : 'the history ended';
  const instead = issued ? `the code would ${phrase(issued, 1)}` : 'the code would do nothing';
  return `The code would not do the same: ${there}, where ${instead}${issued && recorded ? ' instead' : ''}.${reason ? `\nMessage of the engine: ${reason}` : ''}`;
}
