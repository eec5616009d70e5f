import { accessibilityProblems, onStage } from './browser';

const on = onStage();
describe('the search of the reference', () => {
  it('finds a field, and leads to it', async () => {
    const page = await on.browser.openPath('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('referrerid');
    await page.locator('.results a').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/site-system#withPrescreen\.ReferrerID$/);
    await page.locator('dl > div:target').getByText('ReferrerID').waitFor();
  });

  it('finds a path and an error code, and says when there is nothing', async () => {
    const page = await on.browser.openPath('/docs/leads');
    const box = page.getByRole('searchbox');
    await box.fill('clinicsys/no-prescreen');
    await page.locator('.results a[href="/docs/site-system#noPrescreen"]').first().waitFor();
    await box.fill('outcome_un');
    await page.locator('.results a[href="/docs/errors#OUTCOME_UNKNOWN"]').waitFor();
    await box.fill('nothing-like-it');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.found').waitFor({ state: 'hidden' });
  });
});

describe('the samples', () => {
  it('can be copied', async () => {
    const page = await on.browser.openPath('/docs/site-system', { permissions: ['clipboard-read', 'clipboard-write'] });
    const block = page.locator('#noPrescreen .block.curl');
    await block.getByRole('button').click();
    await page.locator('#announcer').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await block.locator('pre').textContent());
  });

  it('all show the language that was chosen, on the next page too', async () => {
    const page = await on.browser.openPath('/docs/site-system');
    await page.locator('#noPrescreen').getByRole('radio', { name: 'Python' }).check();
    await page.locator('#getSubjects .python').waitFor();
    expect(await page.locator('#getSubjects .curl').isVisible()).toBe(false);
    await page.goto(`${on.gateway.url}/docs/task-board`);
    await page.locator('#createTodo .python').waitFor();
  });

  it('switch without a script', async () => {
    const page = await on.browser.openPath('/docs/site-system', { javaScriptEnabled: false });
    await page.locator('#noPrescreen').getByRole('radio', { name: 'JavaScript' }).check();
    await page.locator('#noPrescreen .javascript').waitFor();
    expect(await page.locator('#noPrescreen .curl').isVisible()).toBe(false);
  });
});

const looks = [
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 390, height: 800 }, colorScheme: 'light' }],
  ['on a phone in dark', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }],
] as const;
const each = ['', '/errors', '/site-system', '/leads', '/task-board', '/service'].flatMap((path) =>
  looks.map(([look, options]) => ({ path, look, options })),
);

describe('every page', () => {
  it.each(each)('/docs$path $look is accessible, and nothing sticks out', async ({ path, options }) => {
    const page = await on.browser.openPath(`/docs${path}`, options);
    await page.getByRole('searchbox').waitFor();
    await page.locator('main details').evaluateAll((all) => all.forEach((element) => element.setAttribute('open', '')));
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('has an index on a phone', async () => {
    const page = await on.browser.openPath('/docs', { viewport: { width: 390, height: 800 } });
    await page.getByRole('link', { name: 'Index', exact: true }).click();
    await page.getByRole('link', { name: 'C. Lead forms' }).first().click();
    await page.getByRole('heading', { name: 'C. Lead forms' }).waitFor();
  });
});
