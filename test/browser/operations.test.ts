import { setTimeout as pause } from 'node:timers/promises';
import type { Request } from 'playwright-core';
import { newLead } from '../support/gateway';
import { until } from '../support/until';
import { accessibilityProblems, onStage } from './browser';

const on = onStage();
const noPrescreen = '/api/clinicsys/no-prescreen';

const countsOf = async (protocol: string) => {
  await pause(200);
  return (await on.gateway.get(`/api/leads/counts?protocol=${protocol}`)).body.counts;
};

async function failed(protocol: string, many: number) {
  await Promise.all(Array.from({ length: many }, () => on.gateway.post(noPrescreen, newLead('v1-refused-once', { protocol }))));
  await until(async () => (await countsOf(protocol)).failed === many, 'the leads are found');
}

describe('many failed leads', () => {
  it('are counted, sent again at a rate, and reported; then none is failed', async () => {
    await failed('MANY', 6);
    const page = await on.browser.open('#/leads?protocol=MANY&state=failed');
    await page.getByRole('link', { name: 'Send all again' }).click();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('6 failed leads match').waitFor();
    expect((await countsOf('MANY')).failed).toBe(6);
    await page.getByLabel('Reason').fill('V1 is well again');
    await page.getByLabel('Leads per second').fill('20');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 6 again' }).click();
    const words = page.locator('main').getByText('6 of 6 sent again, 0 could not be started, 0 remaining');
    await words.waitFor();
    await page.locator('tbody tr').nth(5).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.reload();
    await words.waitFor();
    await page.locator('tbody .badge', { hasText: 'delivered' }).nth(5).waitFor();
    await until(async () => (await countsOf('MANY')).delivered === 6, 'all have arrived');
    expect((await countsOf('MANY')).failed).toBe(0);
    await page.goto(page.url().replace(/#.*/, '#/redrive'));
    await page
      .getByRole('listitem')
      .filter({ hasText: '6 sent again, 0 could not be started' })
      .filter({ hasText: 'local: V1 is well again' })
      .getByRole('link', { name: '6 leads' })
      .click();
    await words.waitFor();
  });

  it('are stopped, and the rest is unchanged', async () => {
    await failed('STOP', 5);
    const page = await on.browser.open('#/redrive?protocol=STOP');
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByLabel('Reason').fill('perhaps');
    await page.getByLabel('Leads per second').fill('1');
    await page.getByRole('button', { name: 'Send 5 again' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('not yet');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.locator('.badge', { hasText: 'stopped' }).waitFor();
    expect(
      await page
        .locator('main')
        .getByText(/\d of 5 sent again, 0 could not be started, \d left unchanged\./)
        .count(),
    ).toBe(1);
    expect((await countsOf('STOP')).failed).toBeGreaterThan(0);
  });

  it('that could not be started are shown first in a long report', async () => {
    const count = 450;
    const all = Array.from({ length: count }, (_, at) => {
      const leadId = `L${String(at).padStart(20, '0')}`;
      return at < count - 2 ? { leadId, outcome: 'started', state: 'delivered' } : { leadId, outcome: 'invalid', message: 'no phone' };
    });
    const page = await on.browser.open('#/leads');
    await page.route('**/api/redrives/*', (route) => {
      const { searchParams } = new URL(route.request().url());
      const [from, limit] = ['cursor', 'limit'].map((name) => Number(searchParams.get(name)));
      const upTo = (from ?? 0) + (limit ?? 0);
      const next = upTo < count && { nextCursor: String(upTo) };
      const asked = searchParams.get('outcome');
      const found = all.filter(({ outcome }) => asked === null || outcome === asked);
      const reasons = [
        { outcome: 'started', count: count - 2 },
        { outcome: 'invalid', message: 'no phone', count: 2 },
      ];
      const numbers = { state: 'done', count, done: count, failedToStart: 2, remaining: 0, reasons };
      return route.fulfill({ json: { success: true, ...numbers, results: found.slice(from, upTo), ...next } });
    });
    await page.goto(page.url().replace(/#.*/, '#/redrive?id=rexample'));
    await page.locator('main').getByText('448 of 450 sent again, 2 could not be started, 0 remaining').waitFor();
    await page.getByText('200 of 450 are shown').waitFor();
    await page.getByRole('listitem').filter({ hasText: '2 invalid: no phone' }).waitFor();
    const rows = page.locator('tbody tr');
    expect([await rows.count(), await rows.filter({ hasText: 'no phone' }).count()]).toEqual([200, 2]);
    expect(await rows.nth(1).innerText()).toContain('no phone');
  });

  it('are counted for the current search, not for an earlier one', async () => {
    const page = await on.browser.open('#/redrive?protocol=SLOW');
    let answer = () => {};
    const late = new Promise<void>((done) => (answer = done));
    const isSlow = (request: Request) => request.postData()?.includes('SLOW') === true;
    await page.route('**/api/redrives', async (route) => {
      const isLate = isSlow(route.request());
      if (isLate) await late;
      await route.fulfill({ json: { success: true, count: isLate ? 7 : 2, sample: [], redrives: [] } });
    });
    const count = page.getByRole('button', { name: 'Count' });
    await count.click();
    await page.getByText('Counting …').waitFor();
    await page.getByLabel('Protocol').fill('QUICK');
    await count.click();
    await page.getByText('2 failed leads match').waitFor();
    const answered = page.waitForResponse((each) => isSlow(each.request()));
    answer();
    await (await answered).finished();
    // The page has read the answer before it draws again.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.getByText('failed leads match').innerText()).toContain('2 failed');
  });

  it('without a match are reported', async () => {
    const page = await on.browser.open('#/redrive?protocol=NONE');
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('No failed lead matches').waitFor();
  });
});

describe('many parked leads', () => {
  const park = (protocol: string, many: number, word = 'comment-422') =>
    Promise.all(Array.from({ length: many }, () => on.send(newLead(word, { protocol }))));

  it('are selected in the list, counted and discarded; the others stay parked', async () => {
    await park('TICKS', 3);
    const page = await on.browser.open('#/leads?protocol=TICKS&state=parked');
    await page.getByRole('link', { name: 'Decide all …' }).waitFor();
    const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ });
    await boxes.nth(2).waitFor();
    await boxes.nth(0).check();
    await boxes.nth(2).check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Decide 2 selected …' }).click();
    await page.getByText('Only the 2 selected leads').waitFor();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('2 parked leads match').waitFor();
    await page.getByLabel('Decision').selectOption('discard');
    await page.getByLabel('Reason').fill('they are tests');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard 2' }).click();
    await page.locator('main').getByText('2 of 2 decided, 0 could not be decided, 0 remaining').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await countsOf('TICKS')).toMatchObject({ discarded: 2, parked: 1 });
  });

  it('are sent again, all that match', async () => {
    await park('RESEND', 2, 'comment-422-once');
    const page = await on.browser.open('#/leads?protocol=RESEND&state=parked');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('link', { name: 'Decide 2 selected …' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).uncheck();
    await page.getByRole('link', { name: 'Decide all …' }).click();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByLabel('Reason').fill('the comment is allowed now');
    await page.getByRole('button', { name: 'Send 2 again' }).click();
    await page.locator('tbody .badge', { hasText: 'delivered' }).nth(1).waitFor();
    expect(await countsOf('RESEND')).toMatchObject({ delivered: 2, parked: 0 });
  });
});

describe('many waiting leads', () => {
  /** Fewer than hold their upstream. */
  const wait = async (protocol: string, many: number) => {
    const instanceName = `erg-oct.key-503.${protocol.toLowerCase()}`;
    const lead = () => newLead('', { protocol, instanceName });
    await Promise.all(Array.from({ length: many }, () => on.gateway.post(noPrescreen, lead(), { prefer: 'respond-async' })));
    await until(async () => (await countsOf(protocol)).waiting === many, 'all wait');
  };

  it('are mended: counted with the corrected field, then sent', async () => {
    await wait('MEND', 2);
    const page = await on.browser.open('#/leads?protocol=MEND&state=waiting');
    await page.getByRole('link', { name: 'Mend all …' }).click();
    await page.getByLabel('A field to correct in all').fill('instanceNam');
    await page.getByLabel('Its new value').fill('erg-oct');
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('did you mean instanceName?').waitFor();
    await page.getByLabel('A field to correct in all').fill('instanceName');
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('2 waiting leads match').waitFor();
    await page.getByLabel('Reason').fill('the instance was mistyped');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mend and send 2' }).click();
    await page.locator('main').getByText('2 of 2 sent again, 0 could not be started, 0 remaining').waitFor();
    await page.locator('tbody .badge', { hasText: 'delivered' }).nth(1).waitFor();
    expect(await countsOf('MEND')).toMatchObject({ delivered: 2, waiting: 0 });
  });

  it('are counted again after the corrected field was changed', async () => {
    const page = await on.browser.open('#/mend?protocol=CHANGED');
    await page.route('**/api/redrives', (route) => route.fulfill({ json: { success: true, count: 2, sample: [], redrives: [] } }));
    await page.getByLabel('A field to correct in all').fill('instanceName');
    await page.getByLabel('Its new value').fill('erg-oct');
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('2 waiting leads match').waitFor();
    await page.getByLabel('Its new value').fill('erg-tampa');
    await page.getByText('2 waiting leads match').waitFor({ state: 'detached' });
  });

  it('are selected in the list and discarded; the others wait on', async () => {
    await wait('DROP', 2);
    const page = await on.browser.open('#/leads?protocol=DROP&state=waiting');
    const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ });
    await boxes.nth(1).waitFor();
    await boxes.nth(0).check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Discard 1 selected …' }).click();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('1 waiting lead matches').waitFor();
    expect(await page.getByLabel('Decision').count()).toBe(0);
    await page.getByLabel('Reason').fill('they are tests');
    await page.getByRole('button', { name: 'Discard 1' }).click();
    await page.locator('main').getByText('1 of 1 decided, 0 could not be decided, 0 remaining').waitFor();
    await until(async () => (await countsOf('DROP')).waiting === 1, 'the other waits on');
    expect((await countsOf('DROP')).discarded).toBe(1);
  });
});

describe('the upstreams', () => {
  it('are shown with their state, and a held one with its waiting leads and reason', async () => {
    const page = await on.browser.open('#/upstreams');
    await page.locator('.cards > li').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const held = {
      upstream: 'clinicsys-v1',
      instance: 'ERG/erg-oct',
      state: 'held',
      since: new Date().toISOString(),
      failures: 3,
      waiting: 12,
      leadId: 'k1-sick',
    };
    const open = { upstream: 'screening', state: 'open', failures: 0, waiting: 0 };
    const body = { success: true, count: 2, upstreams: [{ ...held, lastError: 'The V1 apply endpoint answered 500' }, open], changes: [] };
    await page.route('**/api/upstreams', (route) => route.fulfill({ json: body }));
    const card = page.locator('.cards > li', { hasText: 'held' });
    await card.waitFor();
    expect(await card.innerText()).toMatch(/ERG\/erg-oct[^]*Leads waiting\s+12[^]*Failed last\s+k1-sick[^]*answered 500/);
    expect(await card.getByRole('link', { name: 'k1-sick' }).getAttribute('href')).toBe('#/leads/k1-sick');
    const heightOf = (words: string) => page.locator('.cards > li', { hasText: words }).evaluate((element) => element.clientHeight);
    expect(await heightOf('screening')).toBeLessThan(await heightOf('held'));
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

describe('the leads of each day', () => {
  it('are shown as a chart and a table, for every flow or the flow of the address', async () => {
    const patient = { siteId: 9999, clientId: 'c', environment: 'us', firstName: 'Bo', lastName: 'Ray', bearerToken: 't', studyId: 12 };
    await Promise.all(['', 'v1-refused'].map((word) => on.send(newLead(word))));
    await on.gateway.post('/api/recruit/send-to-recruit', { ...patient, email: newLead().email });
    const figuresOf = async (query: string) => {
      const { day: _, ...counts } = (await on.gateway.get(`/api/leads/history?${query}`)).body.days.at(-1);
      return Object.values(counts).map(Number);
    };
    const page = await on.browser.open('#/traffic');
    const figures = page.getByRole('region', { name: 'Leads by day, as figures' });
    const shown = async () =>
      (await figures.locator('tbody tr').first().locator('td').allInnerTexts()).slice(1).map((text) => Number(text.replace(',', '')));
    const expectShown = async (counts: number[]) =>
      void (await until(async () => JSON.stringify(await shown()) === JSON.stringify(counts), `${counts.join()} is shown`));
    await figures.waitFor();
    expect(
      await page
        .getByRole('img', { name: /^Leads per day: [1-9]/ })
        .locator('rect')
        .count(),
    ).toBeGreaterThanOrEqual(2);
    await expectShown(await figuresOf(''));
    await page.getByLabel('Flow').selectOption('recruit');
    const [leads = 0, ...others] = await figuresOf('flow=recruit');
    expect(leads).toBeGreaterThan(0);
    await expectShown([leads, ...others]);
    await page.reload();
    await expectShown([leads, ...others]);
    expect([new URL(page.url()).hash, await page.getByLabel('Flow').inputValue()]).toEqual(['#/traffic?flow=recruit', 'recruit']);
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

describe('the page of the traffic', () => {
  it('has one font size in all charts', async () => {
    const page = await on.browser.open('#/traffic');
    await page.locator('.plot').nth(3).waitFor();
    const widths = await page.locator('.plot svg').evaluateAll((charts) => charts.map((chart) => chart.clientWidth));
    expect([widths.length, new Set(widths).size]).toEqual([4, 1]);
  });
});

describe('an upstream', () => {
  it('is paused and resumed, with the reason and the waiting leads', async () => {
    const page = await on.browser.open('#/upstreams');
    const card = page.locator('.cards > li', { has: page.getByRole('heading', { name: 'V1', exact: true }) });
    await card.getByRole('button', { name: 'Pause … V1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('the site system is being updated');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await card.locator('.badge', { hasText: 'paused' }).waitFor();
    await card.getByText('the site system is being updated').waitFor();
    const { body } = await on.gateway.post(noPrescreen, newLead('', { protocol: 'PAUSED' }), { prefer: 'respond-async' });
    await card.getByText(/Leads waiting\s*1/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    const lead = await on.browser.open(`#/leads/${body.leadId}`);
    await lead.getByText('Waits: V1 is paused').first().waitFor();
    expect(await lead.getByRole('button', { name: 'Try now' }).count()).toBe(0);

    await card.getByRole('button', { name: 'Resume … V1' }).click();
    await dialog.getByLabel('Reason').fill('the update is done');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await card.locator('.badge', { hasText: 'open' }).waitFor();
    await lead.locator('.badge', { hasText: 'delivered' }).first().waitFor();

    const past = page.getByRole('table', { name: 'Pauses and resumes' }).locator('tbody tr');
    expect((await past.allInnerTexts()).slice(0, 2)).toEqual([
      expect.stringMatching(/local\s+resumed\s+V1\s+the update is done$/),
      expect.stringMatching(/local\s+paused\s+V1\s+the site system is being updated$/),
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('without leads cannot be paused', async () => {
    const page = await on.browser.open('#/upstreams');
    const board = page.locator('.cards > li', { hasText: 'task-board' });
    await board.locator('.badge', { hasText: 'sandbox' }).waitFor();
    expect(await board.getByRole('button').count()).toBe(0);
  });
});

describe('the traffic', () => {
  it('is shown as charts and a table', async () => {
    await on.gateway.post(noPrescreen, newLead());
    await on.gateway.post(noPrescreen, {});
    const page = await on.browser.open('#/traffic');
    await page.locator('.plot').nth(2).waitFor();
    expect(await page.locator('.plot rect').count()).toBeGreaterThanOrEqual(2);
    await page.getByText('As a table').click();
    await page.locator('tbody tr').first().waitFor();
  });
});
