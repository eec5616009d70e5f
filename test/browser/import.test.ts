/** Tests the import page. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { csvOf } from '../support/csv';
import { newLead } from '../support/gateway';
import { people } from '../support/imports';
import { accessibilityProblems, onStage } from './browser';

const on = onStage();

const importIdIn = (page: Page) => new URL(page.url()).hash.replace('#/import?id=', '');

async function check(page: Page, csv: string): Promise<void> {
  await page.getByLabel('Flow of every row').selectOption('no-prescreen');
  await page.getByLabel('File').setInputFiles({ name: 'leads.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('button', { name: 'Check the file' }).click();
}

async function send(page: Page, rows: number, ratePerS = 50): Promise<void> {
  await page.getByLabel('Leads per second').fill(String(ratePerS));
  await page.getByRole('button', { name: `Send ${rows} rows …` }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Send ${rows} rows` })
    .click();
  await page.waitForURL(/#\/import\?id=i[0-9a-z]{20}$/);
}

const countsOf = async (importId: string) => (await on.gateway.get(`/api/leads/counts?importId=${importId}`)).body.counts;

describe('a file of leads', () => {
  it('is checked, confirmed with its number of rows, sent, and its results are saved', async () => {
    const leads = [...people(2), newLead('v1-refused')];
    const page = await on.browser.open('#/leads');
    await page.getByRole('link', { name: 'Import' }).click();
    await check(page, csvOf(leads));
    await page.getByText('3 rows: 3 can be sent.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await send(page, 3);
    await page.getByText('3 of 3 rows have a result. It started 3 leads.').waitFor();
    await page.locator('.title .badge', { hasText: 'done' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the result file' }).click()]);
    const text = readFileSync(await saved.path(), 'utf8');
    expect(text.split('\r\n').map((line) => line.split(',').slice(0, 2).join())).toEqual([
      'line,state',
      '"2","delivered"',
      '"3","delivered"',
      '"4","failed"',
      '',
    ]);
    const { failed } = await countsOf(importIdIn(page));
    expect(failed).toBe(1);
    for (const { email } of leads) expect([text.includes(email), (await page.content()).includes(email)]).toEqual([false, false]);
    expect(await page.getByLabel('File').inputValue()).toBe('');
  });

  it('is opened by its address, with the states of its leads', async () => {
    const first = await on.browser.open('#/import');
    await check(first, csvOf(people(2)));
    await send(first, 2);
    await first.locator('.title .badge', { hasText: 'done' }).waitFor();
    const other = await on.browser.open(`#/import?id=${importIdIn(first)}`);
    await other.getByText('It started 2 leads.').waitFor();
    await other.locator('.chips a', { hasText: 'delivered' }).click();
    await other.locator('tbody tr').nth(1).waitFor();
    expect(await other.locator('tbody tr').count()).toBe(2);
  });

  it('continues while another page is shown', async () => {
    const page = await on.browser.open('#/import');
    await check(page, csvOf(people(4)));
    await send(page, 4, 2);
    const id = importIdIn(page);
    await page.getByRole('link', { name: 'Upstreams' }).click();
    await page.goBack();
    await page.getByText('4 of 4 rows have a result.').waitFor();
    expect(await countsOf(id)).toMatchObject({ delivered: 4 });
  });

  it('is stopped, and continued', async () => {
    const file = csvOf(people(5));
    const page = await on.browser.open('#/import');
    await check(page, file);
    await send(page, 5, 1);
    await page.getByRole('button', { name: 'Stop …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.locator('.title .badge', { hasText: 'stopped' }).waitFor();
    await page.getByText('no row is sent twice').waitFor();
    const before = importIdIn(page);
    await check(page, file);
    await send(page, 5);
    await page.getByText('5 of 5 rows have a result.').waitFor();
    const [first, second] = [await countsOf(before), await countsOf(importIdIn(page))];
    expect(first.delivered + second.delivered).toBe(5);
    expect(second.delivered).toBeGreaterThan(0);
  });
});

describe('a file with errors', () => {
  const wrong = () => csvOf([newLead('', { dob: '02/30/1980' }), ...people(1)]);

  it('shows each error, and is sent without those rows only after confirmation', async () => {
    const page = await on.browser.open('#/import');
    await check(page, wrong());
    await page.getByText('2 rows: 1 can be sent, 1 with errors.').waitFor();
    expect(await page.locator('tbody tr').innerText()).toMatch(/^2\s+dob\s+must be a real date/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 1 row …' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByLabel('Leave out the 1 row with errors').check();
    await page.getByRole('button', { name: 'Send 1 row …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send 1 row' }).click();
    await page.getByText('2 of 2 rows have a result. It started 1 lead.').waitFor();
  });

  it('is not sent with an unknown column, unless it is left out', async () => {
    const file = csvOf(people(1).map((lead) => ({ ...lead, Notes: 'x' })));
    const page = await on.browser.open('#/import');
    await check(page, file);
    await page.getByText('Rename these columns').waitFor();
    expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
    await page.getByLabel('Leave out columns').check();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Send 1 row …' }).waitFor();
  });

  it('that is not a CSV of leads is refused with the reason', async () => {
    const page = await on.browser.open('#/import');
    await check(page, 'just,some\nother,file\n');
    await page.getByRole('alert').getByText('the first row must contain column names').waitFor();
  });
});
