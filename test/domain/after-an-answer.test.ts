/** What a request came to, how long to wait after it, and which pauses people made. */
import { growingPause } from '../../src/workflows/long-waits';
import type { PauseChange } from '../../src/domain/pauses';
import { fieldsNamed } from '../../src/domain/fields-named';
import { outcomeOf, outcomeOfRead, type HttpResult, type BodyReading } from '../../src/domain/outcome';
import { applyChange, msUntilExpiry, dropExpired, isEmpty, noPauses, pastChangeKeptMs, pastChangesMost } from '../../src/domain/pauses';

const read = (body: unknown): BodyReading<string> => {
  if (body === 'accepted') return { accepted: 'value' };
  return body === 'refused' ? { refused: true } : { unclear: 'without `id`' };
};
const answer = (status: number, body?: unknown): HttpResult => ({ saw: 'answer', status, body });

describe('the outcome of a request', () => {
  it.each<[string, HttpResult, string]>([
    ['no connection', { saw: 'no-connection', reason: 'ECONNREFUSED' }, 'not-sent'],
    ['a connection that broke, or a time-out after connecting', { saw: 'no-answer', reason: 'ECONNRESET' }, 'unknown'],
    ['a 2xx in the success shape', answer(200, 'accepted'), 'delivered'],
    ['a 201 in the success shape', answer(201, 'accepted'), 'delivered'],
    ['a 2xx that says no', answer(200, 'refused'), 'refused'],
    ['a 2xx in another shape', answer(200, { ok: true }), 'unknown'],
    ['a 2xx that cannot be read', answer(200), 'unknown'],
    ['a redirect', answer(302, {}), 'unknown'],
    ['a parsed 400', answer(400, {}), 'refused'],
    ['a parsed 401', answer(401, {}), 'refused'],
    ['a parsed 422', answer(422, {}), 'refused'],
    ['a 4xx that cannot be read', answer(404), 'unknown'],
    ['a 429', answer(429, {}), 'not-sent'],
    ['a 429 that cannot be read', answer(429), 'not-sent'],
    ['a 500', answer(500, {}), 'unknown'],
    ['a 503', answer(503, {}), 'unknown'],
    ['a status that nobody knows', answer(799, 'accepted'), 'unknown'],
  ])('%s proves the outcome', (_name, attempt, expected) => expect(outcomeOf(attempt, read).outcome).toBe(expected));

  it('keeps the Retry-After of a rate-limited request', () =>
    expect(outcomeOf({ saw: 'answer', status: 429, retryAfterMs: 12_000 }, read)).toMatchObject({ limited: true, retryAfterMs: 12_000 }));
});

describe('the outcome of a read', () => {
  it.each([400, 401, 403, 404, 405, 422])('is refused by a %i with an unreadable body', (status) =>
    expect(outcomeOfRead(answer(status), read)).toEqual({ outcome: 'refused', status, body: {} }),
  );
  it('keeps the body of a refusal', () => expect(outcomeOfRead(answer(422, { no: 1 }), read)).toMatchObject({ body: { no: 1 } }));
  it.each([
    [200, 'unknown'],
    [302, 'unknown'],
    [408, 'unknown'],
    [425, 'unknown'],
    [429, 'not-sent'],
    [500, 'unknown'],
    [503, 'unknown'],
  ])('is, after an unreadable %i, %s as for a send', (status, expected) =>
    expect(outcomeOfRead(answer(status), read).outcome).toBe(expected),
  );
});

const sent = { siteId: '1', email: '', dob: '', date_of_birth: '', firstName: '', id: 1 };

describe('the fields that a refusal names', () => {
  it.each([
    ['as a value', { errors: [{ field: 'siteId', message: 'Site not found' }] }, ['siteId']],
    ['as a name', { errors: { email: ['is taken'] } }, ['email']],
    ['in a sentence', { message: 'The Site ID is unknown' }, ['siteId']],
    ['in another spelling', 'date-of-birth: wrong', ['date_of_birth']],
    ['as several words', 'Your date of birth, please', ['date_of_birth']],
    ['several of them', 'email and dob', ['email', 'dob']],
    ['as a path', { loc: ['patientInfo.firstName'] }, ['firstName']],
  ])('are found %s', (_how, words, found) => expect(fieldsNamed(words, sent)).toEqual(found));

  it.each([['the e-mailer said no'], [{ id: 'x' }], [undefined], [null], [42]])('are none in %j', (words) =>
    expect(fieldsNamed(words, sent)).toEqual([]),
  );

  it('are matched by the last part of every path', () =>
    expect(
      fieldsNamed('site id, study id, email, sex, patient info', {
        siteId: 1,
        patientInfo: { sex: 'M', contact: { email: '' } },
        studies: [{ studyId: 1 }],
      }),
    ).toEqual(['siteId', 'sex', 'email', 'studyId']));
});

describe('the pause before the next try', () => {
  const listed = [1_000, 5_000];
  const dayMs = 86_400_000;

  /** How many tries a wait takes. */
  function triesIn(waitMs: number): number {
    let tries = 0;
    for (let waitedMs = 0; waitedMs < waitMs; tries++) waitedMs += growingPause(listed, tries);
    return tries;
  }

  it('follows the list first, and then grows by a twentieth each time', () => {
    expect([0, 1, 2].map((tries) => growingPause(listed, tries))).toEqual([1_000, 5_000, 5_250]);
  });

  it('is never longer than twenty minutes', () => {
    expect(growingPause(listed, 100_000)).toBe(1_200_000);
  });

  it('keeps a run of the longest LEAD_TTL_H within the engine’s limit, at eighteen events a try', () => {
    expect(triesIn(30 * dayMs) * 18).toBeLessThan(51_200);
  });
});

/** What the state of the pauses keeps, and for how long. */
describe('the past changes of pauses', () => {
  const startMs = Date.parse('2026-11-01T00:00:00Z');
  const order = { orderId: 'o1', orderDigest: 'd1', keptUntil: startMs + 60_000 };
  const change = (verb: PauseChange['verb'], reason: string, more = {}): PauseChange => ({
    verb,
    upstream: 'V1',
    instance: '',
    reason,
    keyFingerprint: 'k1',
    ...more,
  });
  const pausedOnce = applyChange(noPauses, change('pause', 'an update', { by: 'ops', order }), startMs);
  const resumed = applyChange(pausedOnce, change('resume', 'it is updated'), startMs + 1_000);

  it('keep a pause and its resume, the newest first', () => {
    expect(pausedOnce.paused).toEqual([
      { upstream: 'V1', instance: '', since: '2026-11-01T00:00:00.000Z', by: 'ops', reason: 'an update' },
    ]);
    expect(resumed).toEqual({
      paused: [],
      orders: [order],
      changes: [
        { verb: 'resume', upstream: 'V1', instance: '', at: '2026-11-01T00:00:01.000Z', reason: 'it is updated' },
        { verb: 'pause', upstream: 'V1', instance: '', at: '2026-11-01T00:00:00.000Z', by: 'ops', reason: 'an update' },
      ],
    });
  });

  it('drop the oldest change above the limit', () => {
    const reasons = Array.from({ length: pastChangesMost + 1 }, (_, at) => `reason ${at}`);
    const { changes } = reasons.reduce((state, reason, at) => applyChange(state, change('pause', reason), startMs + at), noPauses);
    expect(changes.map(({ reason }) => reason)).toEqual(reasons.slice(1).toReversed());
  });

  it('drop each expired order and change, but never a pause', () => {
    expect(msUntilExpiry(resumed, startMs)).toBe(60_000);
    const afterOrder = dropExpired(resumed, order.keptUntil);
    expect([afterOrder.orders, afterOrder.changes]).toEqual([[], resumed.changes]);
    expect(msUntilExpiry(afterOrder, startMs)).toBe(pastChangeKeptMs);
    const afterFirst = dropExpired(afterOrder, startMs + pastChangeKeptMs);
    expect(afterFirst.changes).toEqual(resumed.changes.slice(0, 1));
    expect(isEmpty(afterFirst)).toBe(false);
    expect(isEmpty(dropExpired(afterFirst, startMs + 1_000 + pastChangeKeptMs))).toBe(true);
    expect(dropExpired(pausedOnce, startMs + pastChangeKeptMs)).toEqual({ ...pausedOnce, orders: [], changes: [] });
  });

  it('drop expired changes when a new one is made', () => {
    const later = applyChange(resumed, change('pause', 'once more'), startMs + 2 * pastChangeKeptMs);
    expect([later.orders, later.changes.map(({ reason }) => reason)]).toEqual([[], ['once more']]);
  });
});
