/** Tests the page that erases a person. */
import type { Page } from 'playwright-core';
import { newLead } from '../support/gateway';
import { accessibilityProblems, onStage } from './browser';

const on = onStage();

/** Everything of the browser that outlives the page. */
const kept = (page: Page) =>
  page.evaluate<string>(
    '[location.href, document.title, ...[localStorage, sessionStorage, history.state].map((one) => JSON.stringify(one))].join()',
  );

async function open(email: string): Promise<Page> {
  const page = await on.browser.open('#/audit');
  await page.getByRole('link', { name: 'Erase', exact: true }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Count' }).click();
  return page;
}

async function confirm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Erase 1 lead …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase 1 lead?' });
  await dialog.getByLabel('Reason').fill('the person asked');
  await dialog.getByRole('button', { name: 'Erase 1 lead' }).click();
}

const stateOf = async (leadId: string) => (await on.gateway.get(`/api/leads/${leadId}`)).status;

describe('a person', () => {
  it('is counted, erased after a confirmation with a receipt, and kept nowhere in the browser', async () => {
    const lead = newLead('comment-422', { protocol: 'ERASE' });
    const leadId = await on.send(lead);
    const page = await open(lead.email.toUpperCase());
    await page.getByRole('heading', { name: '1 lead, ' }).waitFor();
    expect(await page.getByRole('region', { name: 'Leads' }).innerText()).toContain('parked');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await stateOf(leadId)).toBe(200);
    await page.getByRole('button', { name: 'Erase 1 lead …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await stateOf(leadId)).toBe(200);
    await confirm(page);
    await page.getByRole('heading', { name: / erased$/ }).waitFor();
    const receipt = await page.getByText(/^e[0-9a-z]{20}$/).innerText();
    expect(JSON.stringify((await on.gateway.get('/api/audit?action=erase')).body)).toContain(receipt);
    expect(await stateOf(leadId)).toBe(404);
    expect(await page.getByLabel('E-mail').inputValue()).toBe('');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await kept(page)).toLowerCase()).not.toContain(lead.email.split('@')[0]?.toLowerCase());
  });

  it('whose erasure takes long has its progress shown until the receipt', async () => {
    const lead = newLead('', { protocol: 'ERASE' });
    await on.send(lead);
    const page = await open(lead.email);
    let repeat = () => {};
    const repeated = new Promise<void>((done) => (repeat = done));
    let erasures = 0;
    await page.route('**/api/erase', async (route) => {
      erasures += 1;
      if (erasures === 1) return route.fulfill({ status: 202, json: { success: false, pending: true, leads: 0, runs: 3, counts: [] } });
      await repeated;
      return route.continue();
    });
    await confirm(page);
    await page.getByText('0 leads, 3 runs erased so far').waitFor();
    expect(await page.getByLabel('E-mail').isDisabled()).toBe(true);
    repeat();
    await page.getByText(/^Receipt /).waitFor();
    expect(await page.getByLabel('E-mail').isEnabled()).toBe(true);
  });

  it('that changes after the count must be counted again', async () => {
    const page = await open(newLead().email);
    await page.getByRole('heading', { name: '0 leads, 0 runs found' }).waitFor();
    await page.getByLabel('Phone').fill('(555) 201-0000');
    await page.getByRole('heading', { name: 'found' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: /^Erase/ }).count()).toBe(0);
  });

  it('without an e-mail, a phone or an id is refused', async () => {
    const page = await open('');
    await page.getByRole('alert').getByText('an email, a phone or a patientId is required').waitFor();
  });
});
