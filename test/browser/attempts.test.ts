/** Tests the attempts of a redriven lead. */
import type { Page } from 'playwright-core';
import { newLead } from '../support/gateway';
import { until } from '../support/until';
import { accessibilityProblems, onStage } from './browser';
import { callers, keyOf } from '../support/keys';

const on = onStage({ GATEWAY_API_KEYS: callers('chief:leads+operator') });
const chief = { 'x-gateway-key': keyOf('chief') };
const stateOf = async (leadId: string) => (await on.gateway.get(`/api/leads/${leadId}`, chief)).body.state;

let leadId: string;

async function redrive(reason: string, fields: object, state: string) {
  await on.gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields }, chief);
  await until(async () => (await stateOf(leadId)) === state, `the lead is ${state}`);
}

/** Creates a lead that is refused twice and then delivered. */
beforeAll(async () => {
  const lead = newLead('v1-refused-once', { instanceName: 'erg-oct.key-404' });
  leadId = String((await on.gateway.post('/api/clinicsys/no-prescreen', lead, chief)).headers.get('x-lead-id'));
  await redrive('the instance was mistyped', { instanceName: 'erg-oct', protocol: 'AD-302' }, 'failed');
  await redrive('V1 is well again', {}, 'delivered');
});

async function opened(query = '', options = {}): Promise<Page> {
  const page = await on.browser.open(`#/leads/${leadId}${query}`, options);
  await page.getByLabel('Gateway key').fill(keyOf('chief'));
  await page.keyboard.press('Enter');
  await page.locator('.attempts li').first().waitFor();
  return page;
}

const happened = (page: Page, attempt: number) => page.getByRole('heading', { name: `What happened in attempt ${attempt}` }).waitFor();
const rows = (page: Page) => page.locator('.attempts li').allInnerTexts();
const queryOf = (page: Page) => new URL(page.url()).hash.split('?')[1];

describe('a redriven lead', () => {
  it('lists its attempts, oldest first: who, why, the corrected fields, and the error', async () => {
    const page = await opened();
    await happened(page, 3);
    expect(await rows(page)).toEqual([
      expect.stringMatching(/^Attempt 1\s+failed .*\s+Original request\s+\S.*$/),
      expect.stringMatching(
        /^Attempt 2\s+failed .*\s+Redriven by chief: the instance was mistyped\s+Corrected: instanceName, protocol\s+\S.*V1.*$/,
      ),
      expect.stringMatching(/^Attempt 3\s+delivered .*\s+Redriven by chief: V1 is well again$/),
    ]);
    expect(await page.locator('.attempts [aria-current]').innerText()).toBe('Attempt 3');
    expect(await page.locator('.decision').allInnerTexts()).toEqual([expect.stringMatching(/^chief decided: redrive — V1 is well again/)]);
  });

  it('shows the selected attempt and its address', async () => {
    const page = await opened();
    await happened(page, 3);
    await page.getByRole('link', { name: 'Attempt 1' }).click();
    await happened(page, 1);
    expect(queryOf(page)).toBe('attempt=1');
    expect(await page.locator('.timeline > li h3 + .badge').allInnerTexts()).toEqual(['failed', ...Array(4).fill('pending')]);
    expect(await page.locator('.timeline .exchange').count()).toBe(1);
    expect(await page.locator('.facts dd', { hasText: 'erg-oct.key-404' }).count()).toBe(1);
    expect(await page.locator('a:focus').innerText()).toBe('Attempt 1');
    await page.getByRole('link', { name: 'see the newest attempt' }).click();
    await happened(page, 3);
    expect(queryOf(page)).toBeUndefined();
    expect(await page.locator('.facts dd', { hasText: 'erg-oct.key-404' }).count()).toBe(0);
    await page.goBack();
    await happened(page, 1);
  });

  it('shows corrected fields with the old and the new value, masked until shown in clear', async () => {
    const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead('v1-refused-once'), chief);
    const other = String(headers.get('x-lead-id'));
    await on.gateway.post(
      `/api/leads/${other}/redrive`,
      { reason: 'mistyped', fields: { firstName: 'Beatrix', protocol: 'AD-302' } },
      chief,
    );
    const page = await opened();
    await page.goto(`${on.gateway.url}/console#/leads/${other}`);
    await page.getByRole('heading', { name: 'The lead as redriven' }).waitFor();
    const rowsNow = () => page.locator('.mended tbody tr').allInnerTexts();
    expect(await rowsNow()).toEqual(['firstName\tA…\tB…', expect.stringMatching(/^protocol\t.*\tAD-302$/)]);
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('button', { name: 'Mask again' }).waitFor();
    expect((await rowsNow())[0]).toBe('firstName\tAnn\tBeatrix');
    await page.getByRole('link', { name: 'Attempt 1' }).click();
    await happened(page, 1);
    expect(await page.locator('.mended').count()).toBe(0);
  });

  it('opens at the attempt of the address', async () => {
    const page = await opened('?attempt=2');
    await happened(page, 2);
    await page.getByRole('heading', { name: 'The lead as redriven' }).waitFor();
    expect(await page.locator('.attempts [aria-current]').innerText()).toBe('Attempt 2');
    expect(await page.locator('.decision').allInnerTexts()).toEqual([expect.stringContaining('redrive — the instance was mistyped')]);
  });

  it('shows the redrive before its requests, also at the same time', async () => {
    const page = await on.browser.open(`#/leads/${leadId}`);
    const { body } = await on.gateway.get(`/api/leads/${leadId}/exchanges`, chief);
    const [{ at }] = body.decisions;
    const exchanges = body.exchanges.map((one: object) => ({ ...one, startedAt: at }));
    await page.route('**/exchanges?*', (route) => route.fulfill({ json: { ...body, exchanges } }));
    await page.getByLabel('Gateway key').fill(keyOf('chief'));
    await page.keyboard.press('Enter');
    await happened(page, 3);
    const first = page.locator('.timeline > li').first().locator('.decision, .exchange').first();
    expect(await first.innerText()).toContain('chief decided: redrive');
  });

  it('lists the attempts if the address names a missing one', async () => {
    const page = await opened('?attempt=7');
    await page.getByText('The lead does not have this attempt. Its attempts: 1, 2, 3').waitFor();
    expect(await page.locator('.timeline').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Attempt 2' }).click();
    await happened(page, 2);
    await page.getByText('The lead does not have this attempt').waitFor({ state: 'detached' });
  });

  it('has actions only at its newest attempt', async () => {
    const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead('v1-refused'), chief);
    const other = String(headers.get('x-lead-id'));
    await on.gateway.post(`/api/leads/${other}/redrive`, { reason: 'try' }, chief);
    const page = await opened();
    await page.goto(`${on.gateway.url}/console#/leads/${other}?attempt=1`);
    await page.getByText('The lead was redriven after it').waitFor();
    expect(await page.getByRole('button', { name: 'Edit fields' }).count()).toBe(0);
    await page.getByRole('link', { name: 'see the newest attempt' }).click();
    await page.getByRole('button', { name: 'Edit fields' }).waitFor();
  });

  it('has no list with one attempt', async () => {
    const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead(), chief);
    const page = await opened();
    await page.goto(`${on.gateway.url}/console#/leads/${headers.get('x-lead-id')}`);
    await page.getByRole('heading', { name: 'What happened', exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'Attempts' }).isVisible()).toBe(false);
  });

  it.each([
    ['in light', { colorScheme: 'light' }],
    ['in dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 360, height: 740 }, colorScheme: 'light' }],
  ])('is accessible %s, without overflow', async (_look, options) => {
    const page = await opened('?attempt=1', options);
    await happened(page, 1);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });
});
