/** Tests the Temporal UI of `npm start`: the lists that docs/operating.md links to, and a failed step in clear. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { newLead } from '../support/gateway';
import { startFailing } from '../support/stuck-runs';
import { until, untilHolds } from '../support/until';
import { onStage } from './browser';

const on = onStage({}, { withTemporalUi: true });
const docs = readFileSync(join(projectDir, 'docs/operating.md'), 'utf8');
const lists = [...docs.matchAll(/\[([^\]]+)\]\((http:\/\/127\.0\.0\.1:8233\/[^)]+)\)/g)].map(([, name = '', url = '']) => ({ name, url }));

/** The workflow ids in each list, by its name. */
const runs: Record<string, string[]> = {};

beforeAll(async () => {
  const { gateway } = on;
  const runOf = async (sentinel: string, prefer: string) =>
    String((await gateway.post('/api/clinicsys/no-prescreen', newLead(sentinel), { prefer })).headers.get('x-workflow-id'));
  const failing = await startFailing(gateway.client, gateway.config.TASK_QUEUE);
  const delivered = await runOf('', 'wait=10');
  const failed = await runOf('v1-refused', 'wait=10');
  const parked = await runOf('comment-422', 'wait=10');
  const waiting = await runOf('lookup-503', 'wait=1');
  const ended = await runOf('lookup-503', 'wait=1');
  await gateway.client.workflow.getHandle(ended).terminate();
  Object.assign(runs, {
    'all leads': [delivered, failed, parked, waiting, ended],
    failed: [failed],
    'ended by Temporal': [ended],
    parked: [parked],
    waiting: [waiting],
    'stuck runs': [failing.workflowId],
  });
  const stuck = `WorkflowId = '${failing.workflowId}' AND TemporalReportedProblems IS NOT NULL`;
  await until(async () => (await gateway.client.workflow.count(stuck)).count === 1, 'the engine reports the stuck run');
});

const uiUrl = () => on.gateway.config.TEMPORAL_UI_URL ?? '';

it('has a ready list of each kind of run', () => expect(lists.map(({ name }) => name)).toEqual(Object.keys(runs)));

it.each(lists)('$name: lists these runs and no other', async ({ name, url }) => {
  const { pathname, search } = new URL(url);
  const page = await on.browser.openPath(`${uiUrl()}${pathname}${search}`);
  const shown = () => page.locator('tbody tr a').allInnerTexts();
  await untilHolds(
    async () => expect((await shown()).filter((id) => /^(lead|failing)-/.test(id)).toSorted()).toEqual(runs[name]?.toSorted()),
    'the list is there',
  );
});

it('the link of a lead opens its run, where the failed step has its name, input and error in clear', async () => {
  const lead = newLead('v1-refused');
  const leadId = await on.send(lead);
  const { body } = await on.gateway.get(`/api/leads/${leadId}`);
  const page = await on.browser.openPath(body.attempts[0].temporalUrl.replace(/history$/, 'timeline'));
  await page.getByText('sendToRt • V1 apply').click();
  await page.getByText('Activity Task Failed').waitFor();
  await page.getByText('The V1 apply endpoint refused the request').last().waitFor();
  await page.getByText(lead.email).last().waitFor();
  expect(await page.getByRole('button', { name: 'Reset' }).isDisabled()).toBe(true);
});
