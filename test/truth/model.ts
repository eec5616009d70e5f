/** Models what callers know about the leads of three people. It compares every answer with earlier answers and with the simulators. */
import { endpoints } from '../../src/contract';
import { eraseUntilDone, withoutAccessKey, leadIdOf, sentOf, type ApiCaller } from '../support/background';
import { newLead, type GatewayAnswer, type Gateway } from '../support/gateway';
import { until } from '../support/until';

const paths = { 'no-prescreen': endpoints.noPrescreen.path, 'with-prescreen': endpoints.withPrescreen.path };
const instances = { well: 'erg-oct', slow: 'erg-oct.key-slow-300', failing: 'erg-oct.key-404' };
const reason = 'The input is corrected';

export interface PostStep {
  readonly kind: 'post';
  readonly person: number;
  readonly flow: keyof typeof paths;
  readonly instance: keyof typeof instances;
  readonly variant: number;
  readonly key?: number;
}
export type ModelStep =
  | PostStep
  | { readonly kind: 'erase'; readonly person: number }
  | { readonly kind: 'list'; readonly person: number }
  | { readonly kind: 'counts'; readonly person: number }
  | { readonly kind: 'get'; readonly lead: number }
  | { readonly kind: 'redrive'; readonly lead: number }
  | { readonly kind: 'takeover' };

interface KnownLead {
  readonly leadId: string;
  readonly person: number;
  readonly request: string;
  readonly key?: string;
  /** Undefined until an answer has the final state. */
  state?: string;
  result?: unknown;
}

export interface World {
  readonly gateway: Gateway;
  /** The current API. Its successor does not know its answers. */
  api: ApiCaller;
  takeOver(): Promise<ApiCaller>;
}

export function createModel(world: World) {
  const people = [newLead(), newLead(), newLead()];
  const seen = new Set<string>();
  const erased = new Set<string>();
  let leads: KnownLead[] = [];
  /** How often each person was sent before the last erasure. */
  const sentBefore = people.map(() => 0);
  let isFresh = false;

  const emailOf = (person: number) => people[person]?.email ?? '';
  const of = (person: number) => leads.filter((lead) => lead.person === person);
  const sent = async (person: number) => (await sentOf(world.gateway, emailOf(person))).length;

  /** Retries on an API that has just taken over, because it sees earlier answers a moment later. */
  const soon = async (look: () => Promise<void>) => {
    if (!isFresh) return look();
    let problem: unknown;
    await until(
      () =>
        look().then(
          () => true,
          (error: unknown) => void (problem = error),
        ),
      'the new API knows',
      5_000,
    ).catch(() => {
      throw problem;
    });
  };

  function hear(lead: KnownLead, { status, body }: GatewayAnswer) {
    if (status === 202) return;
    if (status === 200) expect(body.rtResponse.status).toBe(0);
    else expect([status, body.state]).toEqual([422, 'failed']);
    const state = status === 422 ? 'failed' : body.rtResponse.skipped ? 'skipped' : 'delivered';
    const result = status === 200 ? withoutAccessKey(body) : undefined;
    expect([lead.state ?? state, lead.result ?? result]).toEqual([state, result]);
    Object.assign(lead, { state, ...(result && { result }) });
  }

  async function settle(lead: KnownLead) {
    const { status, body } = await world.api.get(`/api/leads/${lead.leadId}?wait=60`);
    expect([status, body.leadId]).toEqual([200, lead.leadId]);
    expect(['delivered', 'skipped', 'failed']).toContain(body.state);
    expect([lead.state ?? body.state, lead.result ?? body.result]).toEqual([body.state, body.result]);
    Object.assign(lead, { state: body.state, result: body.result });
  }

  async function post(step: PostStep) {
    const { person, flow, instance, variant } = step;
    const body = { ...people[person], protocol: `AD-${variant}`, instanceName: instances[instance] };
    const request = JSON.stringify([flow, body]);
    const key = step.key === undefined ? undefined : `${flow}-${emailOf(person)}-${step.key}`;
    const headers = { ...(key && { 'idempotency-key': key }), ...(instance === 'slow' && { prefer: 'respond-async' }) };
    const answer = await world.api.post(paths[flow], body, headers);
    const leadId = leadIdOf(answer);
    const before = key && leads.find((lead) => lead.key === key);
    if (before && before.request !== request) {
      expect([answer.status, answer.body.error?.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      return;
    }
    // A repeat attaches only to a lead that may be open.
    const open = key ? [] : leads.filter((lead) => lead.request === request && lead.state === undefined);
    const same = before || open.find((lead) => lead.leadId === leadId);
    if (before) expect([leadId, answer.headers.get('idempotency-replayed')]).toEqual([before.leadId, 'true']);
    if (same) return hear(same, answer);
    expect([...seen]).not.toContain(leadId);
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    seen.add(leadId);
    const lead: KnownLead = { leadId, person, request, key };
    leads.push(lead);
    hear(lead, answer);
  }

  async function redrive(lead: KnownLead) {
    if (lead.state === undefined) await settle(lead);
    const fields = { instanceName: instances.well };
    const { status } = await world.api.post(`/api/leads/${lead.leadId}/redrive`, { reason, fields });
    expect(status).toBe(lead.state === 'failed' ? 200 : 409);
    if (status !== 200) return;
    Object.assign(lead, { state: undefined, result: undefined });
    await settle(lead);
    expect(['delivered', 'skipped']).toContain(lead.state);
  }

  async function erase(person: number) {
    await eraseUntilDone(world.api, { email: emailOf(person) });
    sentBefore[person] = await sent(person);
    for (const { leadId } of of(person)) erased.add(leadId);
    leads = leads.filter((lead) => lead.person !== person);
  }

  const list = (person: number) =>
    soon(async () => {
      const { body } = await world.api.get(`/api/leads?email=${encodeURIComponent(emailOf(person))}`);
      const shown = new Map<string, string>(body.leads.map((lead: Record<string, string>) => [lead.leadId, lead.state]));
      expect([...shown.keys()].toSorted()).toEqual(
        of(person)
          .map(({ leadId }) => leadId)
          .toSorted(),
      );
      for (const { leadId, state } of of(person)) expect([leadId, state ?? shown.get(leadId)]).toEqual([leadId, shown.get(leadId)]);
    });

  const counts = (person: number) =>
    soon(async () => {
      const { body } = await world.api.get(`/api/leads/counts?email=${encodeURIComponent(emailOf(person))}`);
      const all: number[] = Object.values(body.counts);
      expect(all.reduce((sum, count) => sum + count, 0)).toBe(of(person).length);
      for (const state of ['delivered', 'skipped', 'failed'])
        expect(body.counts[state]).toBeGreaterThanOrEqual(of(person).filter((lead) => lead.state === state).length);
    });

  async function read(lead: KnownLead) {
    const { status, body } = await world.api.get(`/api/leads/${lead.leadId}`);
    expect(status).toBe(200);
    if (lead.state) expect([body.state, body.result]).toEqual([lead.state, lead.result]);
  }

  async function take(step: ModelStep): Promise<void> {
    if (step.kind === 'post') return post(step);
    if (step.kind === 'erase') return erase(step.person);
    if (step.kind === 'list') return list(step.person);
    if (step.kind === 'counts') return counts(step.person);
    if (step.kind === 'takeover') {
      world.api = await world.takeOver();
      isFresh = true;
      return;
    }
    const lead = leads[step.lead % Math.max(leads.length, 1)];
    if (lead) await (step.kind === 'redrive' ? redrive(lead) : read(lead));
  }

  /** Checks that every lead has ended, erased leads are gone, and each lead was sent as often as it was answered. */
  async function judge() {
    for (const lead of leads) await settle(lead);
    for (const leadId of erased) expect((await world.api.get(`/api/leads/${leadId}`)).status).toBe(404);
    for (const person of people.keys()) {
      await list(person);
      const delivered = of(person).filter(({ state }) => state === 'delivered').length;
      expect(await sent(person)).toBe((sentBefore[person] ?? 0) + delivered);
    }
  }

  return { take, judge };
}
