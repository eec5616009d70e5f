/** Replays stored runs against the current workflow bundle, and tells for each whether the code would do the same. */
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { isObject } from '../../src/domain/formats';
import { notEncrypted } from '../../src/domain/in-clear';
import { messageOf } from '../../src/lib/errors';
import { isEncrypted } from '../../src/temporal/codec';
import { decodePayloads } from '../../src/temporal/decode';
import { unencryptedMark } from '../../src/temporal/engine';
import { happened, parting, type Parting } from './commands';
import type { History } from './history-json';
import { createListener } from './listener';

export interface Stored {
  readonly workflowId: string;
  readonly history: History;
}

export interface Verdict extends Stored {
  readonly same: boolean;
  readonly parting?: Parting;
  /** The engine's message, or the error that the code ended with. */
  readonly reason?: string;
}

export interface Against {
  /** A bundle for replays; any other one tells less. */
  readonly bundlePath: string;
  readonly converter: DataConverter;
}

/** Replays one run after the other. An unreadable payload ends the replay, because it says nothing about the code. */
export async function* replayed(
  histories: AsyncIterable<Stored> | Iterable<Stored>,
  { bundlePath, converter }: Against,
): AsyncGenerator<Verdict> {
  const listener = createListener();
  const inClear = new Set<string>();
  const watched = watchedCodec(converter, inClear);
  const current: Stored[] = [];
  const undecided: Stored[] = [];
  // Remember the inputs: the results only name the run, and the report needs its history.
  const passing = async function* () {
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
  for await (const { runId, error } of Worker.runReplayHistories(options, passing())) {
    const stored = current.shift();
    const asked = listener.take(runId);
    if (watched.unreadable) throw watched.unreadable;
    if (!stored) continue;
    if (!error) yield { ...stored, same: true };
    else
      yield {
        ...stored,
        same: false,
        parting: asked && parting(happened(stored.history.events ?? []), asked),
        reason: watched.thrown() ?? inShort(error),
      };
  }
  for (const stored of undecided) yield { ...stored, same: true };
}

/** False for a run that has decided nothing yet, such as a lock. The SDK's replay of it would not end. */
const hasDecided = ({ history: { events } }: Stored): boolean => (events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);

/** True for a run that was written down in clear. One that came so has been refused. */
function isFixture({ history: { events } }: Stored): boolean {
  const payloads = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const { failure } = events?.at(-1)?.workflowExecutionFailedEventAttributes ?? {};
  return !payloads.some(isEncrypted) && failure?.applicationFailureInfo?.type !== notEncrypted;
}

/** Takes the one sentence out of the engine's message, which is a dump of its structures. */
function inShort(error: unknown): string {
  const message = messageOf(error);
  return /Nondeterminism error: (.*?)", source:/.exec(message)?.[1] ?? message.split('\n')[0] ?? message;
}

/** Wraps the project's codec as a worker's, and keeps what a person should hear of. Runs of `clear` are read as they are. */
function watchedCodec(converter: DataConverter, clear: ReadonlySet<string>) {
  let lastThrown: string | undefined;
  const watched = {
    unreadable: undefined as Error | undefined,
    /** The error that the code ended with, if any; returned once. */
    thrown(): string | undefined {
      const told = lastThrown;
      lastThrown = undefined;
      return told;
    },
    converter,
  };
  const codec: PayloadCodec = {
    // Encoded payloads are only searched for the error of a failed run, and not stored.
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
