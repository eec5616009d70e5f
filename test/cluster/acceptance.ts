/** Checks that the main endpoint of every group gives the same correct answers at each pair of worker and API. */
import { endpoints } from '../../src/contract';
import { isObject } from '../../src/domain/formats';
import { sendUntilAnswered } from '../faults/caller';
import { flows, newLead } from '../faults/lead';
import type { SentLead } from '../faults/oracle';
import type { Pair, Stage } from '../faults/stage';
import { upstreamOf } from '../faults/upstream';
import { until } from '../support/until';
import { summarize, judge, type CheckResult } from './check';

const { withPrescreen, listProjects, createTodo, getTodo, getSites } = endpoints;

/** Reads that must give the same answer at each pair. */
const reads: readonly { readonly what: string; readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: object }[] = [
  { what: 'task board: projects', method: 'GET', path: listProjects.path },
  { what: 'toolkit: sites', method: 'POST', path: getSites.path, body: getSites.example },
];

async function ask(url: string, method: string, body?: object): Promise<{ status: number; body: unknown; headers: Headers }> {
  const init = { method, ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }) };
  const answer = await fetch(url, init);
  return { status: answer.status, body: await answer.json(), headers: answer.headers };
}

const at = (stage: Stage, { url }: Pair): Stage => ({ ...stage, url });
const other = ({ pairs }: Stage, pair: Pair): Pair => pairs.find((one) => one !== pair) ?? pair;

export async function acceptance(stage: Stage): Promise<CheckResult> {
  const problems: string[] = [];
  const expect = (isTrue: boolean, what: string) => void (isTrue || problems.push(what));
  const sentLeads: SentLead[] = [];
  for (const pair of stage.pairs)
    for (const flow of flows) {
      const lead = newLead({ flow, group: 'acceptance' });
      const callerAnswers = await sendUntilAnswered(at(stage, pair), lead);
      sentLeads.push({ lead, answers: [callerAnswers] });
      const [answer] = callerAnswers;
      expect(callerAnswers.length === 1 && answer?.status === 200, `${flow} at ${pair.url}: ${answer?.status} ${answer?.code ?? ''}`);
      const shown = await ask(`${other(stage, pair).url}/api/leads/${answer?.leadId}`, 'GET');
      expect(shown.status === 200, `${flow}: the other pair does not know the lead (${shown.status})`);
    }

  const prescreened = await ask(`${stage.url}${withPrescreen.path}`, 'POST', {
    ...withPrescreen.example,
    email: newLead({ group: 'p' }).email,
  });
  expect(prescreened.status === 200, `with-prescreen: ${prescreened.status}`);

  for (const { what, method, path, body } of reads) {
    const answers = await Promise.all(stage.pairs.map(({ url }) => ask(`${url}${path}`, method, body)));
    expect(
      answers.every(({ status }) => status === 200),
      `${what}: ${answers.map(({ status }) => status).join(' and ')}`,
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size === 1, `${what}: the pairs answer differently`);
  }
  const [first, second = first] = stage.pairs;
  const made = await ask(`${first?.url}${createTodo.path}`, 'POST', createTodo.example);
  expect(made.status === 200, `task board: a card was not made (${made.status})`);
  const card = isObject(made.body) && isObject(made.body.card) ? String(made.body.card.id) : '';
  const read = await ask(`${second?.url}${getTodo.path.replace('{id}', card)}`, 'GET');
  expect(read.status === 200, `task board: the other pair does not find the card (${read.status})`);

  const together = newLead({ group: 'acceptance', callers: stage.pairs.length, sentinels: ['v1-slow-300'] });
  const callerAnswers = await Promise.all(stage.pairs.map((pair) => sendUntilAnswered(at(stage, pair), together)));
  sentLeads.push({ lead: together, answers: callerAnswers });
  const ids = new Set(callerAnswers.flat().map((answer) => answer?.leadId));
  expect(ids.size === 1, `one Idempotency-Key at both pairs at once: ${ids.size} lead ids`);
  const commits = (await upstreamOf(stage).held()).get(together.email.toLowerCase())?.commits;
  expect(commits === 1, `one Idempotency-Key at both pairs at once: accepted ${commits} times`);

  for (const { url } of stage.pairs) {
    const listed = async () => (await ask(`${url}/api/leads?email=${encodeURIComponent(together.email)}`, 'GET')).body;
    await until(async () => JSON.stringify(await listed()).includes([...ids][0] ?? '?'), `${url} lists the lead`, 10_000).catch(() =>
      problems.push(`${url} does not list the lead`),
    );
  }

  const verdicts = await judge(stage, sentLeads);
  const { line, problems: violations } = summarize('acceptance', sentLeads, verdicts);
  return { line: `${line}; one key at both pairs at once: ${commits} commit`, problems: [...problems, ...violations] };
}
