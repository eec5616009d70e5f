/** A lead that was answered stays what it was answered as, whatever else is sent of the same person or with the same body. */
import { setTimeout as pause } from 'node:timers/promises';
import { endpoints } from '../../src/contract';
import { atOnce, kept, leadIdOf, noPrescreen, underLoad } from '../support/background';
import { newLead, type Answered } from '../support/gateway';

const gateway = underLoad();

interface Seen {
  readonly status: number;
  readonly state?: string;
}

/** Often enough to look several times while the index lags. */
const lookEveryMs = 20;

/** What is told of a lead again and again, until `ended` resolves. */
async function seenUntil(leadId: string, ended: Promise<unknown>): Promise<Seen[]> {
  const seen: Seen[] = [];
  const over = new AbortController();
  const watched = ended.finally(() => over.abort());
  while (!over.signal.aborted) {
    const { status, body } = await gateway().get(`/api/leads/${leadId}`);
    seen.push({ status, state: body.state });
    await pause(lookEveryMs);
  }
  await watched;
  return seen;
}

const different = (seen: readonly Seen[]) => [...new Set(seen.map((one) => JSON.stringify(one)))];
const delivered = [JSON.stringify({ status: 200, state: 'delivered' })];

/** Another lead of the same person, under way for most of a second: the comment takes its time. */
const another = (lead: ReturnType<typeof newLead>) => ({ ...lead, protocol: 'comment-slow-700' });

it.each([
  ['without an Idempotency-Key', false],
  ['with one', true],
])('a delivered lead %s is told while another lead of the person is under way', async (_, hasKey) => {
  const lead = newLead();
  const first = await gateway().post(noPrescreen, lead, hasKey ? { 'idempotency-key': `first-${lead.email}` } : {});
  expect(first.status).toBe(200);

  const second = gateway().post(noPrescreen, another(lead));
  const seen = await seenUntil(leadIdOf(first), second);
  expect(different(seen)).toEqual(delivered);
  expect((await second).status).toBe(200);
  expect((await gateway().get(`/api/leads/${leadIdOf(first)}`)).body.result).toEqual(kept(first.body));
});

it('a lead that is under way is told while the person’s next one waits for it', async () => {
  const lead = newLead('v1-slow-500');
  const first = await gateway().post(noPrescreen, lead, atOnce);
  const second = gateway().post(noPrescreen, { ...lead, protocol: 'other' });
  const seen = await seenUntil(leadIdOf(first), second);
  expect(seen.filter(({ status }) => status !== 200)).toEqual([]);
  expect(seen.map(({ state }) => state)).not.toContain('failed');
  expect((await gateway().get(`/api/leads/${leadIdOf(first)}?wait=60`)).body.state).toBe('delivered');
});

it.each([
  ['no-prescreen', noPrescreen, () => newLead()],
  ['with-prescreen', endpoints.withPrescreen.path, () => newLead()],
  ['recruit', endpoints.sendToRecruit.path, () => ({ ...endpoints.sendToRecruit.example, email: newLead().email })],
])('%s: of several leads with one body each keeps its own result', async (_, path, make) => {
  const body = make();
  const sent: Answered[] = [];
  for (let at = 0; at < 3; at++) {
    const answer = await gateway().post(path, body);
    expect(answer.status).toBe(200);
    sent.push(answer);
    const told = await Promise.all(sent.map((one) => gateway().get(`/api/leads/${leadIdOf(one)}`)));
    expect(told.map(({ status }) => status)).toEqual(sent.map(() => 200));
    expect(told.map(({ body: { leadId, result } }) => ({ leadId, result }))).toEqual(
      sent.map((one) => ({ leadId: leadIdOf(one), result: kept(one.body) })),
    );
  }
  expect(new Set(sent.map(leadIdOf)).size).toBe(3);
});
