import type { Client } from '@temporalio/client';
import { createAdmission, NotAdmitted, perSecond } from '../../src/api/admission';
import { parseConfig } from '../../src/config';
import { newLead, startGateway } from '../support/gateway';
import { until } from '../support/until';

const path = '/api/clinicsys/no-prescreen';

it('past the rate of a caller: 429 with Retry-After, and nothing started', async () => {
  const gateway = await startGateway({ settings: { STARTS_PER_S_PER_CALLER: '1' } });
  try {
    const answers = await Promise.all([1, 2, 3].map(() => gateway.post(path, newLead())));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429]);
    const limited = answers.find(({ status }) => status === 429);
    expect([limited?.body.error, limited?.headers.get('retry-after')]).toEqual([{ code: 'RATE_LIMITED', retryable: true }, '1']);
    expect((await gateway.sandbox()).calls.v1).toBe(1);
  } finally {
    await gateway.stop();
  }
});

it('past the open leads: 503 with Retry-After, and nothing started', async () => {
  const gateway = await startGateway({ settings: { OPEN_LEADS_MAX: '1' } });
  try {
    const answer = await until(async () => {
      const { status, body, headers } = await gateway.post(path, newLead('comment-422'));
      return status === 503 && { body, retryAfter: headers.get('retry-after') };
    }, 'the door closes');
    expect(answer).toMatchObject({ body: { error: { code: 'NOT_ACCEPTED', retryable: true } }, retryAfter: '5' });
  } finally {
    await gateway.stop();
  }
});

it('past the open leads and past the rate, what was accepted before is told again, and another body under its key is refused', async () => {
  const gateway = await startGateway({ settings: { OPEN_LEADS_MAX: '1', STARTS_PER_S: '2' } });
  try {
    const lead = newLead('comment-422');
    const key = { 'idempotency-key': 'same' };
    const first = await gateway.post(path, lead, key);
    const full = async () => [429, 503].includes((await gateway.post(path, newLead())).status);
    await until(full, 'the door closes');
    for (let repeat = 0; repeat < 5; repeat++) {
      const again = await gateway.post(path, lead, key);
      expect([again.status, again.body.leadId]).toEqual([422, first.body.leadId]);
    }
    expect((await gateway.post(path, newLead(), key)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const sent = (await gateway.sandbox()).requests.filter(
      ({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(lead.email)),
    );
    expect(sent).toHaveLength(1);
  } finally {
    await gateway.stop();
  }
});

it('a lead that has ended makes room for the next at once', async () => {
  const gateway = await startGateway({ settings: { OPEN_LEADS_MAX: '1' } });
  try {
    const statuses: number[] = [];
    for (let lead = 0; lead < 4; lead++) statuses.push((await gateway.post(path, newLead())).status);
    expect(statuses).toEqual([200, 200, 200, 200]);
  } finally {
    await gateway.stop();
  }
});

it('a lead that has ended is off the count while the index still has it, and what stays in the index counts', async () => {
  jest.useFakeTimers();
  try {
    let indexed = 0;
    const client = { withDeadline: (_: number, call: () => unknown) => call(), workflow: { count: async () => ({ count: indexed }) } };
    const admission = createAdmission(client as unknown as Client, parseConfig({ OPEN_LEADS_MAX: '1' }));
    const place = await admission.admit('caller');
    indexed = 1;
    place.ended();
    jest.advanceTimersByTime(2_000);
    await admission.admit('caller');
    jest.advanceTimersByTime(10_000);
    await expect(admission.admit('caller')).rejects.toThrow(NotAdmitted);
  } finally {
    jest.useRealTimers();
  }
});

describe('a rate', () => {
  it('lets its number through each second, and fills again', () => {
    let now = 0;
    const fits = perSecond(2, () => now);
    expect([fits(), fits(), fits()]).toEqual([true, true, false]);
    now = 500;
    expect([fits(), fits()]).toEqual([true, false]);
  });
  it('of 0 is off', () => expect(Array.from({ length: 50 }, perSecond(0)).every(Boolean)).toBe(true));
});
