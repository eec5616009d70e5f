import { version } from '../../src/config/version';
import { newLead } from '../support/gateway';
import { onStage } from './browser';

const on = onStage();

it('the foot of each page names the version that runs', async () => {
  const page = await on.browser.open();
  await page.locator('footer').getByText(`Leadgate ${version}`, { exact: true }).waitFor();
});

describe('an address', () => {
  it.each(['#/nonsense', '#/lead', '#/lead/k1', '#/traffic/k1', '#/constructor'])(
    'that is no page is said to be none, with a way to the list: %s',
    async (hash) => {
      const page = await on.browser.open(hash);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(await page.locator('#nav [aria-current]').count()).toBe(0);
      await page.locator('main').getByRole('link', { name: 'All leads' }).click();
      await page.getByRole('heading', { name: 'Leads' }).waitFor();
    },
  );

  it('that is unknown replaces the page of a lead', async () => {
    const leadId = await on.send(newLead());
    const page = await on.browser.open(`#/leads/${leadId}`);
    await page.getByRole('heading', { name: leadId }).waitFor();
    await page.goto(page.url().replace(/#.*/, '#/leads/%'));
    await page.getByText('There is no lead with this id').waitFor();
    expect(await page.getByText(leadId).count()).toBe(0);
  });

  it.each(['', '#', '#/', '#/leads', '#/leads/'])('of the list: "%s"', async (hash) => {
    const page = await on.browser.open(hash);
    await page.getByRole('heading', { name: 'Leads' }).waitFor();
  });
});
