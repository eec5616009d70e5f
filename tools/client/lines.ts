/** Streams the JSON lines of an answer. A complete answer ends with a line of kind `end`; a broken connection leaves it out. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { parsed } from './exchange.ts';

export async function* linesIn<Line>({ body }: Response): AsyncGenerator<Line> {
  if (!body) return;
  for await (const line of createInterface({ input: Readable.from(unlessBroken(body), { objectMode: false }) })) {
    const value = parsed(line);
    if (value === undefined) return;
    yield value as Line;
  }
}

async function* unlessBroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    // The reader notices that the last line is missing.
  }
}
