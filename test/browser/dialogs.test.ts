import type { Page } from 'playwright-core';
import { newLead } from '../support/gateway';
import { until } from '../support/until';
import { onStage } from './browser';

const on = onStage();
const goTo = (page: Page, hash: string) => page.goto(page.url().replace(/#.*/, hash));
const headed = (page: Page, leadId: string) => page.getByRole('heading', { name: leadId }).waitFor();
const readingOf = (leadId: string) => (request: { url(): string }) => new URL(request.url()).pathname === `/api/leads/${leadId}`;
const stateOf = async (leadId: string) => (await on.gateway.get(`/api/leads/${leadId}`)).body.state;

function posts(page: Page): readonly string[] {
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  return sent;
}

/** Opens the pages of two leads; the page shows the last one. */
async function twoParked() {
  const [before, shown] = [await on.send(newLead('comment-422')), await on.send(newLead('comment-422'))];
  const page = await on.browser.open(`#/leads/${before}`);
  await headed(page, before);
  await goTo(page, `#/leads/${shown}`);
  await headed(page, shown);
  return { page, before, shown };
}

async function ask(page: Page, button: string) {
  await page.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

describe('a dialog', () => {
  it('closes when the browser goes back to another lead', async () => {
    const { page, before, shown } = await twoParked();
    const sent = posts(page);
    const dialog = await ask(page, 'Discard');
    await dialog.getByLabel('Reason').fill('meant for the other one');
    await page.goBack();
    await headed(page, before);
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    expect(sent).toEqual([]);
    expect([await stateOf(before), await stateOf(shown)]).toEqual(['parked', 'parked']);
  });

  it('closes when the address changes to another lead', async () => {
    const { page, before } = await twoParked();
    const dialog = await ask(page, 'Send again');
    await goTo(page, `#/leads/${before}`);
    await headed(page, before);
    await dialog.waitFor({ state: 'detached' });
  });

  it('closes when the page of another bulk order opens', async () => {
    const page = await on.browser.open('#/leads');
    const run = { success: true, state: 'running', count: 2, done: 0, failedToStart: 0, remaining: 2 };
    await page.route('**/api/redrives/*', (route) => route.fulfill({ json: run }));
    await goTo(page, '#/redrive?id=r1');
    const dialog = await ask(page, 'Stop');
    await goTo(page, '#/redrive?id=r2');
    await dialog.waitFor({ state: 'detached' });
  });

  it.each(['Send again', 'It has arrived', 'Discard'])('names the parked lead: %s', async (button) => {
    const leadId = await on.send(newLead('comment-422'));
    const page = await on.browser.open(`#/leads/${leadId}`);
    await (await ask(page, button)).getByText(leadId).waitFor();
  });

  it('names the failed lead', async () => {
    const leadId = await on.send(newLead('v1-refused'));
    const page = await on.browser.open(`#/leads/${leadId}`);
    await (await ask(page, 'Send again unchanged')).getByText(leadId).waitFor();
  });

  it('that is answered during navigation does not affect the next page', async () => {
    const { page, before, shown } = await twoParked();
    let goOn = () => {};
    const left = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/discard', async (route) => {
      await left;
      await route.continue();
    });
    const dialog = await ask(page, 'Discard');
    await dialog.getByLabel('Reason').fill('a test');
    const answered = page.waitForResponse('**/discard');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.goBack();
    await headed(page, before);
    const readAgain: string[] = [];
    page.on('request', (request) => readingOf(shown)(request) && readAgain.push(request.url()));
    goOn();
    expect((await answered).status()).toBe(200);
    for (let rounds = 0; rounds < 2; rounds++) await page.waitForRequest(readingOf(before));
    expect(readAgain).toEqual([]);
    expect(await page.locator('#announcer').innerText()).not.toContain('discarded');
    expect(await stateOf(shown)).toBe('discarded');
  });
});

describe('a request that the gateway does not answer', () => {
  const notDone = 'your request may not have been carried out';

  /** The first order arrives at the gateway, but its answer does not come back. */
  const losesAnswer = (page: Page, path: string) =>
    page.route(
      path,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );

  it('keeps the input, and its repeat decides once', async () => {
    const leadId = await on.send(newLead('comment-422'));
    const page = await on.browser.open(`#/leads/${leadId}`);
    const dialog = await ask(page, 'Send again');
    await dialog.getByLabel('Reason').fill('it is not there');
    await losesAnswer(page, '**/resend');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText(notDone).waitFor();
    expect(await dialog.innerText()).not.toContain('Retrying');
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('it is not there');
    await until(async () => (await stateOf(leadId)) === 'parked', 'the comment is refused again');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { decisions } = (await on.gateway.get(`/api/leads/${leadId}/exchanges`)).body;
    expect(decisions).toHaveLength(1);
  });

  it('with other input is reported as carried out with the first input', async () => {
    const leadId = await on.send(newLead('comment-422'));
    const page = await on.browser.open(`#/leads/${leadId}`);
    const dialog = await ask(page, 'Discard');
    await dialog.getByLabel('Reason').fill('a test');
    await losesAnswer(page, '**/discard');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.getByText(notDone).waitFor();
    await dialog.getByLabel('Reason').fill('another reason');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.getByText('Your first request was carried out').waitFor();
  });

  it('keeps the corrected fields, and its repeat redrives once', async () => {
    const leadId = await on.send(newLead('v1-refused-x3'));
    const page = await on.browser.open(`#/leads/${leadId}`);
    await page.getByRole('button', { name: 'Edit fields' }).click();
    await page.getByLabel('protocol').fill('AD-302');
    await page.getByLabel('Reason').fill('mistyped');
    await page.route('**/api/leads/*', (route) => route.abort());
    await losesAnswer(page, '**/redrive');
    await page.getByRole('button', { name: 'Send with these fields' }).click();
    await page.locator('.edit').getByText(notDone).waitFor();
    expect(await page.getByLabel('protocol').inputValue()).toBe('AD-302');
    await page.getByRole('button', { name: 'Send with these fields' }).click();
    await page.locator('#announcer', { hasText: 'The lead is being sent again' }).waitFor({ state: 'attached' });
    expect((await on.gateway.get(`/api/leads/${leadId}`)).body.attempts).toHaveLength(2);
  });
});

describe('a reason of spaces alone', () => {
  const isRefused = (page: Page) => page.locator('textarea:invalid:focus').waitFor();

  it('is refused by the dialog', async () => {
    const page = await on.browser.open(`#/leads/${await on.send(newLead('comment-422'))}`);
    const dialog = await ask(page, 'Discard');
    const sent = posts(page);
    await dialog.getByLabel('Reason').fill(' \n ');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await isRefused(page);
    expect(sent).toEqual([]);
    await dialog.getByLabel('Reason').fill('a test');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(sent).toHaveLength(1);
  });

  it('is refused in the form of a failed lead', async () => {
    const page = await on.browser.open(`#/leads/${await on.send(newLead('v1-refused'))}`);
    await page.getByRole('button', { name: 'Edit fields' }).click();
    const sent = posts(page);
    await page.getByLabel('Reason').fill('  ');
    await page.getByRole('button', { name: 'Send with these fields' }).click();
    await isRefused(page);
    expect(sent).toEqual([]);
  });

  it('is refused in the form of a bulk redrive', async () => {
    const page = await on.browser.open('#/redrive');
    await page.route('**/api/redrives', (route) => route.fulfill({ json: { success: true, count: 2, sample: [] } }));
    await page.getByRole('button', { name: 'Count' }).click();
    const start = page.getByRole('button', { name: 'Send 2 again' });
    await start.waitFor();
    const sent = posts(page);
    await page.getByLabel('Reason').fill('  ');
    await start.click();
    await isRefused(page);
    expect(sent).toEqual([]);
  });
});
