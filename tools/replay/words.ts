/** Puts the result of a replay into words. */
import { flowSteps } from '../../src/domain/clinicsys';
import type { Done } from './commands';
import type { Story } from './history';
import type { Verdict } from './replay';

/** A command's kind → what the run did, and what the code would do. */
const verbs: Readonly<Record<string, readonly [did: string, would: string]>> = {
  scheduleActivity: ['called', 'call'],
  scheduleLocalActivity: ['called at once', 'call at once'],
  setPatchMarker: ['took a patched way', 'take a patched way'],
  startTimer: ['began to wait', 'begin to wait'],
  upsertWorkflowSearchAttributes: ['noted its state', 'note its state'],
  signalExternalWorkflowExecution: ['told another run', 'tell another run'],
  startChildWorkflowExecution: ['started the run', 'start the run'],
  completeWorkflowExecution: ['ended as done', 'end as done'],
  continueAsNewWorkflowExecution: ['went on as a new run', 'go on as a new run'],
  failWorkflowExecution: ['ended as failed', 'end as failed'],
};

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The step of an activity. In group E both have the same name; forwarders have one step, send. */
function stepOf(activity: string): string {
  const name = activity === 'forwardLead' ? 'send' : kebab(activity);
  return name === 'send' || (flowSteps as readonly string[]).includes(name) ? ` (step ${name})` : '';
}

function phrase({ kind, name }: Done, tense: 0 | 1): string {
  const verb = verbs[kind]?.[tense] ?? kind;
  return name ? `${verb} ${name}${stepOf(name)}` : verb;
}

const counted = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`;

export const outline = ({ events, steps, state }: Pick<Story, 'events' | 'steps' | 'state'>): string =>
  `${counted(events, 'event')}, ${counted(steps, 'step')}, ${state}`;

export const sameWords = ({ events, steps, state }: Story): string => `The code would do the same: ${outline({ events, steps, state })}.`;

export function otherWords({ parting: found, reason }: Pick<Verdict, 'parting' | 'reason'>): string {
  if (!found) return `The code would not do the same: ${reason ?? 'no reason given'}.`;
  const { did, asks } = found;
  const there = did ? `at event ${did.eventId} the run ${phrase(did, 0)}` : 'the run did nothing more';
  const instead = asks ? `the code would ${phrase(asks, 1)}` : 'the code asks for nothing';
  return `The code would not do the same: ${there}, where ${instead}${asks && did ? ' instead' : ''}.${reason ? `\nIn the engine's words: ${reason}` : ''}`;
}
