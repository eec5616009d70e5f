/** Runs faults between two related requests: a lead and the erasure of its person. */
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/until';
import { sendUntilAnswered } from './caller';
import { newLead, siteFlows, type TestLead } from './lead';
import type { SentLead } from './oracle';
import type { PartName } from './part';
import type { Random } from './random';
import type { Stage } from './stage';
import { upstreamOf } from './upstream';

export interface ScenarioContext {
  readonly stage: Stage;
  readonly random: Random;
  readonly leads: number;
  readonly group: string;
}

/** The answers to the callers, and other violations by lead tag. */
export interface ScenarioResult {
  readonly sentLeads: readonly SentLead[];
  readonly violations: ReadonlyMap<string, readonly string[]>;
}

export type Scenario = (scene: ScenarioContext) => Promise<ScenarioResult>;

const reason = 'The person asked for it';

/** Leads whose key service fails for some seconds, each in its own instance, so that they are accepted but not sent. */
const openLeads = ({ random, leads, group }: ScenarioContext): TestLead[] =>
  Array.from({ length: leads }, (_, at) => newLead({ flow: random.pick(siteFlows), sentinels: ['key-500-x5'], group: `${group}x${at}` }));

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
  const answer = await fetch(url, init);
  return { status: answer.status, leadId: answer.headers.get('x-lead-id') ?? '' };
}

const eraseOnce = ({ url }: Stage, { email }: TestLead) => post(`${url}/api/erase`, { email, reason });
/** Repeats the request until the erasure is complete, as a well-behaved client does. */
const eraseUntilDone = (stage: Stage, lead: TestLead) =>
  until(async () => (await eraseOnce(stage, lead)).status === 200, 'the person is erased');

const statusOf = async ({ ask, url }: Stage, leadId: string) => (await ask(`${url}/api/leads/${leadId}`)).status;

interface AcceptedLead {
  readonly lead: TestLead;
  readonly leadId: string;
}

const acceptedLeads = (scene: ScenarioContext): Promise<AcceptedLead[]> =>
  Promise.all(
    openLeads(scene).map(async (lead) => {
      const headers = { prefer: 'respond-async', 'idempotency-key': lead.key ?? '' };
      return { lead, leadId: (await post(`${scene.stage.url}${lead.path}`, lead.body, headers)).leadId };
    }),
  );

/** `during` runs after the leads are accepted. It returns the leads whose erasure must complete without another request. */
async function erased(
  scene: ScenarioContext,
  during: (accepted: readonly AcceptedLead[]) => Promise<ReadonlySet<string>>,
): Promise<ScenarioResult> {
  const { stage, group } = scene;
  const accepted = await acceptedLeads(scene);
  const promised = await during(accepted);
  const violations = new Map<string, string[]>();
  const sentLeads = await Promise.all(
    accepted.map(async ({ lead, leadId }): Promise<SentLead> => {
      // Use a healthy instance, because the failing one is held.
      const body = { ...lead.body, instanceName: `erg-oct.${group}` };
      const later = newLead({ flow: lead.flow, group, person: { ...lead, body } });
      const found: string[] = [];
      violations.set(later.tag, found);
      if (promised.has(leadId))
        await until(async () => (await statusOf(stage, leadId)) === 404, 'the erasure continues').catch(() =>
          found.push('an accepted erasure did not continue'),
        );
      await eraseUntilDone(stage, lead).catch(() => found.push('the erasure did not end'));
      const commits = (await upstreamOf(stage).held()).get(lead.email.toLowerCase())?.commits ?? 0;
      if (commits > 0) found.push('it was sent after its erasure');
      if ((await statusOf(stage, leadId)) !== 404) found.push('it is still readable');
      const answers = await sendUntilAnswered(stage, later);
      if (answers.some((answer) => answer?.leadId === leadId)) found.push('a new lead after the erasure has the id of the erased lead');
      return { lead: later, answers: [answers] };
    }),
  );
  return { sentLeads, violations };
}

/** Kills these processes once the leads are accepted, and erases when they run again. */
export const erasedAfter =
  (...names: readonly PartName[]): Scenario =>
  (scene) =>
    erased(scene, async () => {
      await Promise.all(names.map((name) => scene.stage.parts[name].kill()));
      await scene.stage.heal();
      return new Set();
    });

/** Kills these processes during the erasures. An erasure that was answered 202 must complete without another request. */
export const killedInErasure =
  (...names: readonly PartName[]): Scenario =>
  (scene) =>
    erased(scene, async (accepted) => {
      const { stage, random } = scene;
      const answers = accepted.map(({ lead }) => eraseOnce(stage, lead).catch(() => undefined));
      await pause(random.between(0, 1_500));
      await Promise.all(names.map((name) => stage.parts[name].kill()));
      await stage.heal();
      const statuses = await Promise.all(answers);
      return new Set(accepted.filter((_, at) => statuses[at]?.status === 202).map(({ leadId }) => leadId));
    });
