import { newLead } from '../support/gateway';
import { accessibilityProblems, onStage } from './browser';
import { callers, keyOf } from '../support/keys';

const on = onStage({ GATEWAY_API_KEYS: callers('chief:leads+operator', 'tool:leads') });
describe('with gateway keys', () => {
  it('the page asks for a key, refuses a wrong key, and shows nothing before', async () => {
    const page = await on.browser.open('#/leads');
    await page.getByLabel('Gateway key').fill('nonsense');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('This key is unknown').waitFor();
    await page.getByLabel('Gateway key').fill(keyOf('tool'));
    await page.keyboard.press('Enter');
    await page.getByText('The key does not have the scope operator').waitFor();
    expect(await page.locator('table').count()).toBe(0);
  });

  it('a key without the scope operator sees no reconciliations', async () => {
    const page = await on.browser.open('#/reconciliations');
    await page.getByLabel('Gateway key').fill(keyOf('tool'));
    await page.keyboard.press('Enter');
    await page.getByText('The key does not have the scope operator').waitFor();
    expect(await page.getByRole('heading', { name: 'Reconciliations' }).count()).toBe(0);
  });

  it('the key opens the requested page, stays in the tab, and is removed on sign-out', async () => {
    const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead(), { 'x-gateway-key': keyOf('chief') });
    const leadId = String(headers.get('x-lead-id'));
    const page = await on.browser.open(`#/leads/${leadId}`);
    await page.getByLabel('Gateway key').fill(keyOf('chief'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: leadId }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: leadId }).waitFor();
    expect(await page.context().storageState()).toEqual({ cookies: [], origins: [] });
    const other = await page.context().newPage();
    await other.goto(`${on.gateway.url}/console`);
    await other.getByLabel('Gateway key').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Gateway key').waitFor();
    await page.reload();
    await page.getByLabel('Gateway key').waitFor();
  });

  it('the header shows the name of the key', async () => {
    const page = await on.browser.open('#/leads');
    const name = page.locator('header').getByText('Signed in as chief');
    await page.getByLabel('Gateway key').fill(keyOf('chief'));
    await page.keyboard.press('Enter');
    await name.waitFor();
    await page.reload();
    await name.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await name.waitFor({ state: 'detached' });
  });

  it('a dialog closes on sign-out', async () => {
    const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead('comment-422'), { 'x-gateway-key': keyOf('chief') });
    const page = await on.browser.open(`#/leads/${headers.get('x-lead-id')}`);
    await page.getByLabel('Gateway key').fill(keyOf('chief'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor();
    await page.locator('#sign-out').dispatchEvent('click');
    await page.getByLabel('Gateway key').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('#key:focus').waitFor();
  });

  it('an unknown address is left on sign-out', async () => {
    const page = await on.browser.open('#/leads');
    await page.getByLabel('Gateway key').fill(keyOf('chief'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Leads' }).waitFor();
    await page.goto(page.url().replace(/#.*/, '#/sign-in'));
    await page.getByText('Page not found').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Gateway key').waitFor();
  });

  it('a key of spaces is refused by the form', async () => {
    const page = await on.browser.open('#/leads');
    await page.getByLabel('Gateway key').fill('  ');
    await page.keyboard.press('Enter');
    await page.locator('#key:invalid:focus').waitFor();
  });
});
