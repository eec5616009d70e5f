import { accessibilityProblems, onStage } from './browser';

const on = onStage();
const requests = async () => (await on.gateway.sandbox()).requests;
const sends = async () => (await requests()).filter(({ call }) => call === 'v1').length;

describe('the search of the reference', () => {
  it('finds a field and links to it', async () => {
    const page = await on.browser.openPath('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('referrerid');
    await page.locator('.results a').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/site-system#withPrescreen\.ReferrerID$/);
    await page.locator('dl > div:target').getByText('ReferrerID').waitFor();
  });

  it('finds a path and an error code, and reports no results', async () => {
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

  it('show the selected language, also on the next page', async () => {
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

describe('the form of a route', () => {
  it('sends a dry run by default, and shows status, headers and body of the answer', async () => {
    const page = await on.browser.openPath('/docs/site-system');
    const before = await sends();
    await page.locator('#noPrescreen').getByRole('button', { name: 'Try it' }).click();
    const form = page.getByRole('form', { name: 'Try POST /api/clinicsys/no-prescreen', exact: true });
    await form.getByText('The sandbox is used for every upstream').waitFor();
    await form.getByRole('button', { name: 'Send as a dry run' }).click();
    await form.getByText(/^200 OK/).waitFor();
    await form.getByText('This was a dry run: no lead was sent.').waitFor();
    await form.getByText('x-request-id:').waitFor();
    await form.getByText('"dryRun": true').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await sends()).toBe(before);
  });

  it('sends a lead only after a tick, and requires a new one', async () => {
    const page = await on.browser.openPath('/docs/site-system');
    await page.locator('#noPrescreen').getByRole('button', { name: 'Try it' }).click();
    const form = page.getByRole('form', { name: 'Try POST /api/clinicsys/no-prescreen', exact: true });
    await form.getByRole('checkbox').check();
    await form.getByRole('button', { name: 'Send the lead' }).click();
    await form.getByText(/^200 OK/).waitFor();
    await form.getByText('The sandbox answered: nothing real was sent.').waitFor();
    await form.getByText('x-leadgate-sandbox: true').waitFor();
    await form.getByRole('button', { name: 'Send as a dry run' }).waitFor();
  });

  it('shows the error for an invalid body', async () => {
    const page = await on.browser.openPath('/docs/site-system');
    await page.locator('#noPrescreen').getByRole('button', { name: 'Try it' }).click();
    const form = page.getByRole('form', { name: 'Try POST /api/clinicsys/no-prescreen', exact: true });
    await form.getByLabel('Body').fill('{ "instanceName": ');
    await form.getByRole('button', { name: 'Send as a dry run' }).click();
    await form.getByText(/^400 /).waitFor();
    await form.getByText('The body must be valid JSON').waitFor();
  });

  it('of a route without a dry run sends nothing before the tick', async () => {
    const page = await on.browser.openPath('/docs/task-board');
    const before = (await requests()).length;
    await page.locator('#createProject').getByRole('button', { name: 'Try it' }).click();
    const form = page.getByRole('form', { name: 'Try POST /api/taskboard/projects', exact: true });
    await form.getByRole('button', { name: 'Send the request' }).click();
    await form.locator('input:invalid').waitFor();
    expect((await requests()).length).toBe(before);
    await form.getByRole('checkbox').check();
    await form.getByRole('button', { name: 'Send the request' }).click();
    await form.getByText(/^200 OK/).waitFor();
  });

  it('fills in the path and the query', async () => {
    const page = await on.browser.openPath('/docs/leads');
    await page.locator('#listLeads').getByRole('button', { name: 'Try it' }).click();
    const form = page.getByRole('form', { name: 'Try GET /api/leads', exact: true });
    await form.getByLabel('limit (query)').fill('1');
    const [asked] = await Promise.all([
      page.waitForRequest((request) => request.url().includes('/api/leads?')),
      form.getByRole('button', { name: 'Send the request' }).click(),
    ]);
    expect(asked.url()).toBe(`${on.gateway.url}/api/leads?limit=1`);
    await form.getByText(/^200 OK/).waitFor();
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
  it.each(each)('/docs$path $look is accessible, without overflow', async ({ path, options }) => {
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
