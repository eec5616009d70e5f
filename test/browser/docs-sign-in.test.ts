import { accessibilityProblems, onStage } from './browser';
import { callers, keyOf } from '../support/keys';

const on = onStage({ GATEWAY_API_KEYS: callers('chief:leads+operator', 'tool:leads') });

describe('the reference with gateway keys', () => {
  it('asks for a key, refuses a wrong key, and then shows the requested section', async () => {
    const page = await on.browser.openPath('/docs/site-system#noPrescreen');
    await page.getByLabel('Gateway key').fill('nonsense');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('This key is unknown').waitFor();
    expect(await page.locator('article').count()).toBe(0);
    await page.getByLabel('Gateway key').fill(keyOf('tool'));
    await page.keyboard.press('Enter');
    await page.locator('article#noPrescreen:target').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('keeps the key in the tab, uses it, and removes it on sign-out', async () => {
    const page = await on.browser.openPath('/docs');
    await page.getByLabel('Gateway key').fill(keyOf('chief'));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Operators' }).first().click();
    await page.locator('#getCaller').getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByText('"name": "chief"').waitFor();
    await page.getByRole('searchbox').fill('retention');
    await page.locator('.results a').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Gateway key').waitFor();
  });

  it('answers programs with JSON', async () => {
    for (const path of ['/docs', '/docs/leads', '/docs/search.json', '/openapi.json']) {
      const { status, body } = await on.gateway.get(path);
      expect([path, status, body.error.code]).toEqual([path, 401, 'UNAUTHORIZED']);
    }
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    expect((await on.gateway.get('/openapi.json', html)).body.error.code).toBe('UNAUTHORIZED');
    expect((await fetch(`${on.gateway.url}/docs`, { headers: html })).status).toBe(401);
  });
});
