import { newLead } from '../support/gateway';
import { onStage } from './browser';

const on = onStage();
/** An id on two lines is higher than this. */
const oneLinePx = 30;
const rowOf = (leadId: string) => `tr[data-key="${leadId}"]`;

describe('the list of leads', () => {
  it('shows a new lead automatically, with its state, flow and age', async () => {
    const page = await on.browser.open('#/leads?protocol=NEW-1');
    await page.getByText('No lead matches').waitFor();
    const leadId = await on.send(newLead('', { protocol: 'NEW-1' }));
    const row = page.locator(rowOf(leadId));
    await row.getByText('delivered').waitFor();
    expect(await row.innerText()).toMatch(/no-prescreen[^]*erg-oct[^]*study 12 · NEW-1/);
  });

  it('shows why a lead is stalled', async () => {
    const leadId = await on.send(newLead('comment-422', { protocol: 'WHY-1' }));
    const page = await on.browser.open('#/leads?protocol=WHY-1');
    await page.locator(rowOf(leadId)).getByText('V2: refused').waitFor();
  });

  it('requests only the page and the counts, with any number of stalled leads', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => on.send(newLead('v1-refused', { protocol: 'FEW-1' }))));
    const page = await on.browser.open('#/leads?protocol=FEW-1');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    for (const leadId of ids) await page.locator(rowOf(leadId)).getByText('V1: refused').waitFor();
    expect(new Set(asked.filter((path) => path.startsWith('/api/')))).toEqual(new Set(['/api/leads', '/api/leads/counts']));
  });

  it('finds leads by error, and the address has the filter', async () => {
    const lead = newLead('', { instanceName: 'erg-oct.v1-refused' });
    const failed = await on.send(lead);
    const waiting = await on.send({ ...lead, instanceName: 'erg-oct.key-500' });
    const page = await on.browser.open(`#/leads?email=${encodeURIComponent(lead.email)}`);
    await page.locator(rowOf(failed)).waitFor();
    await page.locator(rowOf(waiting)).waitFor();
    await page.getByLabel('Error', { exact: true }).selectOption('refused');
    await page.locator(rowOf(waiting)).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^failed 1$/ }).click();
    const shared = await page.context().newPage();
    await shared.goto(page.url());
    await shared.locator(rowOf(failed)).waitFor();
    expect([await shared.locator('tbody tr').count(), await shared.getByLabel('E-mail').inputValue()]).toEqual([1, lead.email]);
    expect(await shared.getByLabel('Error', { exact: true }).inputValue()).toBe('UPSTREAM_REJECTED');
  });

  it('keeps the seconds of a time in the address when another field changes', async () => {
    const page = await on.browser.open('#/leads?since=2026-03-04T05%3A06%3A07.000Z&until=2026-03-04T05%3A06%3A00.000Z');
    await page.getByLabel('Flow').selectOption('recruit');
    await page.waitForURL(/flow=recruit/);
    await page.getByLabel('Study').fill('12');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL(/studyId=12/);
    const asked = new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
    expect([asked.get('since'), asked.get('until')]).toEqual(['2026-03-04T05:06:07.000Z', '2026-03-04T05:06:00.000Z']);
  });

  it('shows when a lead was accepted, with the time zone', async () => {
    const leadId = await on.send(newLead('', { protocol: 'WHEN' }));
    const page = await on.browser.open('#/leads?protocol=WHEN', { timezoneId: 'America/New_York', locale: 'en-US' });
    const { leads } = (await on.gateway.get('/api/leads?protocol=WHEN')).body;
    const time = new Date(leads[0].createdAt).toLocaleTimeString('en-US', { timeZone: 'America/New_York', hour12: true });
    expect((await page.locator(`${rowOf(leadId)} .c4`).innerText()).replace('\n0', '\n')).toContain(`\n${time}`);
    expect(await page.locator('thead').innerText()).toMatch(/Accepted, E[SD]T/);
  });

  it('shows no step of a delivered lead', async () => {
    const leadId = await on.send(newLead('', { protocol: 'THERE' }));
    const page = await on.browser.open('#/leads?protocol=THERE');
    await page.locator(rowOf(leadId)).getByText('delivered').waitFor();
    expect(await page.locator(`${rowOf(leadId)} .c2`).innerText()).toBe('no-prescreen');
  });

  it.each([390, 1280])('shows each id on one line at %i px', async (width) => {
    const leadId = await on.send(newLead('', { protocol: 'LINE' }));
    const page = await on.browser.open('#/leads?protocol=LINE', { viewport: { width, height: 800 } });
    const heightOf = async (selector: string) => (await page.locator(selector).boundingBox())?.height;
    await page.locator(rowOf(leadId)).waitFor();
    expect(await heightOf(`${rowOf(leadId)} .id`)).toBeLessThan(oneLinePx);
    await page.getByRole('link', { name: leadId }).click();
    await page.getByRole('heading', { name: leadId }).waitFor();
    expect(await heightOf('h1')).toBeLessThan(oneLinePx);
  });

  it('shows no name, e-mail or phone', async () => {
    const lead = newLead('', { protocol: 'NOBODY', lastName: 'Featherstone' });
    const leadId = await on.send(lead);
    const page = await on.browser.open('#/leads?protocol=NOBODY');
    await page.locator(rowOf(leadId)).waitFor();
    const shown = await page.content();
    for (const word of ['Featherstone', lead.email, '201-3344']) expect(shown).not.toContain(word);
  });

  it('has the search in the address', async () => {
    const lead = newLead();
    const leadId = await on.send(lead);
    const page = await on.browser.open('#/leads');
    await page.getByLabel('E-mail').fill(lead.email);
    await page.keyboard.press('Enter');
    await page.locator(rowOf(leadId)).waitFor();
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    expect(page.url()).toContain(`email=${encodeURIComponent(lead.email)}`);
    await page.reload();
    await page.locator(rowOf(leadId)).waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(lead.email);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    expect(page.url()).not.toContain('email');
  });

  it('finds a lead by its reference, and shows it in the list and on its page', async () => {
    const key = `form-${Date.now()}`;
    const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead(), { 'idempotency-key': key });
    const row = rowOf(headers.get('x-lead-id') ?? '');
    const page = await on.browser.open('#/leads');
    await page.getByLabel('Reference').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    expect(await page.locator(row).locator('.reference').innerText()).toBe(key);
    await page.locator(row).getByRole('link').click();
    await page.getByText(key, { exact: true }).waitFor();
  });

  it('finds leads that were sent twice within a time', async () => {
    const lead = newLead('', { protocol: 'TWICE' });
    const [first, again] = [await on.send(lead), await on.send(lead)];
    const page = await on.browser.open('#/leads?protocol=TWICE');
    await page.locator(rowOf(first)).waitFor();
    await page.getByLabel('Sent twice within').selectOption('10 minutes');
    await page.locator(rowOf(first)).waitFor({ state: 'detached' });
    await page.locator(rowOf(again)).waitFor();
    await page.getByRole('link', { name: /^delivered 0$/ }).waitFor();
    expect(page.url()).toContain('repeatedWithin=10m');
  });

  it('counts the states, and a count links to its leads', async () => {
    await Promise.all(['comment-422', ''].map((word) => on.send(newLead(word, { instanceName: 'erg-tampa' }))));
    const page = await on.browser.open('#/leads?site=erg-tampa');
    const parked = page.getByRole('link', { name: /^parked 1$/ });
    await parked.click();
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    await page.locator('tbody tr', { hasText: 'parked' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/leads?site=erg-tampa&state=parked');
    expect(await parked.getAttribute('aria-current')).toBe('true');
  });

  it('counts leads by error and upstream, and a group links to its leads and back', async () => {
    const [parked = '', failed = ''] = await Promise.all(
      ['comment-422', 'v1-refused'].map((word) => on.send(newLead(word, { protocol: 'GROUP' }))),
    );
    const page = await on.browser.open('#/leads?protocol=GROUP');
    const group = page.getByRole('link', { name: /^parked V2: refused 1$/ });
    await page.getByRole('link', { name: /^failed V1: refused 1$/ }).waitFor();
    await group.click();
    await page.locator(rowOf(failed)).waitFor({ state: 'detached' });
    await page.locator(rowOf(parked)).waitFor();
    expect(Object.fromEntries(new URLSearchParams(page.url().split('?')[1]))).toEqual({
      ...{ protocol: 'GROUP', state: 'parked', code: 'UPSTREAM_REJECTED', upstream: 'V2' },
    });
    expect(await group.getAttribute('aria-current')).toBe('true');
    await page.reload();
    await page.locator(rowOf(parked)).waitFor();
    expect(await page.getByLabel('Upstream of the error').inputValue()).toBe('V2');
    await group.click();
    expect(page.url()).not.toContain('upstream=');
  });

  it('keeps focus and rows while a person reads, and announces new leads', async () => {
    const first = await on.send(newLead('', { protocol: 'CALM' }));
    const page = await on.browser.open('#/leads?protocol=CALM');
    await page.locator(`${rowOf(first)} a`).focus();
    const second = await on.send(newLead('', { protocol: 'CALM' }));
    const more = page.getByRole('button', { name: 'Show 1 new' });
    await more.waitFor();
    expect(await page.locator(rowOf(second)).count()).toBe(0);
    expect(await page.locator(`${rowOf(first)} a:focus`).count()).toBe(1);
    await more.click();
    await page.locator(rowOf(second)).waitFor();
  });

  it('shows one page at a time', async () => {
    await Promise.all(Array.from({ length: 52 }, () => on.send(newLead('', { protocol: 'PAGES' }))));
    const page = await on.browser.open('#/leads?protocol=PAGES');
    await page.locator('tbody tr').nth(49).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(50);
    const last = page.locator(rowOf(String(await page.locator('tbody tr').nth(49).getAttribute('data-key'))));
    await page.getByRole('link', { name: 'Older' }).click();
    await last.waitFor({ state: 'detached' });
    await page.locator('tbody tr').nth(1).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(2);
    await page.getByRole('link', { name: 'Newest' }).click();
    await last.waitFor();
  });

  it('is usable with only the keyboard', async () => {
    const leadId = await on.send(newLead('', { protocol: 'KEYS' }));
    const page = await on.browser.open('#/leads?protocol=KEYS');
    await page.locator(rowOf(leadId)).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('.skip:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    await page.locator(`${rowOf(leadId)} a`).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: leadId }).waitFor();
  });

  it('reports that the gateway does not answer, and recovers', async () => {
    const page = await on.browser.open('#/leads');
    await page.locator('.chips a').first().waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.locator('main .message', { hasText: 'The gateway does not answer' }).waitFor();
    await page.unroute('**/api/**');
    await page.locator('main .message').waitFor({ state: 'detached' });
  });
});
