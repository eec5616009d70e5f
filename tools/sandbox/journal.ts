/**
 * Records the requests to the simulators: how often each call came, and the latest requests with their raw bodies. It leaves out headers,
 * which hold keys.
 */
import type { ServerResponse } from 'node:http';

type Request = { at: string; call: string; method: string; url: string; contentType: string; body: string; sentinel?: string };

/** `answered` is the status of a complete answer; null if there is none, or none yet. */
type Entry = Request & { answered: number | null };

export type Journal = ReturnType<typeof createJournal>;

// Drop old requests, so that a benchmark cannot fill the memory.
const bytesMax = 32 * 1024 * 1024;
const size = ({ url, body }: Request) => url.length + body.length + 256;

export function createJournal() {
  let counts: Record<string, number> = {};
  let entries: Entry[] = [];
  let bytes = 0;

  function note(response: ServerResponse, request: Request): void {
    counts[request.call] = (counts[request.call] ?? 0) + 1;
    const entry: Entry = { ...request, answered: null };
    response.once('finish', () => (entry.answered = response.statusCode));
    entries.push(entry);
    bytes += size(entry);
    if (bytes > bytesMax) forgetTheOlderHalf();
  }

  function forgetTheOlderHalf(): void {
    entries = entries.slice(Math.ceil(entries.length / 2));
    bytes = entries.reduce((sum, entry) => sum + size(entry), 0);
  }

  function reset(): void {
    counts = {};
    entries = [];
    bytes = 0;
  }

  return { note, reset, state: () => ({ calls: counts, requests: entries }) };
}
