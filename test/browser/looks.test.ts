import { newLead } from '../support/gateway';
import { accessibilityProblems, onStage } from './browser';

const on = onStage();
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  const [delivered = '', parked = '', failed = ''] = await Promise.all(
    ['', 'comment-422', 'v1-refused'].map((word) => on.send(newLead(word, { protocol: 'LOOKS' }))),
  );
  ids = { delivered, parked, failed };
  await on.gateway.get(`/api/leads/${parked}/exchanges?clear=true`);
});

const views: readonly (readonly [name: string, hash: () => string, ready: string])[] = [
  ['the list', () => '#/leads?protocol=LOOKS', 'tbody tr'],
  ['an empty list', () => '#/leads?protocol=nobody', '.empty'],
  ['a delivered lead', () => `#/leads/${ids.delivered}`, '.timeline li'],
  ['a parked lead', () => `#/leads/${ids.parked}`, '.call-to-act'],
  ['a failed lead', () => `#/leads/${ids.failed}`, '.call-to-act'],
  ['a list to choose from', () => '#/leads?protocol=LOOKS&state=parked', 'tbody .tick'],
  ['many again', () => '#/redrive', 'form'],
  ['many decisions', () => '#/decide', 'form'],
  ['many waiting leads', () => '#/mend', 'form'],
  ['an import', () => '#/import', 'form'],
  ['the reconciliations', () => '#/reconciliations', 'form'],
  ['the traffic', () => '#/traffic', '.plot'],
  ['the audit trail', () => '#/audit', 'tbody tr'],
  ['an erasure', () => '#/erase', 'form'],
  ['no page', () => '#/nonsense', 'main a'],
];
const looks = [
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 360, height: 740 }, colorScheme: 'light' }],
] as const;
const each = views.flatMap(([name, hash, ready]) => looks.map(([look, options]) => ({ name, look, hash, ready, options })));

describe('every page', () => {
  it.each(each)('$name $look is accessible, without overflow', async ({ hash, ready, options }) => {
    const page = await on.browser.open(hash(), options);
    await page.locator(ready).first().waitFor();
    for (const details of await page.locator('main details').all()) await details.evaluate((element) => element.setAttribute('open', ''));
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('has chips on a phone that a finger can hit, as wide as the screen at most', async () => {
    const width = 390;
    const page = await on.browser.open('#/leads', { viewport: { width, height: 800 } });
    await page.route('**/api/leads/counts?*', async (route) => {
      const answer = await route.fetch();
      const long = { state: 'parked', code: 'OUTCOME_UNKNOWN', upstream: 'an-upstream-with-a-long-name'.repeat(3), count: 1 };
      await route.fulfill({ json: { ...(await answer.json()), groups: [{ ...long, upstream: 'recruitment' }, long] } });
    });
    await page.locator('.groups li').filter({ hasText: 'long-name' }).waitFor();
    const sizes = await page.locator('.chips a').evaluateAll((chips) => chips.map((chip) => chip.getBoundingClientRect().toJSON()));
    expect(sizes.filter((size) => size.height < 44 || size.width > width)).toEqual([]);
    await page.locator('.groups a').first().click();
    await page.waitForURL(/code=OUTCOME_UNKNOWN/);
  });

  it('has leads to choose from on a phone that a finger can hit, however old they are', async () => {
    const page = await on.browser.open('#/leads', looks[2][1]);
    await page.route('**/api/leads?*', async (route) => {
      const { leads, ...answer } = await (await route.fetch()).json();
      const createdAt = new Date(Date.now() - 59 * 60_000).toISOString();
      await route.fulfill({ json: { ...answer, leads: leads.map((lead: object) => ({ ...lead, createdAt })) } });
    });
    await page.goto(page.url().replace(/#.*/, '#/leads?protocol=LOOKS&state=parked'));
    await page.locator('tbody .tick').first().waitFor();
    await page.getByText('59 min').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('a dialog is accessible', async () => {
    const page = await on.browser.open(`#/leads/${ids.parked}`);
    await page.getByRole('button', { name: 'It has arrived' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('the form of a failed lead is accessible', async () => {
    const page = await on.browser.open(`#/leads/${ids.failed}`);
    await page.getByRole('button', { name: 'Edit fields' }).click();
    await page.locator('.edit').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('does not jump on a refresh', async () => {
    const page = await on.browser.open('#/leads?protocol=LOOKS');
    const row = page.locator('tbody tr').nth(2);
    await row.waitFor();
    const place = () => row.evaluate((element) => element.getBoundingClientRect().top);
    const again = () => page.waitForResponse((response) => response.url().includes('/api/leads?'));
    // By then all parts of the page are there.
    await again();
    const before = await place();
    for (let rounds = 0; rounds < 2; rounds++) await again();
    expect(await place()).toBe(before);
  });
});
