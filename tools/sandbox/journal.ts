/**
 * Records the requests to the simulators: the count of each call, and the latest requests with their raw bodies. It omits headers, which
 * contain keys.
 */
import type { ServerResponse } from 'node:http';

type RecordedRequest = { at: string; call: string; method: string; url: string; contentType: string; body: string; sentinel?: string };

/** `answered` is the status of a complete answer; null if there is none, or none yet. */
type JournalEntry = RecordedRequest & { answered: number | null };

export type Journal = ReturnType<typeof createJournal>;

// Drop old requests, so that a benchmark cannot fill the memory.
const bytesMax = 32 * 1024 * 1024;
const size = ({ url, body }: RecordedRequest) => url.length + body.length + 256;

export function createJournal() {
  let counts: Record<string, number> = {};
  let entries: JournalEntry[] = [];
  let bytes = 0;

  function record(response: ServerResponse, request: RecordedRequest): void {
    counts[request.call] = (counts[request.call] ?? 0) + 1;
    const entry: JournalEntry = { ...request, answered: null };
    response.once('finish', () => (entry.answered = response.statusCode));
    entries.push(entry);
    bytes += size(entry);
    if (bytes > bytesMax) dropOlderHalf();
  }

  function dropOlderHalf(): void {
    entries = entries.slice(Math.ceil(entries.length / 2));
    bytes = entries.reduce((sum, entry) => sum + size(entry), 0);
  }

  function reset(): void {
    counts = {};
    entries = [];
    bytes = 0;
  }

  return { note: record, reset, state: () => ({ calls: counts, requests: entries }) };
}
