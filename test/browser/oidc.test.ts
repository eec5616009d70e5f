/** People sign in at a real issuer, in a real browser. */
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { freePort } from '../../src/config/ports';
import { listening } from '../../src/lib/http-server';
import { newLead } from '../support/gateway';
import { startIssuer, type TestIssuer } from '../support/issuer';
import { callers, keyOf } from '../support/keys';
import { until } from '../support/until';
import { accessibilityProblems, onStage } from './browser';

const behaviour = {
  people: {
    ann: { preferred_username: 'ann.lee', roles: ['admin'] },
    bo: { preferred_username: 'bo.ray', roles: ['admin'] },
    cy: { preferred_username: 'cy.fox', roles: ['guest'] },
  },
};

let issuer: TestIssuer;
const on = onStage(async () => {
  const port = await freePort();
  issuer = await startIssuer(behaviour, [port]);
  return issuer.settings(port, { GATEWAY_API_KEYS: callers('tool:leads') });
});
afterAll(() => issuer.stop());

/** Fills in the form of the issuer. */
async function logIn(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
}

async function signedIn(login: string, hash = '#/leads'): Promise<Page> {
  const page = await on.browser.open(hash);
  await page.getByRole('link', { name: 'Sign in with 127.0.0.1:' }).click();
  await logIn(page, login);
  return page;
}

const signedOut = (page: Page) => page.getByRole('alertdialog', { name: 'You are signed out' });

/** Opens a parked lead, and the dialog to discard it. Types a reason. */
async function typing(login: string, reason: string): Promise<{ page: Page; leadId: string }> {
  const { headers } = await on.gateway.post('/api/clinicsys/no-prescreen', newLead('comment-422'), { 'x-gateway-key': keyOf('tool') });
  const leadId = String(headers.get('x-lead-id'));
  const page = await signedIn(login, `#/leads/${leadId}`);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByLabel('Reason').fill(reason);
  return { page, leadId };
}

describe('a person', () => {
  it('signs in at the issuer, comes back to the same page, and is named there; a new tab is signed in, too', async () => {
    const page = await on.browser.open('#/leads?state=parked');
    const link = page.getByRole('link', { name: `Sign in with ${new URL(issuer.url).host}` });
    await link.waitFor();
    await page.getByLabel('Gateway key').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await link.click();
    await logIn(page, 'ann');
    await page.getByText('Signed in as ann.lee').waitFor();
    expect(new URL(page.url()).hash).toBe('#/leads?state=parked');
    await page.getByRole('heading', { name: 'Leads' }).waitFor();
    const cookies = await page.context().cookies(on.gateway.url);
    const session = cookies.find(({ name }) => name === 'leadgate-session');
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie')).not.toContain('leadgate');
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).toBe('{}');
    const other = await page.context().newPage();
    await other.goto(`${on.gateway.url}/console`);
    await other.getByText('Signed in as ann.lee').waitFor();
  });

  it('is only then said to have done something when they did', async () => {
    const page = await signedIn('ann');
    const marks = (mark: string) =>
      page.waitForRequest((request) => request.url().includes('/api/leads') && request.headers()['x-leadgate-session'] === mark);
    await page.getByText('Signed in as ann.lee').waitFor();
    await marks('look');
    await page.keyboard.press('Shift');
    await marks('act');
    await marks('look');
  });

  it('whose roles give no scope gets a page that says so, and can sign in as somebody else', async () => {
    const page = await signedIn('cy');
    await page.getByRole('heading', { name: 'You have no access' }).waitFor();
    await page.getByText('Signed in there as: cy.fox').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Sign in as somebody else' }).click();
    await logIn(page, 'ann');
    await page.getByText('Signed in as ann.lee').waitFor();
  });

  it('is warned a minute before the session ends, and can stay', async () => {
    const page = await signedIn('ann');
    await page.getByText('Signed in as ann.lee').waitFor();
    await page.route('**/*', async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      await route.fulfill({ response, headers: headers['x-leadgate-session'] ? { ...headers, 'x-leadgate-session': '45' } : headers });
    });
    const warning = page.getByRole('alertdialog', { name: 'You will be signed out in a minute' });
    await warning.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await warning.getByRole('button', { name: 'Stay signed in' }).click();
    await warning.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Leads' }).waitFor();
  });
});

describe('after the session has ended', () => {
  it('the page shows nothing, and after another sign-in it is as before, with what was typed', async () => {
    const { page, leadId } = await typing('ann', 'not the right person');
    await page.context().clearCookies({ name: 'leadgate-session' });
    await signedOut(page).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.getByRole('heading', { name: leadId }).isVisible()).toBe(false);
    expect(await page.getByLabel('Reason').isVisible()).toBe(false);
    for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
    expect(await page.getByLabel('Reason').isVisible()).toBe(false);
    const popup = page.waitForEvent('popup');
    await signedOut(page).getByRole('button', { name: 'Sign in with' }).click();
    // The issuer still knows the person, so the window closes by itself.
    await (await popup).waitForEvent('close');
    await signedOut(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Reason').inputValue()).toBe('not the right person');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('person:ann.lee').first().waitFor();
    expect((await on.gateway.get(`/api/leads/${leadId}`, { 'x-gateway-key': keyOf('tool') })).body.state).toBe('discarded');
  });

  it('another person who signs in gets a new page', async () => {
    const { page } = await typing('ann', 'a reason of ann');
    await page.context().clearCookies();
    await signedOut(page).waitFor();
    const opened = page.waitForEvent('popup');
    await signedOut(page).getByRole('button', { name: 'Sign in with' }).click();
    await logIn(await opened, 'bo');
    await page.getByText('Signed in as bo.ray').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByText('a reason of ann').count()).toBe(0);
  });
});

describe('on sign-out', () => {
  it('the issuer is told, and every tab forgets its page', async () => {
    const page = await signedIn('ann');
    await page.getByText('Signed in as ann.lee').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${on.gateway.url}/console`);
    await other.getByText('Signed in as ann.lee').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${issuer.url}/session/end**`);
    await page.locator('button', { hasText: 'Yes, sign me out' }).click();
    await page.getByRole('link', { name: 'Sign in with' }).waitFor();
    await other.getByRole('link', { name: 'Sign in with' }).waitFor();
    // The issuer asks who they are again.
    await page.getByRole('link', { name: 'Sign in with' }).click();
    await page.locator('input[name=login]').waitFor();
  });
});

describe('the reference', () => {
  it('is open to a person, who can try a route and sign out', async () => {
    const page = await on.browser.openPath('/docs/operators#getCaller');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Sign in with' }).click();
    await logIn(page, 'ann');
    const route = page.locator('article#getCaller');
    await route.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByText('"name": "person:ann.lee"').waitFor();
    expect(new URL(page.url()).hash).toBe('#getCaller');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${issuer.url}/session/end**`);
  });
});

describe('a page of another origin', () => {
  it('on the same host cannot act with a form, though the browser sends the cookie', async () => {
    const page = await signedIn('ann');
    await page.getByText('Signed in as ann.lee').waitFor();
    const target = `${on.gateway.url}/api/alerts/test`;
    const html = `<title>Other</title><form method="post" action="${target}" enctype="text/plain"><input name='{"a":"' value='"}'><button>Go</button></form>`;
    const server = await listening(
      createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(html)),
      0,
      '127.0.0.1',
    );
    try {
      const other = await page.context().newPage();
      await other.goto(`http://127.0.0.1:${server.port}`);
      const sent = other.waitForRequest(target);
      await other.getByRole('button', { name: 'Go' }).click();
      expect((await (await sent).allHeaders()).cookie).toContain('leadgate-session=');
      await until(async () => (await (await sent).response())?.status() === 403, 'the form is refused');
      await other.getByText('acts only from the pages of this gateway').waitFor();
    } finally {
      await server.close();
    }
  });
});
