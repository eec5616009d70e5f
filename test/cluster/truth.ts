/** Checks that an answer of one API also holds at the other API, under load. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { isObject } from '../../src/domain/formats';
import { messageOf } from '../../src/lib/errors';
import { newLead, type TestLead } from '../faults/lead';
import type { Pair, Stage } from '../faults/stage';
import { upstreamOf } from '../faults/upstream';
import { until } from '../support/until';
import { summarize, judge, sendDuring, type CheckResult } from './check';

const rounds = 6;
/** How soon the other API lists what this one has answered. */
const listedWithinMs = 2_000;
const reason = 'The person asked for it';

interface Answer {
  readonly status: number;
  readonly leadId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const answer = await fetch(url, init);
  const body: unknown = await answer.json();
  return { status: answer.status, leadId: answer.headers.get('x-lead-id') ?? '', body: isObject(body) ? body : {} };
}

const post = ({ url }: Pair, path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
/** Waits longer than the default of a stage, because a busy machine is slow. */
const send = (pair: Pair, { path, body, key }: TestLead, headers: Record<string, string> = { prefer: 'wait=60' }) =>
  post(pair, path, body, { ...(key && { 'idempotency-key': key }), ...headers });
const read = ({ url }: Pair, leadId: string) => ask(`${url}/api/leads/${leadId}`);
const atOnce = { prefer: 'respond-async' };

async function listedStates({ url }: Pair, filter: Record<string, string>): Promise<Record<string, unknown>> {
  const { body } = await ask(`${url}/api/leads?${new URLSearchParams(filter).toString()}`);
  const leads = Array.isArray(body.leads) ? body.leads.filter(isObject) : [];
  return Object.fromEntries(leads.map(({ leadId, state }) => [String(leadId), state]));
}

async function countedOf({ url }: Pair, filter: Record<string, string>): Promise<Record<string, unknown>> {
  const { body } = await ask(`${url}/api/leads/counts?${new URLSearchParams(filter).toString()}`);
  return Object.fromEntries(Object.entries(isObject(body.counts) ? body.counts : {}).filter(([, count]) => count !== 0));
}

type Rule = (stage: Stage, here: Pair, there: Pair) => Promise<void>;

const rules: Readonly<Record<string, Rule>> = {
  async 'an accepted lead is never sent after the other API has erased it'(stage, here, there) {
    const lead = newLead({ group: 'erased', sentinels: ['lookup-slow-1500'] });
    const accepted = await send(here, lead, atOnce);
    strictEqual(accepted.status, 202);
    const erased = () => post(there, '/api/erase', { email: lead.email, reason });
    await until(async () => (await erased()).status === 200, 'the person is erased');
    const sentBefore = (await upstreamOf(stage).held()).get(lead.email.toLowerCase())?.commits ?? 0;
    for (const pair of [here, there]) {
      strictEqual((await read(pair, accepted.leadId)).status, 404);
      deepStrictEqual(await listedStates(pair, { email: lead.email }), {});
    }
    const later = await send(here, newLead({ flow: 'with-prescreen', group: 'erased', person: lead }));
    strictEqual(later.status, 200);
    // On a busy machine, the index may list the lead only after it was sent. The erasure is then answered after the send.
    const sent = (await upstreamOf(stage).held()).get(lead.email.toLowerCase())?.commits ?? 0;
    strictEqual(sent - sentBefore, 1);
  },

  async 'both APIs return a delivered lead while the next lead of the person is open at the other API'(_stage, here, there) {
    const lead = newLead({ group: 'told', withoutKey: true });
    const first = await send(here, lead);
    strictEqual(first.status, 200);
    const over = new AbortController();
    const second = send(there, { ...lead, body: { ...lead.body, protocol: 'comment-slow-700' } }).finally(() => over.abort());
    while (!over.signal.aborted)
      for (const pair of [here, there]) {
        const { status, body } = await read(pair, first.leadId);
        deepStrictEqual([status, body.state], [200, 'delivered']);
      }
    strictEqual((await second).status, 200);
  },

  async 'an answered lead is listed and counted by its API at once, and by the other API soon'(_stage, here, there) {
    const wells = newLead({ group: 'listed' });
    const parked = newLead({ group: 'listed', sentinels: ['comment-422'] });
    for (const [lead, state] of [
      [wells, 'delivered'],
      [parked, 'parked'],
    ] as const) {
      const { leadId, body } = await send(here, lead);
      strictEqual(body.state ?? 'delivered', state);
      const filters: Record<string, string>[] = [{ email: lead.email }, { email: lead.email, state }];
      const isKnown = async (pair: Pair) => {
        for (const filter of filters) {
          deepStrictEqual(await listedStates(pair, filter), { [leadId]: state });
        }
        deepStrictEqual(await countedOf(pair, { email: lead.email }), { [state]: 1 });
        return true;
      };
      await isKnown(here);
      await until(() => isKnown(there), `the other API lists what is ${state}`, listedWithinMs);
    }
    const { leadId } = await send(here, newLead({ group: 'listed', person: parked }), atOnce);
    ok(leadId in (await listedStates(here, { email: parked.email })), 'an accepted lead is not listed');
    await until(async () => leadId in (await listedStates(there, { email: parked.email })), 'the other API lists it', listedWithinMs);
  },
};

export async function truth(stage: Stage): Promise<CheckResult> {
  const problems: string[] = [];
  const [one, other = one] = stage.pairs;
  if (!one || !other) throw new Error('the stage has no pairs');
  const sentLeads = await sendDuring(stage, { perS: 3, least: 30 }, async () => {
    for (const [name, holds] of Object.entries(rules))
      for (let round = 0; round < rounds; round++) {
        const [here, there] = round % 2 ? [other, one] : [one, other];
        const problem = await holds(stage, here, there).then(
          () => undefined,
          (error: unknown) => messageOf(error),
        );
        if (problem === undefined) continue;
        problems.push(`${name}, round ${round + 1}: ${problem}`);
        break;
      }
  });
  const { line, problems: violations } = summarize('truth', sentLeads, await judge(stage, sentLeads));
  return { line: `${Object.keys(rules).length} rules, ${rounds} rounds each; load: ${line}`, problems: [...problems, ...violations] };
}
