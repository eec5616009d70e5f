import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { newLead } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { until } from '../support/until';
import { accessibilityProblems, onStage } from './browser';

const on = onStage(async () => ({ TEMPORAL_NAMESPACE: await ownNamespace('browser-reconcile') }));

/** Sends leads, waits until the index lists them, and opens the page for them. */
async function openWith(...words: readonly string[]) {
  const since = new Date().toISOString();
  const ids = await Promise.all(words.map((word) => on.send(newLead(word))));
  await until(async () => {
    const { counts } = (await on.gateway.get(`/api/leads/counts?since=${since}`)).body;
    return counts.parked + counts.delivered === words.length;
  }, 'the leads are found');
  return { ids, page: await on.browser.open(`#/reconciliations?since=${since}`) };
}

async function start(page: Page) {
  await page.getByRole('button', { name: 'Count' }).click();
  await page.getByRole('button', { name: /^Compare \d leads?$/ }).click();
  await page.getByRole('heading', { name: 'Reconciliation', exact: true }).waitFor();
}

const badge = (page: Page, state: string) => page.locator('.title .badge', { hasText: state });
const rows = (page: Page) => page.locator('tbody tr');

describe('a reconciliation', () => {
  it('is counted, started and followed; its proposals are shown, and then carried out as one decision', async () => {
    const { ids, page } = await openWith('', 'comment-500-once+readback-405-once', 'comment-500-after-once+readback-405-once');
    const [delivered = '', lost = '', commented = ''] = ids;
    await page.getByRole('checkbox', { name: 'no-prescreen' }).check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await start(page);
    await badge(page, 'done').waitFor();
    await page.getByText('3 of 3 leads compared.').waitFor();
    await rows(page).nth(2).waitFor();
    expect(await rows(page).first().innerText()).toContain(lost);
    expect(await rows(page).filter({ hasText: delivered }).innerText()).toMatch(/matched[^]*no-prescreen\s+delivered/);
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.locator('.chips a', { hasText: 'missing' }).click();
    await rows(page).nth(1).waitFor({ state: 'detached' });
    expect(await rows(page).innerText()).toMatch(/missing[^]*parked[^]*the comment is not\s+\d+\s+Send again/);
    await page.getByRole('link', { name: 'Look at 2 proposals' }).click();
    await rows(page).nth(1).waitFor();
    expect(await rows(page).filter({ hasText: commented }).innerText()).toMatch(/matched[^]*The comment is there\s+\d+\s+It has arrived/);
    expect(await rows(page).filter({ hasText: delivered }).count()).toBe(0);

    await page.getByRole('button', { name: 'Carry out 2 proposals …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 lead is sent again, 1 lead is confirmed as arrived.').waitFor();
    await dialog.getByLabel('Reason').fill('the findings were looked at');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Carry out 2 proposals' }).click();
    await page.getByRole('heading', { name: 'Carrying out the proposals of a reconciliation' }).waitFor();
    await page.locator('main').getByText('2 of 2 decided, 0 could not be decided, 0 remaining').waitFor();
    await page.locator('tbody .badge', { hasText: 'delivered' }).nth(1).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(page.url().replace(/#.*/, '#/decide'));
    await page.getByRole('link', { name: 'proposals for 2 leads' }).waitFor();

    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    const listed = rows(page).filter({ hasText: '3 of 3 leads' });
    expect(await listed.innerText()).toMatch(/done[^]*missing 1[^]*matched 2/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await listed.getByRole('link').click();
    await badge(page, 'done').waitFor();
    await page.getByRole('link', { name: 'What became of 2 proposals' }).click();
    await page.getByRole('heading', { name: 'Carrying out the proposals of a reconciliation' }).waitFor();
  });

  it('tells what it waits for, and is stopped', async () => {
    const { page } = await openWith('lookup-503-from2');
    await start(page);
    await page.getByText('It waits and tries again').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('the site system is down');
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop …' }).waitFor({ state: 'hidden' });
    await badge(page, 'stopped').waitFor();
    await page.getByText('0 of 1 lead compared').waitFor();
  });

  it('is not started for a time without leads, or for one that ends before it begins', async () => {
    const page = await on.browser.open('#/reconciliations?since=2020-01-02T00:00:00.000Z&until=2020-01-01T00:00:00.000Z');
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('No delivered or parked lead is in this time.').waitFor();
    await page.getByLabel('From').fill('2019-12-01T00:00');
    await page.getByText('No delivered or parked lead is in this time.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('No delivered or parked lead is in this time.').waitFor();
  });

  it('that does not exist is reported', async () => {
    const page = await on.browser.open('#/reconciliations/cnone');
    await page.getByText('There is no reconciliation with this id').waitFor();
  });

  it('of many leads shows alarming findings first, page by page, and is saved with all of them, none a formula', async () => {
    const kinds = ['matched', 'missing', 'not-comparable', 'twice'] as const;
    const many = { matched: 380, missing: 60, 'not-comparable': 100, twice: 70 };
    const all = kinds.flatMap((finding) =>
      Array.from({ length: many[finding] }, (_, at) => ({
        ...{ leadId: `k${finding.slice(0, 3)}${String(at).padStart(44, '0')}`, flow: 'no-prescreen', state: 'delivered', finding },
        ...(finding === 'twice' && { why: '=1+1, "as a formula"' }),
      })),
    );
    const page = await on.browser.open('#/leads');
    await page.route('**/api/reconciliations/*', (route) => {
      const { searchParams } = new URL(route.request().url());
      const [from = 0, limit = 0] = ['cursor', 'limit'].map((name) => Number(searchParams.get(name)));
      const asked = searchParams.get('finding');
      const found = all.filter(({ finding }) => asked === null || finding === asked);
      const nextCursor = from + limit < found.length ? String(from + limit) : undefined;
      const numbers = { count: 610, done: 610, remaining: 0, leftOut: 5, proposals: 0, counts: { ...many, 'unknown-here': 0 } };
      const times = Object.fromEntries(['since', 'until', 'startedAt', 'endedAt'].map((name) => [name, '2026-01-01T00:00:00Z']));
      const body = { success: true, reconciliationId: 'cmany', state: 'done', ...times, ...numbers };
      return route.fulfill({ json: { ...body, findings: found.slice(from, from + limit), nextCursor } });
    });
    await page.goto(page.url().replace(/#.*/, '#/reconciliations/cmany'));
    const shown = async () => {
      const words = await page.locator('tbody .badge:first-child').allInnerTexts();
      return Object.fromEntries(
        ['missing', 'twice', 'not comparable', 'matched'].map((name) => [name, words.filter((each) => each === name).length]),
      );
    };
    await rows(page).nth(99).waitFor();
    expect(await shown()).toEqual({ missing: 60, twice: 40, 'not comparable': 0, matched: 0 });
    await page.getByText('5 leads of this time left out').waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.getByRole('link', { name: 'Next page' }).click();
    await rows(page).getByText('not comparable').first().waitFor();
    await rows(page).nth(99).waitFor();
    expect(await shown()).toEqual({ missing: 0, twice: 30, 'not comparable': 70, matched: 0 });

    const saved = async (kind: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: `Save as ${kind}` }).click()]);
      expect(file.suggestedFilename()).toBe(`reconciliation-cmany.${kind.toLowerCase()}`);
      return readFileSync(await file.path(), 'utf8');
    };
    const lines = (await saved('CSV')).split('\r\n');
    expect([lines.length, lines[0]]).toEqual([612, 'leadId,flow,state,finding,why,upstreamId,proposal']);
    expect(lines[1]).toMatch(/^"kmis0+","no-prescreen","delivered","missing","","",""$/);
    expect(lines[61]).toContain(`,"twice","'=1+1, ""as a formula""",`);
    const report = JSON.parse(await saved('JSON'));
    expect([report.reconciliationId, report.findings.length, report.nextCursor]).toEqual(['cmany', 610, undefined]);
  });

  it('of parked leads is one click from their list, with its flow and time', async () => {
    const page = await on.browser.open('#/leads?state=parked&flow=no-prescreen&since=2026-01-01T00:00:00.000Z');
    await page.getByRole('link', { name: 'Compare with the site system …' }).click();
    await page.getByRole('heading', { name: 'Reconciliations' }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'no-prescreen' }).isChecked()).toBe(true);
    expect(await page.getByLabel('From').inputValue()).not.toBe('');
  });
});
