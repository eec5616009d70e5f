/**
 * `npm run drill -- upgrade [--from <commit>]`: stops a service of an earlier commit while leads are open, starts this build on the same
 * data directory, and accounts for every lead. Without `--from` it takes the newest commit of main that the working tree is ahead of.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDir } from '../../src/config/config';
import { isObject } from '../../src/domain/formats';
import { sendUntilAnswered, type CallerAnswers } from '../faults/caller';
import { newLead, sendCall, type TestLead } from '../faults/lead';
import { violationLines, markdown, rowOf } from '../faults/report';
import { withStage } from '../faults/run';
import type { Stage } from '../faults/stage';
import { upstreamOf } from '../faults/upstream';
import { until } from '../support/until';
import { judge } from './check';
import { earlierBuild } from './earlier-build';
import { cases, type UpgradeCase } from './upgrade-cases';

interface Sent {
  readonly lead: TestLead;
  readonly answers: Promise<CallerAnswers>;
}

/** The leads of a case. */
interface OpenCase {
  readonly one: UpgradeCase;
  readonly sent: readonly Sent[];
}

const dist = join(projectDir, 'dist');

async function listed({ ask, url }: Stage, { email }: TestLead): Promise<{ readonly leadId: string; readonly state: string } | undefined> {
  const { body } = await ask(`${url}/api/leads?email=${encodeURIComponent(email)}`);
  const [first] = Array.isArray(body.leads) ? body.leads.filter(isObject) : [];
  return first && { leadId: String(first.leadId), state: String(first.state) };
}

async function isSending(stage: Stage, { flow, email }: TestLead): Promise<boolean> {
  const seen = await upstreamOf(stage).requests();
  return seen.some(({ call, body }) => call === sendCall[flow] && (body.includes(email) || body.includes(encodeURIComponent(email))));
}

/** Sends the leads of a case, each in its own instance unless they are held together, and waits until they have the state of the case. */
async function open(stage: Stage, one: UpgradeCase): Promise<OpenCase> {
  const sent = one.leads.map((wanted, at) => {
    const lead = newLead({ ...wanted, group: `${one.name.replaceAll(/\W+/g, '-')}${one.isHeld ? '' : at}` });
    return { lead, answers: sendUntilAnswered(stage, lead) };
  });
  const stands = async (lead: TestLead) =>
    one.state === 'running' ? isSending(stage, lead) : (await listed(stage, lead))?.state === one.state;
  for (const { lead } of sent) await until(() => stands(lead), `${one.name}: a lead is ${one.state}`);
  return { one, sent };
}

/** Replays the open runs with this build, as before a deployment (docs/scale.md). */
function replayed({ env }: Stage): string {
  const args = [join(dist, 'tools/cli/main.js'), 'replay', '--open'];
  return execFileSync(process.execPath, args, { env, stdio: ['ignore', 'pipe', 2], encoding: 'utf8' }).trim();
}

async function upgrade(stage: Stage): Promise<void> {
  for (const name of ['api', 'worker', 'engine'] as const) await stage.parts[name].terminate();
  for (const name of ['engine', 'worker', 'api'] as const) await stage.make(name, {}, dist).start();
}

async function decide(stage: Stage, lead: TestLead, verb: 'resend' | 'confirm'): Promise<string[]> {
  const found = await listed(stage, lead);
  const upstreamId = (await upstreamOf(stage).held()).get(lead.email.toLowerCase())?.id;
  const answer = await fetch(`${stage.url}/api/leads/${found?.leadId}/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'drill', ...(verb === 'confirm' && { upstreamId }) }),
  });
  return answer.status === 200 ? [] : [`${verb} of a parked lead was answered ${answer.status}`];
}

async function statesOf(stage: Stage, { sent }: OpenCase): Promise<string> {
  const states = await Promise.all(sent.map(async ({ lead }) => (await listed(stage, lead))?.state ?? 'not listed'));
  return [...new Set(states)].join(', ');
}

/** Repeats each request with the same key under the new build, and judges all answers. */
async function account(stage: Stage, { one: { name, state, end: wanted }, sent, states }: OpenCase & { readonly states: string }) {
  const sentLeads = await Promise.all(
    sent.map(async ({ lead, answers }) => ({ lead, answers: [await answers, await sendUntilAnswered(stage, lead)] })),
  );
  const verdicts = await judge(stage, sentLeads);
  const { fault, step, ...numbers } = rowOf(name, states, verdicts);
  const others = verdicts
    .filter(({ end }) => end !== wanted)
    .map(({ lead, end }) => `${name} | ${lead.email} | ${end} instead of ${wanted}`);
  const missed = states.includes(state) ? [] : [`${name}: no lead was ${state} at the stop`];
  return { row: { leads: fault, 'at the stop': step, ...numbers }, problems: [...missed, ...violationLines(name, verdicts), ...others] };
}

async function drill(stage: Stage, say: (line: string) => void): Promise<boolean> {
  await upstreamOf(stage).reset();
  const all: OpenCase[] = [];
  for (const one of cases.filter(({ isBrief }) => !isBrief)) all.push(await open(stage, one));
  say(replayed(stage));
  for (const one of cases.filter(({ isBrief }) => isBrief)) all.push(await open(stage, one));

  const standing = await Promise.all(all.map(async (each) => ({ ...each, states: await statesOf(stage, each) })));
  say(`Stopping it with ${all.flatMap(({ sent }) => sent).length} leads, and starting this build on the same data …`);
  await upgrade(stage);
  const decided: string[] = [];
  for (const { one, sent } of all)
    for (const { lead } of one.verb ? sent : []) decided.push(...(await decide(stage, lead, one.verb ?? 'resend')));

  const accounts = await Promise.all(standing.map((each) => account(stage, each)));
  const problems = [...decided, ...accounts.flatMap((each) => each.problems)];
  say(markdown(accounts.map(({ row }) => row)));
  say([problems.length === 0 ? 'All leads ended as expected' : 'Problems found', ...problems].join('\n      '));
  return problems.length === 0;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { from: { type: 'string' } } });
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const earlier = earlierBuild(values.from);
  say(`From ${earlier.commit} to the working tree`);
  let isRight = false;
  try {
    await withStage({ dist: earlier.dist }, async (stage) => void (isRight = await drill(stage, say)));
  } finally {
    earlier.remove();
  }
  return isRight ? 0 : 1;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
