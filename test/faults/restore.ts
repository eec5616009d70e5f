/**
 * Simulates the loss of a machine: sends leads, makes a copy, sends more leads, deletes all data, and restores the copy. The simulators keep
 * their data, as on another machine.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { projectDir } from '../../src/config/config';
import { sendUntilAnswered } from './caller';
import { newLead, flows, isSite, sendCall, type TestLead } from './lead';
import { judgeLeads, type SentLead, type LeadVerdict } from './oracle';
import { randomOf, type Random } from './random';
import { violationLines, rowOf, type ReportRow } from './report';
import type { Stage } from './stage';
import { upstreamOf, type UpstreamRecords } from './upstream';

export interface RestoreDrillOptions {
  readonly seed: string;
  readonly round: number;
  /** How many leads to send before the copy; half as many follow after it. */
  readonly leads: number;
}

export interface RestoreDrillResult {
  readonly row: ReportRow & { readonly 'open in the copy': number; readonly 'accepted after': number };
  readonly problems: readonly string[];
}

/** How long after the restore the leads are judged. */
const patienceMs = 25_000;
const callers = 8;

/** Sentinels that keep a lead open during the copy, so that it is sent afterwards. */
const siteWords = [
  ...['key-hold-once', 'lookup-hold-once', 'v1-hold-once', 'v1-hold-after-once', 'comment-hold-once', 'comment-hold-after-once'],
  ...['v1-429-x2', 'comment-429-x2', 'key-500-x5'],
];
const sendWords = ['hold-once', 'hold-after-once', '429-x2'];

function leadOf(random: Random, group: string): TestLead {
  const flow = random.pick(flows);
  const word = isSite(flow) ? random.pick(siteWords) : `${sendCall[flow]}-${random.pick(sendWords)}`;
  return newLead({ flow, group, ...(random.chance(0.7) && { sentinels: [word] }) });
}

/** The caller does not wait for the result, so it never repeats the request. */
async function accept({ url }: Stage, lead: TestLead): Promise<SentLead> {
  const headers = { 'content-type': 'application/json', prefer: 'respond-async', 'idempotency-key': lead.key ?? '' };
  const answer = await fetch(`${url}${lead.path}`, { method: 'POST', headers, body: JSON.stringify(lead.body) });
  const { status } = answer;
  if (status !== 202 && status !== 200) throw new Error(`${lead.path} answered ${status}`);
  const leadId = answer.headers.get('x-lead-id') ?? '';
  return { lead, answers: [[{ status, leadId, replayed: false, body: await answer.json() }]] };
}

/** Sends leads continuously; `enough` resolves when `count` leads are accepted. */
function startLoad(stage: Stage, random: Random, group: string) {
  const accepted: SentLead[] = [];
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

export async function restoreDrill(stage: Stage, { seed, round, leads }: RestoreDrillOptions): Promise<RestoreDrillResult> {
  const random = randomOf(seed, `restore ${round}`);
  const copy = join(stage.dir, `copy-${round}`);
  const load = startLoad(stage, random, `restore${round}`);
  await load.enough(leads);
  const before = [...load.accepted];
  await leadgate(stage, 'backup', copy);
  await load.enough(load.accepted.length + leads / 4);
  // Leads that the upstreams held are sent after the copy; later leads are still open at the end.
  await upstreamOf(stage).release();
  await load.enough(load.accepted.length + leads / 4);
  await load.stop();

  await loseMachine(stage);
  await upstreamOf(stage).release();
  await leadgate(stage, 'restore', copy);
  await stage.heal();

  const { copiedAt } = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8')) as { copiedAt: string };
  const verdicts = await judgeLeads(stage, before, Date.now(), patienceMs);
  const fresh = await Promise.all(Array.from({ length: 4 }, () => sendLead(stage, newLead({ group: `fresh${round}` }))));
  const stuck = (await judgeLeads(stage, fresh, Date.now(), patienceMs)).filter(({ end }) => end !== 'delivered');
  const later = load.accepted.filter((one) => !before.includes(one));
  const held = await upstreamOf(stage).held();
  const twice = later.filter(({ lead }) => isTwice(lead, held));
  const marked = await listed(stage);
  return {
    row: { ...rowOf('restore', String(round), verdicts), 'open in the copy': marked.length, 'accepted after': later.length },
    problems: [
      ...violationLines('restore', verdicts),
      ...verdicts.flatMap((verdict) => unmarked(verdict, before, marked)),
      ...stuck.map(({ lead, state }) => `restore | ${lead.email} | accepted after the restore, but is ${state}`),
      ...twice.map(({ lead }) => `restore | ${lead.email} | accepted after ${copiedAt} | DOUBLED`),
    ],
  };
}

const sendLead = async (stage: Stage, lead: TestLead): Promise<SentLead> => ({ lead, answers: [await sendUntilAnswered(stage, lead)] });

function isTwice({ email, tag }: TestLead, held: ReadonlyMap<string, UpstreamRecords>): boolean {
  const { commits = 0, comments = [] } = held.get(email.toLowerCase()) ?? {};
  return commits > 1 || comments.filter((comment) => comment.includes(tag)).length > 1;
}

/** The leads that are listed as open in the copy. */
async function listed({ ask, url }: Stage): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { body } = await ask(`${url}/api/leads?restored=true&limit=200${cursor && `&cursor=${cursor}`}`);
    ids.push(...(body.leads as { leadId: string }[]).map(({ leadId }) => leadId));
    cursor = body.nextCursor as string | undefined;
  }
  return ids;
}

/** A lead that does not continue must be in that list. */
function unmarked({ lead, state }: LeadVerdict, before: readonly SentLead[], marked: readonly string[]): string[] {
  const leadId = before.find((one) => one.lead === lead)?.answers[0]?.[0]?.leadId ?? '';
  return state === 'verifying' && !marked.includes(leadId) ? [`restore | ${lead.email} | ${state}, but not listed as restored`] : [];
}
