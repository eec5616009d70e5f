/** Replays stored runs against a workflow bundle, and reports for each whether the code issues the same commands. */
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { isObject } from '../../src/domain/formats';
import { notEncrypted } from '../../src/domain/in-clear';
import { messageOf } from '../../src/lib/errors';
import { isEncrypted } from '../../src/temporal/codec';
import { decodePayloads } from '../../src/temporal/decode';
import { unencryptedMark } from '../../src/temporal/engine';
import { recordedCommands, firstDifference, type Difference } from './commands';
import type { History } from './history-json';
import { createListener } from './listener';

export interface StoredRun {
  readonly workflowId: string;
  readonly history: History;
}

export interface ReplayVerdict extends StoredRun {
  readonly same: boolean;
  readonly difference?: Difference;
  /** The message of the engine, or the error of the code. */
  readonly reason?: string;
}

export interface ReplayTarget {
  /** A replay bundle. With any other bundle, the result has no first difference. */
  readonly bundlePath: string;
  readonly converter: DataConverter;
}

/** Replays the runs one after the other. Throws at an unreadable payload, which is not a fault of the code. */
export async function* replayRuns(
  histories: AsyncIterable<StoredRun> | Iterable<StoredRun>,
  { bundlePath, converter }: ReplayTarget,
): AsyncGenerator<ReplayVerdict> {
  const listener = createListener();
  const inClear = new Set<string>();
  const watched = watchedCodec(converter, inClear);
  const current: StoredRun[] = [];
  const undecided: StoredRun[] = [];
  // Keep the inputs, because the results contain only the run id, and the verdict needs the history.
  const decidedRuns = async function* () {
    for await (const stored of histories) {
      if (!hasDecided(stored)) undecided.push(stored);
      else {
        current.push(stored);
        if (isFixture(stored)) inClear.add(stored.workflowId);
        yield stored;
      }
    }
  };
  const options = {
    workflowBundle: { codePath: bundlePath },
    dataConverter: watched.converter,
    sinks: listener.sinks,
  };
  for await (const { runId, error } of Worker.runReplayHistories(options, decidedRuns())) {
    const stored = current.shift();
    const asked = listener.takeCommands(runId);
    if (watched.unreadable) throw watched.unreadable;
    if (!stored) continue;
    if (!error) yield { ...stored, same: true };
    else
      yield {
        ...stored,
        same: false,
        difference: asked && firstDifference(recordedCommands(stored.history.events ?? []), asked),
        reason: watched.thrown() ?? shortMessage(error),
      };
  }
  for (const stored of undecided) yield { ...stored, same: true };
}

/** False for a run without a completed workflow task, such as a lock. The SDK's replay of it would not end. */
const hasDecided = ({ history: { events } }: StoredRun): boolean =>
  (events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);

/** True for a run that was stored unencrypted as a fixture, and not for one that was rejected because it was unencrypted. */
function isFixture({ history: { events } }: StoredRun): boolean {
  const payloads = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const { failure } = events?.at(-1)?.workflowExecutionFailedEventAttributes ?? {};
  return !payloads.some(isEncrypted) && failure?.applicationFailureInfo?.type !== notEncrypted;
}

/** Extracts the sentence from the engine's message, which is a dump of its structures. */
function shortMessage(error: unknown): string {
  const message = messageOf(error);
  return /Nondeterminism error: (.*?)", source:/.exec(message)?.[1] ?? message.split('\n')[0] ?? message;
}

/** Wraps the codec, and keeps errors that the SDK does not report. Runs in `clear` may be unencrypted. */
function watchedCodec(converter: DataConverter, clear: ReadonlySet<string>) {
  let lastThrown: string | undefined;
  const watched = {
    unreadable: undefined as Error | undefined,
    /** Returns the last error of the code, once. */
    thrown(): string | undefined {
      const thrown = lastThrown;
      lastThrown = undefined;
      return thrown;
    },
    converter,
  };
  const codec: PayloadCodec = {
    // A replay stores nothing, so payloads are only searched for the error of a failed run.
    encode: (payloads) => {
      for (const { data } of payloads) lastThrown = errorIn(data) ?? lastThrown;
      return Promise.resolve(payloads);
    },
    decode: async (payloads, context) => {
      try {
        const decoded = await decodePayloads(converter, payloads);
        const isClear = !context?.workflowId || clear.has(context.workflowId);
        return isClear ? decoded : decoded.map((payload, at) => (payloads[at] === payload ? unencryptedMark() : payload));
      } catch (error) {
        watched.unreadable ??= error instanceof Error ? error : new Error(messageOf(error));
        throw error;
      }
    },
  };
  watched.converter = { ...converter, payloadCodecs: [codec] };
  return watched;
}

function errorIn(data: Uint8Array | null | undefined): string | undefined {
  const text = Buffer.from(data ?? []).toString();
  if (!text.includes('"stack_trace"')) return undefined;
  const said: unknown = JSON.parse(text);
  if (!isObject(said)) return undefined;
  const [, place] = /\(?([\w./-]+\.ts:\d+)/.exec(String(said.stack_trace)) ?? [];
  return [String(said.message), place].filter(Boolean).join(' at ');
}
