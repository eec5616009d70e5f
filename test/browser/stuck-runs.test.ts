/** Tests the notice of stuck runs above the list of leads. */
import { startFailing } from '../support/stuck-runs';
import { onStage } from './browser';

const on = onStage({ TEMPORAL_UI_URL: 'https://temporal.example.org/ui' });

it('a stuck run is shown with a link to the Temporal UI until it ends', async () => {
  const page = await on.browser.open();
  const told = page.locator('.message.bad');
  await page.getByRole('heading', { name: 'Leads' }).waitFor();
  const run = await startFailing(on.gateway.client, on.gateway.config.TASK_QUEUE);
  await told.getByText('1 run is stuck: its workflow tasks keep failing or timing out.').waitFor({ timeout: 60_000 });
  const link = await told.getByRole('link', { name: 'List them in Temporal' }).getAttribute('href');
  expect(link).toMatch(/^https:\/\/temporal\.example\.org\/ui\/namespaces\/[^/]+\/workflows\?query=\S+TemporalReportedProblems/);
  await run.terminate();
  await told.waitFor({ state: 'detached' });
});
