/** Tests the links from a lead to the Temporal UI, and the copy button. */
import { newLead } from '../support/gateway';
import { onStage } from './browser';

const on = onStage({ TEMPORAL_UI_URL: 'https://temporal.example.org/ui/' });
const runUrl = /^https:\/\/temporal\.example\.org\/ui\/namespaces\/[^/]+\/workflows\/[^/]+\/[0-9a-f-]{36}\/history$/;

it('each attempt links to its run, and each exchange to its event', async () => {
  const leadId = await on.send(newLead('v1-refused-once'));
  await on.gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'V1 is well again' });
  const page = await on.browser.open(`#/leads/${leadId}`);
  const runs = page.locator('.attempts').getByRole('link', { name: 'Run in Temporal' });
  await runs.nth(1).waitFor();
  const urls = await Promise.all([0, 1].map(async (at) => String(await runs.nth(at).getAttribute('href'))));
  expect(urls).toEqual([expect.stringMatching(runUrl), expect.stringMatching(runUrl)]);
  expect(new Set(urls).size).toBe(2);
  expect(await page.getByRole('link', { name: 'run in Temporal', exact: true }).getAttribute('href')).toBe(urls[1]);
  await page.context().route('https://temporal.example.org/**', (route) => route.fulfill({ body: 'the UI' }));
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'run in Temporal', exact: true }).click(),
  ]);
  await opened.getByText('the UI').waitFor();
  expect(opened.url()).toBe(urls[1]);
  const events = await page
    .locator('.exchange')
    .getByText('Event in Temporal')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  expect(events.length).toBeGreaterThan(4);
  for (const event of events) expect(event).toMatch(/\/history\/events\/\d+$/);
  expect(events[0]?.startsWith(urls[1] ?? 'no url')).toBe(true);
});

it('an id is copied with one click, in the list and on the page of a lead', async () => {
  const leadId = await on.send(newLead('', { protocol: 'COPY' }));
  const page = await on.browser.open('#/leads?protocol=COPY', { permissions: ['clipboard-read', 'clipboard-write'] });
  const copied = () => page.evaluate('navigator.clipboard.readText()');
  for (const place of ['#/leads?protocol=COPY', `#/leads/${leadId}`]) {
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.goto(`${on.gateway.url}/console${place}`);
    await page.getByRole('button', { name: `Copy ${leadId}` }).click();
    await page.locator('#announcer', { hasText: 'Copied' }).waitFor({ state: 'attached' });
    expect(await copied()).toBe(leadId);
    expect(page.url()).toContain(place);
  }
});
