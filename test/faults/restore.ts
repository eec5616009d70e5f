/**
 * The loss of a machine: leads under load, a copy, more leads, everything deleted, and the copy restored. The simulators are on another
 * machine, as it were: they know what arrived.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { projectDir } from '../../src/config/config';
import { carry } from './caller';
import { newLead, flows, isSite, sendCall, type Lead } from './lead';
import { judged, type Told, type Verdict } from './oracle';
import { randomOf, type Random } from './random';
import { broken, rowOf, type Row } from './report';
import type { Stage } from './stage';
import { upstreamOf, type Held } from './upstream';

export interface Drill {
  readonly seed: string;
  readonly round: number;
  /** So many leads before the copy; half as many come after it. */
  readonly leads: number;
}

export interface Drilled {
  readonly row: Row & { readonly 'open in the copy': number; readonly 'came after': number };
  readonly problems: readonly string[];
}

/** How long the leads may take after the restore, until they are judged. */
const patienceMs = 25_000;
const callers = 8;

/** What keeps a lead open while the copy is made, so that it goes out after it. */
const siteWords = [
  ...['key-hold-once', 'lookup-hold-once', 'v1-hold-once', 'v1-hold-after-once', 'comment-hold-once', 'comment-hold-after-once'],
  ...['v1-429-x2', 'comment-429-x2', 'key-500-x5'],
];
const sendWords = ['hold-once', 'hold-after-once', '429-x2'];

function leadOf(random: Random, group: string): Lead {
  const flow = random.pick(flows);
  const word = isSite(flow) ? random.pick(siteWords) : `${sendCall[flow]}-${random.pick(sendWords)}`;
  return newLead({ flow, group, ...(random.chance(0.7) && { sentinels: [word] }) });
}

/** Its caller does not wait, so it never sends the lead again. */
async function accept({ url }: Stage, lead: Lead): Promise<Told> {
  const headers = { 'content-type': 'application/json', prefer: 'respond-async', 'idempotency-key': lead.key ?? '' };
  const answer = await fetch(`${url}${lead.path}`, { method: 'POST', headers, body: JSON.stringify(lead.body) });
  const { status } = answer;
  if (status !== 202 && status !== 200) throw new Error(`${lead.path} answered ${status}`);
  const leadId = answer.headers.get('x-lead-id') ?? '';
  return { lead, heard: [[{ status, leadId, replayed: false, body: await answer.json() }]] };
}

/** Leads come in without a pause; `enough` resolves when so many were accepted. */
function startLoad(stage: Stage, random: Random, group: string) {
  const accepted: Told[] = [];
  const over = new AbortController();
  const caller = async () => {
    while (!over.signal.aborted) {
      accepted.push(await accept(stage, leadOf(random, `${group}x${accepted.length % 10}`)));
      await pause(200);
    }
  };
  const load = Promise.all(Array.from({ length: callers }, caller));
  load.catch(() => undefined);
  return {
    accepted,
    enough: async (count: number) => {
      while (accepted.length < count) await Promise.race([pause(20), load]);
    },
    stop: async () => {
      over.abort();
      await load;
    },
  };
}

const leadgate = (stage: Stage, ...words: string[]) =>
  promisify(execFile)(process.execPath, [join(projectDir, 'dist/tools/cli/main.js'), ...words], { env: stage.env });

async function loseMachine({ parts, dataDir }: Stage): Promise<void> {
  await Promise.all([parts.worker.kill(), parts.api.kill(), parts.engine.kill()]);
  rmSync(dataDir, { recursive: true });
}

export async function restoreDrill(stage: Stage, { seed, round, leads }: Drill): Promise<Drilled> {
  const random = randomOf(seed, `restore ${round}`);
  const copy = join(stage.dir, `copy-${round}`);
  const load = startLoad(stage, random, `restore${round}`);
  await load.enough(leads);
  const before = [...load.accepted];
  await leadgate(stage, 'backup', copy);
  await load.enough(load.accepted.length + leads / 4);
  // What the upstreams kept waiting goes out after the copy; leads that come from now on are still open at the end.
  await upstreamOf(stage).release();
  await load.enough(load.accepted.length + leads / 4);
  await load.stop();

  await loseMachine(stage);
  await upstreamOf(stage).release();
  await leadgate(stage, 'restore', copy);
  await stage.heal();

  const { copiedAt } = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8')) as { copiedAt: string };
  const verdicts = await judged(stage, before, Date.now(), patienceMs);
  const fresh = await Promise.all(Array.from({ length: 4 }, () => carried(stage, newLead({ group: `fresh${round}` }))));
  const stuck = (await judged(stage, fresh, Date.now(), patienceMs)).filter(({ end }) => end !== 'delivered');
  const later = load.accepted.filter((one) => !before.includes(one));
  const held = await upstreamOf(stage).held();
  const twice = later.filter(({ lead }) => isTwice(lead, held));
  const marked = await listed(stage);
  return {
    row: { ...rowOf('restore', String(round), verdicts), 'open in the copy': marked.length, 'came after': later.length },
    problems: [
      ...broken('restore', verdicts),
      ...verdicts.flatMap((verdict) => unmarked(verdict, before, marked)),
      ...stuck.map(({ lead, state }) => `restore | ${lead.email} | came in after the restore, and is ${state}`),
      ...twice.map(({ lead }) => `restore | ${lead.email} | came after ${copiedAt} | DOUBLED`),
    ],
  };
}

const carried = async (stage: Stage, lead: Lead): Promise<Told> => ({ lead, heard: [await carry(stage, lead)] });

function isTwice({ email, tag }: Lead, held: ReadonlyMap<string, Held>): boolean {
  const { commits = 0, comments = [] } = held.get(email.toLowerCase()) ?? {};
  return commits > 1 || comments.filter((comment) => comment.includes(tag)).length > 1;
}

/** The leads that the list marks as open in the copy. */
async function listed({ ask, url }: Stage): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { body } = await ask(`${url}/api/leads?restored=true&limit=200${cursor && `&cursor=${cursor}`}`);
    ids.push(...(body.leads as { leadId: string }[]).map(({ leadId }) => leadId));
    cursor = body.nextCursor as string | undefined;
  }
  return ids;
}

/** A lead that does not go on by itself must be in that list. */
function unmarked({ lead, state }: Verdict, before: readonly Told[], marked: readonly string[]): string[] {
  const leadId = before.find((one) => one.lead === lead)?.heard[0]?.[0]?.leadId ?? '';
  return state === 'verifying' && !marked.includes(leadId) ? [`restore | ${lead.email} | ${state}, but not listed as restored`] : [];
}
