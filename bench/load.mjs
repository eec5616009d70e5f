/** Runs callers that each send one request after the other, and computes statistics of their times. */
import { Agent, request } from 'undici';

export const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
export const rounded = (value, digits = 1) => (Number.isFinite(value) ? Number(value.toFixed(digits)) : undefined);
export const median = (values) =>
  at(
    values.toSorted((one, other) => one - other),
    0.5,
  );

/** Sends one request and checks the answer; a wrong answer ends the benchmark. */
async function ask(dispatcher, { name, right }, { url, method = 'GET', headers, body }) {
  const answer = await request(url, {
    method,
    dispatcher,
    headers: { 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
    headersTimeout: 120_000,
  });
  const read = await answer.body.json();
  if (answer.statusCode !== 200 || !right(read)) throw new Error(`${name}: ${answer.statusCode} ${JSON.stringify(read).slice(0, 500)}`);
}

/** Runs the callers. Each finishes its last request, so that all answers count. */
export async function load(one, target, { callers, seconds }) {
  const dispatcher = new Agent({ connections: callers, pipelining: 1 });
  const times = [];
  const startedAt = performance.now();
  const caller = async () => {
    do {
      const askedAt = performance.now();
      await ask(dispatcher, one, one.request(target));
      times.push(performance.now() - askedAt);
    } while (performance.now() - startedAt < seconds * 1000);
  };
  try {
    await Promise.all(Array.from({ length: callers }, caller));
  } finally {
    await dispatcher.destroy();
  }
  const tookS = (performance.now() - startedAt) / 1000;
  times.sort((first, second) => first - second);
  return { answers: times.length, perS: times.length / tookS, p50: at(times, 0.5), p95: at(times, 0.95), p99: at(times, 0.99) };
}

/** Sends this many leads, and checks that each is answered with this status. */
export async function fill(one, target, { leads, status, callers = 24 }) {
  let left = leads;
  const caller = async () => {
    while (left-- > 0) {
      const { url, body } = one.request(target);
      const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
      const read = await answer.text();
      if (answer.status !== status) throw new Error(`${one.name}: ${answer.status} instead of ${status}: ${read.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}
