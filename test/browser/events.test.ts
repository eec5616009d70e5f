import { giveUpEvents } from '../support/given-up';
import { newLead } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';
import { accessibilityProblems, onStage } from './browser';

const on = onStage({ EVENTS_HOSTS: '127.0.0.1', EVENTS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 2).toString('base64')}` });

let receiver: Upstream;
beforeEach(async () => void (receiver = await openUpstream()));
afterEach(() => receiver.close());

it('the page of a lead shows its events, and sends them again', async () => {
  const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead(), { 'x-callback-url': receiver.url });
  const page = await on.browser.open(`#/leads/${headers.get('x-lead-id')}`);
  const panel = page.getByRole('region', { name: 'Events sent to your tools' });
  await panel.getByText('accepted · callback: told').waitFor();
  await panel.getByText('delivered · callback: told').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Send again to your tools' }).click();
  await page.locator('#announcer', { hasText: 'Sending 2 events again' }).waitFor({ state: 'attached' });
  await until(() => receiver.received.length === 4, 'both are told again');
});

describe('the page of events', () => {
  it('lists deliveries of all leads, and sends one, or all that failed, again', async () => {
    const leadIds = [await on.send(newLead()), await on.send(newLead())];
    for (const leadId of leadIds) await giveUpEvents(on.gateway, receiver, leadId);
    const [first = ''] = leadIds;
    const told = () => receiver.received.length;
    const before = told();
    const page = await on.browser.open(`#/leads/${first}`);
    await page.getByRole('link', { name: 'All deliveries' }).click();
    await page.getByLabel('State').selectOption('given-up');
    const rows = page.locator('tbody tr');
    await until(async () => (await rows.count()) === 2, 'both events of the lead are listed');
    expect(await rows.first().innerText()).toMatch(/callback\s+lead.delivered[^]*given-up\s*answered 503/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await rows
      .first()
      .getByRole('button', { name: `Send again: ${first}-1-2-delivered to the callback` })
      .click();
    await until(() => told() === before + 1, 'the event arrives');

    await page.getByLabel('Lead').fill('');
    await page.getByLabel('Event', { exact: true }).selectOption('lead.accepted');
    await until(async () => (await rows.count()) === 2, 'one event of each lead is left');
    await page.getByRole('link', { name: 'Send all that failed again' }).click();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('2 leads with events that were given up match').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Reason').fill('The receiver was down');
    await page.getByLabel('Leads per second').fill('50');
    await page.getByRole('button', { name: 'Send events of 2 again' }).click();
    await page.getByText('2 of 2 resent, 0 could not be resent, 0 remaining.', { exact: true }).waitFor();
    await until(() => told() === before + 3, 'the others arrive');
    await page.goto(`${on.gateway.url}/console#/audit?action=resend-events-many`);
    await page.getByRole('link', { name: 'this resend' }).first().waitFor();
  });
});
