import { newLead } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { accessibilityProblems, onStage } from './browser';

const on = onStage({ EVENTS_HOSTS: '127.0.0.1', EVENTS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 2).toString('base64')}` });

it('the page of a lead shows its events, and sends them again', async () => {
  const receiver = await openUpstream();
  const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead(), { 'x-callback-url': receiver.url });
  const page = await on.browser.open(`#/leads/${headers.get('x-lead-id')}`);
  const panel = page.getByRole('region', { name: 'Events sent to your tools' });
  await panel.getByText('accepted · callback: told').waitFor();
  await panel.getByText('delivered · callback: told').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Send again to your tools' }).click();
  await page.locator('#announcer', { hasText: 'Sending 2 events again' }).waitFor({ state: 'attached' });
  await until(() => receiver.received.length === 4, 'both are told again');
  await receiver.close();
});
