/** Reads a run's history from a file of any Temporal tool, and summarises its steps and state. */
import { isObject } from '../../src/domain/formats';
import { decodeValues, type Codecs } from '../../src/temporal/decode';
import { attributeIn } from '../../src/temporal/engine';
import { recordedCommands } from './commands';
import { historyFromJson, type History } from './history-json';

export class UnreadableHistory extends Error {
  override name = 'Unreadable';
}

/** Accepts `{events}` of the Temporal UI and CLI, a bare list of events, and an API answer with `history` around them. */
export function parseHistory(text: string): History {
  const events = eventsIn(parsed(text));
  if (events.length === 0) throw new UnreadableHistory('it contains no events');
  if (isDecoded(events))
    throw new UnreadableHistory(
      'its payloads are decoded and cannot be replayed: download it encoded, or use `temporal workflow show --output json`',
    );
  try {
    return historyFromJson({ events });
  } catch {
    throw new UnreadableHistory('its events are not in the format of Temporal');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new UnreadableHistory('it is not valid JSON');
  }
}

function eventsIn(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json;
  if (!isObject(json)) return [];
  if (isObject(json.history)) return eventsIn(json.history);
  return Array.isArray(json.events) ? json.events : [];
}

/** True if a viewer has replaced the payloads by their values, which cannot be replayed. */
function isDecoded([first]: readonly unknown[]): boolean {
  const started = isObject(first) ? first.workflowExecutionStartedEventAttributes : undefined;
  if (!isObject(started) || started.input === undefined || started.input === null) return false;
  // A run without arguments has no payloads.
  const payloads = isObject(started.input) ? (started.input.payloads ?? []) : started.input;
  return !Array.isArray(payloads) || payloads.some((payload) => !isObject(payload) || !('metadata' in payload));
}

export interface HistorySummary {
  readonly type: string;
  readonly workflowId: string;
  readonly events: number;
  /** The number of steps that were run or skipped. */
  readonly steps: number;
  /** The state of the lead if the run has one, or else the engine's status. */
  readonly state: string;
}

export async function summaryOf(history: History, codecs: Codecs): Promise<HistorySummary> {
  const events = history.events ?? [];
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const report = await reportIn(history, codecs);
  return {
    type: started?.workflowType?.name ?? 'a run',
    workflowId: started?.workflowId ?? '',
    events: events.length,
    steps: report ? report.steps : new Set(recordedCommands(events).flatMap(({ name }) => name ?? [])).size,
    state: report?.state ?? stateIn(history),
  };
}

/** Reads the report of a closed run from its result, or from the details of its failure. */
async function reportIn({ events }: History, codecs: Codecs): Promise<{ steps: number; state: string } | undefined> {
  const last = events?.at(-1);
  const payloads =
    last?.workflowExecutionCompletedEventAttributes?.result?.payloads ??
    last?.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo?.details?.payloads;
  const [report] = await decodeValues(codecs, payloads);
  if (!isObject(report) || typeof report.state !== 'string' || !Array.isArray(report.steps)) return undefined;
  return { state: report.state, steps: report.steps.filter((step) => isObject(step) && step.state !== 'pending').length };
}

/** Returns the state of a run without a report: the engine's status, or the last LeadState of an open run. */
function stateIn({ events }: History): string {
  const last = events?.at(-1);
  if (last?.workflowExecutionTerminatedEventAttributes) return 'terminated';
  if (last?.workflowExecutionCanceledEventAttributes) return 'cancelled';
  if (last?.workflowExecutionTimedOutEventAttributes) return 'timed out';
  if (last?.workflowExecutionFailedEventAttributes) return 'failed';
  if (last?.workflowExecutionCompletedEventAttributes) return 'completed';
  const update = events?.findLast(
    ({ upsertWorkflowSearchAttributesEventAttributes: of }) => of?.searchAttributes?.indexedFields?.LeadState,
  );
  const payload = update?.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields?.LeadState;
  return `still open, ${String(attributeIn(payload) ?? 'running')}`;
}
