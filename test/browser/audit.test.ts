import { newestRun } from '../../src/leads/attempts';
import { deleteRun } from '../../src/temporal/ask';
import { eraseUntilDone } from '../support/background';
import { newLead } from '../support/gateway';
import { until } from '../support/until';
import { onStage } from './browser';

const on = onStage();
const reason = 'Ann Lee asked for it on the phone';

describe('the page of the audit trail', () => {
  it('shows one line per action, with its lead, outcome and, on request, its reason', async () => {
    const leadId = await on.send(newLead('comment-422'));
    await on.gateway.post(`/api/leads/${leadId}/discard`, { reason });
    await on.gateway.post(`/api/leads/${leadId}/discard`, { reason });
    const page = await on.browser.open(`#/audit?leadId=${leadId}`);
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(2);
    expect(await rows.first().innerText()).toMatch(/local\s+discard[^]*WRONG_STATE/);
    expect(await page.content()).not.toContain('Ann');
    await rows.nth(1).getByRole('button', { name: 'Why?' }).click();
    await rows.nth(1).getByText(reason).waitFor();
    await rows.nth(1).getByRole('link', { name: leadId }).click();
    await page.getByRole('heading', { name: leadId }).waitFor();
  });

  it('shows the reason of a redrive and the receipt of an erasure', async () => {
    const lead = newLead('v1-refused');
    const leadId = await on.send(lead);
    await on.gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'V1 is well again' });
    const page = await on.browser.open('#/audit');
    await page.getByLabel('Action').fill('redrive');
    await page.keyboard.press('Enter');
    const row = page.locator('tbody tr', { hasText: leadId });
    await row.getByRole('button', { name: 'Why?' }).click();
    await row.getByText('V1 is well again').waitFor();
    const { body } = await on.gateway.post('/api/erase', { email: lead.email, reason: 'asked' });
    await page.getByLabel('Action').fill('erase');
    await page.keyboard.press('Enter');
    await page
      .locator('tbody tr', { hasText: String(body.receiptId) })
      .first()
      .waitFor();
  });

  it('keeps a shown reason during a search', async () => {
    const leadId = await on.send(newLead('v1-refused'));
    await on.gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'the site asked for her' });
    const page = await on.browser.open('#/audit');
    const row = page.locator('tbody tr', { hasText: leadId });
    await row.getByRole('button', { name: 'Why?' }).click();
    await row.getByText('the site asked for her').waitFor();
    await page.getByLabel('Lead').fill(leadId);
    const searched = page.waitForResponse((response) => response.url().includes(`/api/audit?leadId=${leadId}`));
    await page.keyboard.press('Enter');
    await searched;
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    await row.getByText('the site asked for her').waitFor();
  });

  it('shows the reasons of a pause and of the resume after it', async () => {
    const about = { upstream: 'V2', instance: 'ERG/erg-oct.audited' };
    await on.gateway.post('/api/upstreams/pause', { ...about, reason: 'its database moves' });
    await on.gateway.post('/api/upstreams/resume', { ...about, reason: 'the database has moved' });
    const page = await on.browser.open('#/audit');
    for (const [action, reason] of [
      ['pause upstream', 'its database moves'],
      ['resume upstream', 'the database has moved'],
    ] as const) {
      const row = page.locator('tbody tr', { hasText: about.instance }).filter({ hasText: action });
      await row.getByRole('button', { name: 'Why?' }).click();
      await row.getByText(reason).waitFor();
    }
  });

  it('shows what a redrive changed, masked and on request in clear', async () => {
    const leadId = await on.send(newLead('', { instanceName: 'erg-oct.key-404', lastName: 'Featherstone' }));
    const fields = { instanceName: 'erg-oct', lastName: 'Feather' };
    await on.gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields });
    const page = await on.browser.open(`#/audit?leadId=${leadId}&action=redrive`);
    const row = page.locator('tbody tr', { hasText: leadId });
    await row.getByRole('button', { name: 'Why?' }).click();
    await row.getByText(reason).waitFor();
    expect(await row.locator('.mended tbody').innerText()).toMatch(
      /instanceName\s+erg-oct.key-404\s+erg-oct\s+lastName\s+F…\s+F… \(another value\)/,
    );
    await row.getByRole('button', { name: 'Show in clear' }).click();
    await row.getByText('Featherstone').waitFor();
    const { body } = await on.gateway.get(`/api/audit?leadId=${leadId}&action=read+in+clear`);
    expect(body.entries.map(({ route }: { route: string }) => route)).toContain('/api/audit');
  });

  it('shows the reason when the lead is gone, and that an erasure removed it', async () => {
    const lead = newLead('comment-422');
    const leadId = await on.send(lead);
    await on.gateway.post(`/api/leads/${leadId}/discard`, { reason });
    const { workflowId, runId } = await newestRun(on.gateway.client, leadId);
    await deleteRun(on.gateway.client, { workflowId, runId });
    await until(async () => (await on.gateway.get(`/api/leads/${leadId}`)).status === 404, 'its run is deleted');
    const why = async () => {
      const page = await on.browser.open(`#/audit?leadId=${leadId}`);
      await page.getByRole('button', { name: 'Why?' }).click();
      return page;
    };
    await (await why()).locator('tbody tr').getByText(reason).waitFor();
    await eraseUntilDone(on.gateway, { email: lead.email });
    await (await why()).locator('tbody tr').getByText('The evidence was erased with the person.').waitFor();
  });

  it('links to the report of a redrive and of a decision', async () => {
    const filter = { protocol: 'AUDITED' };
    await on.send(newLead('v1-refused', filter));
    await on.send(newLead('comment-422', filter));
    for (const [path, order, words] of [
      ['/api/redrives', { filter, reason, count: 1 }, 'redrive'],
      ['/api/decisions', { filter, reason, count: 1, verb: 'discard' }, 'decision'],
    ] as const) {
      const started = await until(async () => {
        const { status, body } = await on.gateway.post(path, order);
        return status === 202 ? body : undefined;
      }, 'the lead is counted');
      const page = await on.browser.open('#/audit');
      await page
        .getByRole('link', { name: `this ${words}` })
        .first()
        .click();
      await page.waitForURL(new RegExp(String(started.redriveId ?? started.decisionId)));
      await page
        .locator('main')
        .getByText(/1 of 1 /)
        .waitFor();
    }
  });

  it('loads older lines without gaps', async () => {
    // Each has two entries, also for a lead that is not there.
    for (let at = 0; at < 60; at++) await on.gateway.post('/api/leads/nobody/events', {});
    const page = await on.browser.open('#/audit?action=send-events-again');
    const rows = page.locator('tbody tr');
    await rows.nth(49).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await rows.nth(59).waitFor();
    expect(await rows.count()).toBe(60);
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0);
  });

  it('reports that a key may not read it', async () => {
    const page = await on.browser.open('#/leads');
    const message = 'The key does not have the scope operator';
    await page.route('**/api/audit*', (route) => route.fulfill({ status: 403, json: { success: false, message } }));
    await page.goto(page.url().replace(/#.*/, '#/audit'));
    await page.locator('main').getByText(message).waitFor();
    expect(await page.locator('main table').isVisible()).toBe(false);
  });
});
