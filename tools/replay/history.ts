/** Reads a run's history from a file that one of several tools wrote, and tells the lead's steps and state from it. */
import { isObject } from '../../src/domain/formats';
import { decodeValues, type Codecs } from '../../src/temporal/decode';
import { attributeIn } from '../../src/temporal/engine';
import { happened } from './commands';
import { historyFromJson, type History } from './history-json';

export class Unreadable extends Error {
  override name = 'Unreadable';
}

/** Accepts `{events}` of the Temporal UI and CLI, a bare list of events, and an API answer with `history` around them. */
export function historyIn(text: string): History {
  const events = eventsIn(parsed(text));
  if (events.length === 0) throw new Unreadable('it holds no events');
  if (holdsValues(events))
    throw new Unreadable(
      'its payloads were decoded when it was saved, which cannot be replayed: download it encoded, or `temporal workflow show --output json`',
    );
  try {
    return historyFromJson({ events });
  } catch {
    throw new Unreadable('its events are not what Temporal writes');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new Unreadable('it is not valid JSON');
  }
}

function eventsIn(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json;
  if (!isObject(json)) return [];
  if (isObject(json.history)) return eventsIn(json.history);
  return Array.isArray(json.events) ? json.events : [];
}

/** True if a viewer has replaced the payloads with their values, which cannot be replayed. */
function holdsValues([first]: readonly unknown[]): boolean {
  const started = isObject(first) ? first.workflowExecutionStartedEventAttributes : undefined;
  if (!isObject(started) || started.input === undefined || started.input === null) return false;
  // A run that was started without arguments has no payloads.
  const payloads = isObject(started.input) ? (started.input.payloads ?? []) : started.input;
  return !Array.isArray(payloads) || payloads.some((payload) => !isObject(payload) || !('metadata' in payload));
}

export interface Story {
  readonly type: string;
  readonly workflowId: string;
  readonly events: number;
  /** The number of steps taken, skipped ones included. */
  readonly steps: number;
  /** The lead's state if the run tells one; else the engine's word for its end. */
  readonly state: string;
}

export async function storyOf(history: History, codecs: Codecs): Promise<Story> {
  const events = history.events ?? [];
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const report = await reportIn(history, codecs);
  return {
    type: started?.workflowType?.name ?? 'a run',
    workflowId: started?.workflowId ?? '',
    events: events.length,
    steps: report ? report.steps : new Set(happened(events).flatMap(({ name }) => name ?? [])).size,
    state: report?.state ?? stateIn(history),
  };
}

/** The report of a closed run: its result, or the details of its failure. */
async function reportIn({ events }: History, codecs: Codecs): Promise<{ steps: number; state: string } | undefined> {
  const last = events?.at(-1);
  const payloads =
    last?.workflowExecutionCompletedEventAttributes?.result?.payloads ??
    last?.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo?.details?.payloads;
  const [report] = await decodeValues(codecs, payloads);
  if (!isObject(report) || typeof report.state !== 'string' || !Array.isArray(report.steps)) return undefined;
  return { state: report.state, steps: report.steps.filter((step) => isObject(step) && step.state !== 'pending').length };
}

/** The state of a run without a report: the engine's word for its end, or the last state that it noted. */
function stateIn({ events }: History): string {
  const last = events?.at(-1);
  if (last?.workflowExecutionTerminatedEventAttributes) return 'terminated by hand';
  if (last?.workflowExecutionCanceledEventAttributes) return 'cancelled by hand';
  if (last?.workflowExecutionTimedOutEventAttributes) return 'timed out';
  if (last?.workflowExecutionFailedEventAttributes) return 'failed';
  if (last?.workflowExecutionCompletedEventAttributes) return 'completed';
  const noted = events?.findLast(({ upsertWorkflowSearchAttributesEventAttributes: of }) => of?.searchAttributes?.indexedFields?.LeadState);
  const payload = noted?.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields?.LeadState;
  return `still open, ${String(attributeIn(payload) ?? 'running')}`;
}
