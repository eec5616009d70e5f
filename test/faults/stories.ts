/** Faults between two requests that belong together: a lead and its person's erasure. */
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/until';
import { carry } from './caller';
import { newLead, siteFlows, type Lead } from './lead';
import type { Told } from './oracle';
import type { PartName } from './part';
import type { Random } from './random';
import type { Stage } from './stage';
import { upstreamOf } from './upstream';

export interface Scene {
  readonly stage: Stage;
  readonly random: Random;
  readonly leads: number;
  readonly group: string;
}

/** What the callers heard, and what was not true beside it, by the lead's tag. */
export interface Story {
  readonly told: readonly Told[];
  readonly untrue: ReadonlyMap<string, readonly string[]>;
}

export type Play = (scene: Scene) => Promise<Story>;

const reason = 'The person asked for it';

/** Its key service fails for some seconds, in an instance of its own: so long it is accepted and not sent. */
const openLeads = ({ random, leads, group }: Scene): Lead[] =>
  Array.from({ length: leads }, (_, at) => newLead({ flow: random.pick(siteFlows), sentinels: ['key-500-x5'], group: `${group}x${at}` }));

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
  const answer = await fetch(url, init);
  return { status: answer.status, leadId: answer.headers.get('x-lead-id') ?? '' };
}

const eraseOnce = ({ url }: Stage, { email }: Lead) => post(`${url}/api/erase`, { email, reason });
/** A good client: it asks until it is told that it is done. */
const eraseUntilDone = (stage: Stage, lead: Lead) =>
  until(async () => (await eraseOnce(stage, lead)).status === 200, 'the person is erased');

const statusOf = async ({ ask, url }: Stage, leadId: string) => (await ask(`${url}/api/leads/${leadId}`)).status;

interface Accepted {
  readonly lead: Lead;
  readonly leadId: string;
}

const acceptedLeads = (scene: Scene): Promise<Accepted[]> =>
  Promise.all(
    openLeads(scene).map(async (lead) => {
      const headers = { prefer: 'respond-async', 'idempotency-key': lead.key ?? '' };
      return { lead, leadId: (await post(`${scene.stage.url}${lead.path}`, lead.body, headers)).leadId };
    }),
  );

/** `during` lasts from the acceptance until the erasure is asked for to its end; it tells which leads go by themselves. */
async function erased(scene: Scene, during: (accepted: readonly Accepted[]) => Promise<ReadonlySet<string>>): Promise<Story> {
  const { stage, group } = scene;
  const accepted = await acceptedLeads(scene);
  const promised = await during(accepted);
  const untrue = new Map<string, string[]>();
  const told = await Promise.all(
    accepted.map(async ({ lead, leadId }): Promise<Told> => {
      // In an instance that is well: the one before is held for as long as its leads say nothing.
      const body = { ...lead.body, instanceName: `erg-oct.${group}` };
      const later = newLead({ flow: lead.flow, group, person: { ...lead, body } });
      const said: string[] = [];
      untrue.set(later.tag, said);
      if (promised.has(leadId))
        await until(async () => (await statusOf(stage, leadId)) === 404, 'it goes on by itself').catch(() =>
          said.push('an erasure that was accepted did not go on by itself'),
        );
      await eraseUntilDone(stage, lead).catch(() => said.push('the erasure did not end'));
      const commits = (await upstreamOf(stage).held()).get(lead.email.toLowerCase())?.commits ?? 0;
      if (commits > 0) said.push('it was sent, though nothing was sent when it was erased');
      if ((await statusOf(stage, leadId)) !== 404) said.push('it is still told of');
      const heard = await carry(stage, later);
      if (heard.some((answer) => answer?.leadId === leadId)) said.push('a lead after the erasure is the one before it');
      return { lead: later, heard: [heard] };
    }),
  );
  return { told, untrue };
}

/** kill -9 of these when the leads are accepted, and the erasure when they run again. */
export const erasedAfter =
  (...names: readonly PartName[]): Play =>
  (scene) =>
    erased(scene, async () => {
      await Promise.all(names.map((name) => scene.stage.parts[name].kill()));
      await scene.stage.heal();
      return new Set();
    });

/** kill -9 of these while the erasures are under way. One that was answered 202 must go on by itself. */
export const killedInErasure =
  (...names: readonly PartName[]): Play =>
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
