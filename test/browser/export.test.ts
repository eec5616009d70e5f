import { readFileSync } from 'node:fs';
import { newLead } from '../support/gateway';
import { onStage } from './browser';

const on = onStage();

describe('the leads of a list', () => {
  it('are saved as a CSV file with the filter applied', async () => {
    const inside = await on.send(newLead('', { protocol: 'CSV-1' }));
    const outside = await on.send(newLead('', { protocol: 'CSV-2' }));
    const page = await on.browser.open('#/leads?protocol=CSV-1');
    await page.locator('tbody tr').first().waitFor();
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as CSV' }).click()]);
    const text = readFileSync(await saved.path(), 'utf8');
    expect(saved.suggestedFilename()).toBe('leads.csv');
    expect(text).toContain(inside);
    expect(text).not.toContain(outside);
  });

  it('are not saved if the gateway does not answer, with an error', async () => {
    await on.send(newLead('', { protocol: 'CSV-3' }));
    const page = await on.browser.open('#/leads?protocol=CSV-3');
    await page.locator('tbody tr').first().waitFor();
    await page.route('**/api/leads.csv?*', (route) => route.abort());
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    await page.locator('main .message').getByText('The gateway does not answer').waitFor();
  });
});
