import type { Page } from 'playwright-core';
import { patientOf } from '../support/background';
import { sendFailing } from '../support/failing-leads';
import { newLead } from '../support/gateway';
import { onStage } from './browser';

const on = onStage();
const stateIs = (page: Page, state: string) => page.locator('h1 ~ .badge', { hasText: state }).waitFor();
const announced = (page: Page, words: string) => page.locator('#announcer', { hasText: words }).waitFor({ state: 'attached' });
const stateOf = async (leadId: string) => (await on.gateway.get(`/api/leads/${leadId}?wait=5`)).body.state;

async function parked(sentinel: string) {
  const leadId = await on.send(newLead(sentinel));
  const page = await on.browser.open(`#/leads/${leadId}`);
  await stateIs(page, 'parked');
  return { leadId, page };
}

async function answer(page: Page, button: string, values: Readonly<Record<string, string>>) {
  await page.getByRole('button', { name: button, exact: true }).click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value);
  await dialog.getByRole('button', { name: button, exact: true }).click();
}

describe('one lead', () => {
  it('is shown masked, and in clear on request, which is recorded', async () => {
    const lead = newLead('', { lastName: 'Featherstone' });
    const leadId = await on.send(lead);
    const page = await on.browser.open(`#/leads/${leadId}`);
    await stateIs(page, 'delivered');
    expect(await page.locator('.timeline > li').count()).toBe(5);
    const shown = await page.content();
    for (const word of ['Featherstone', lead.email, '201-3344']) expect(shown).not.toContain(word);
    const reads = async () => (await on.gateway.get(`/api/audit?leadId=${leadId}&action=read+in+clear`)).body.entries;
    expect(await reads()).toEqual([]);
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await page.locator('dd', { hasText: 'Featherstone' }).waitFor();
    expect(await reads()).toMatchObject([{ route: '/api/leads/{leadId}/exchanges', outcome: 'done' }]);
    await page.getByRole('button', { name: 'Mask again' }).click();
    await page.locator('dd', { hasText: 'Featherstone' }).waitFor({ state: 'detached' });
  });

  it('shows each step with its request and answer', async () => {
    const page = await on.browser.open(`#/leads/${await on.send(newLead())}`);
    const step = page.locator('.timeline > li', { hasText: 'Send to V1' });
    await step.locator('summary').click();
    await step.getByText('"StudyID": 12').waitFor();
    expect(await step.locator('time').first().getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('shows the status, time and outcome of each exchange', async () => {
    const summaries = async (lead: object, state: string) => {
      const page = await on.browser.open(`#/leads/${await on.send(lead)}`);
      await stateIs(page, state);
      return { page, words: await page.locator('.exchange summary').allInnerTexts() };
    };
    const time = String.raw`.*\d:\d\d:\d\d.* · \d+ (ms|s)$`;
    const well = await summaries(newLead(), 'delivered');
    expect(well.words.slice(1)).toEqual([
      expect.stringMatching(`^Subjects with this e-mail answered, HTTP 200 ${time}`),
      expect.stringMatching(`^Formatting, in the gateway done ${time}`),
      expect.stringMatching(`^V1 apply answered, HTTP 200 ${time}`),
      expect.stringMatching(`^V2 comment answered, HTTP 201 ${time}`),
    ]);
    const read = await summaries(newLead('lookup-500', { instanceName: 'erg-tampa' }), 'waiting');
    expect(read.words).toContainEqual(expect.stringMatching(`^Subjects with this e-mail failed, HTTP 500 ${time}`));
    expect(await read.page.locator('.exchange.bad').first().innerText()).not.toContain('outcome unknown');
    const sent = await summaries(newLead('comment-500-once+readback-405'), 'parked');
    expect(sent.words[4]).toEqual(expect.stringMatching(`^V2 comment outcome unknown, HTTP 500 ${time}`));
    await sent.page.locator('.exchange', { hasText: 'unknown' }).first().locator('summary').click();
    await sent.page.getByText(/^Not understood: application\/json, \d+ bytes\. Show in clear to read it\.$/).waitFor();
    await sent.page.getByRole('button', { name: 'Show in clear' }).click();
    await sent.page.getByText(/^Not understood: application\/json, \d+ bytes\.$/).waitFor();
    await sent.page.locator('pre', { hasText: /^\{"/ }).waitFor();
  });

  it('shows why the upstream refused it, without showing the lead in clear', async () => {
    const page = await on.browser.open(`#/leads/${await on.send(newLead('', { instanceName: 'erg-oct.v1-refused' }))}`);
    await page.locator('.exchange pre', { hasText: '"message": "The lead was refused"' }).waitFor();
  });

  it('counts the calls of a step', async () => {
    const page = await on.browser.open(`#/leads/${await on.send(newLead('v1-revoked'))}`);
    await stateIs(page, 'delivered');
    const step = page.locator('.timeline > li', { hasText: 'Send to V1' });
    expect(await step.locator('p.soft').first().innerText()).toContain(`${await step.locator('.exchange').count()} calls`);
  });

  it('links back to the list with its search', async () => {
    const leadId = await on.send(newLead('', { protocol: 'BACK' }));
    const page = await on.browser.open('#/leads?protocol=BACK');
    await page.getByRole('link', { name: leadId }).click();
    await page.getByRole('heading', { name: leadId }).waitFor();
    await page.getByRole('link', { name: 'Leads' }).last().click();
    await page.getByRole('link', { name: leadId }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/leads?protocol=BACK');
  });

  it('reports that the sandbox was used, only for such leads', async () => {
    const leadId = await on.send(newLead());
    const page = await on.browser.open(`#/leads/${leadId}`);
    await stateIs(page, 'delivered');
    const note = page.getByText('The sandbox was used for an upstream of this lead');
    await note.waitFor();
    const { body, headers } = await on.gateway.get(`/api/leads/${leadId}`);
    expect(headers.get('x-leadgate-sandbox')).toBe('true');
    await page.route(`**/api/leads/${leadId}?*`, (route) => route.fulfill({ json: { ...body, sandbox: undefined } }));
    await page.reload();
    await stateIs(page, 'delivered');
    expect(await note.isVisible()).toBe(false);
  });

  it('has no link to Temporal without its address', async () => {
    const page = await on.browser.open(`#/leads/${await on.send(newLead())}`);
    await page.locator('.exchange').first().waitFor();
    expect(await page.getByText('in Temporal').count()).toBe(0);
  });

  it('that does not exist is reported', async () => {
    const page = await on.browser.open('#/leads/b00000000000000000000-0000000000');
    await page.getByText('There is no lead with this id').waitFor();
    expect(await page.locator('.panel:visible').count()).toBe(0);
  });
});

describe('a parked lead', () => {
  it('is sent again, and the page updates', async () => {
    const { leadId, page } = await parked('comment-422-once');
    await answer(page, 'Send again', { Reason: 'it is not there' });
    await stateIs(page, 'delivered');
    await page.getByText('A person decided: resend').waitFor();
    expect(await stateOf(leadId)).toBe('delivered');
  });

  it('says once that it waits for a decision', async () => {
    const { page } = await parked('comment-422');
    await page.getByText('Look in the upstream, then decide').waitFor();
    expect((await page.locator('main').innerText()).match(/waits for a (person’s |person's )?decision/gi)).toHaveLength(1);
  });

  it('that is refused again says so, offers first what helps, and the focus stays at its state', async () => {
    const { page } = await parked('comment-422');
    expect(await page.locator('.call-to-act button').allInnerTexts()).toEqual(['It has arrived', 'Send again', 'Discard']);
    await answer(page, 'Send again', { Reason: 'the site was changed' });
    const again = page.locator('.call-to-act .why');
    await again.waitFor();
    expect(await again.innerText()).toMatch(/^Sent again at .*; refused again: /);
    expect(await page.evaluate('document.activeElement.className')).toBe('why');
  });

  it('is confirmed with the upstream’s id', async () => {
    const { leadId, page } = await parked('comment-422');
    const known = await patientOf(on.gateway, leadId);
    await answer(page, 'It has arrived', { 'The patient’s id': known, Reason: 'it is there' });
    await announced(page, 'The lead is');
    await stateIs(page, 'delivered');
    expect(await stateOf(leadId)).toBe('delivered');
  });

  it('with a refused comment shows that only the comment is affected', async () => {
    const { page } = await parked('comment-422');
    await page.getByText('Its comment was refused').waitFor();
    expect(await page.getByText('unknown').count()).toBe(0);
    const means = async (button: string) => page.getByRole('button', { name: button, exact: true }).getAttribute('title');
    expect(await means('Send again')).toContain('Only the comment is sent');
    expect(await means('It has arrived')).toContain('written it by hand');
    expect(await means('Discard')).toContain('without its comment');
  });

  it('is confirmed with the patient’s id from V1, and showing it is recorded', async () => {
    const { leadId, page } = await parked('comment-422');
    await page.getByRole('button', { name: 'It has arrived' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const typed = await dialog.getByLabel('The patient’s id').inputValue();
    const { entries } = (await on.gateway.get(`/api/audit?leadId=${leadId}`)).body;
    expect(entries).toContainEqual(expect.objectContaining({ action: 'read in clear', outcome: 'done' }));
    const { exchanges } = (await on.gateway.get(`/api/leads/${leadId}/exchanges?clear=true`)).body;
    expect(typed).toBe(String(exchanges[3].answer.PatientID));
    await dialog.getByLabel('Reason').fill('written by hand');
    await dialog.getByRole('button', { name: 'It has arrived' }).click();
    await stateIs(page, 'delivered');
  });

  it('is discarded', async () => {
    const { leadId, page } = await parked('comment-422');
    await answer(page, 'Discard', { Reason: 'a test' });
    await stateIs(page, 'discarded');
    await page.locator('.why', { hasText: 'The lead is in the site system' }).first().waitFor();
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
    expect(await stateOf(leadId)).toBe('discarded');
  });

  it('is unchanged on Escape, and the focus returns', async () => {
    const { leadId, page } = await parked('comment-422');
    await page.getByRole('button', { name: 'Discard' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.locator('button:focus').innerText()).toBe('Discard');
    expect((await on.gateway.get(`/api/leads/${leadId}`)).body.state).toBe('parked');
  });

  it('that another person decided shows an error', async () => {
    const { leadId, page } = await parked('comment-422');
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await on.gateway.post(`/api/leads/${leadId}/discard`, { reason: 'another person' });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('mine');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText('The lead is not parked: it is already discarded').waitFor();
  });
});

it('a waiting lead shows what it waits for, and can be tried now with a reason', async () => {
  const [leadId = ''] = await sendFailing(on.gateway, 'erg-oct.key-429');
  const page = await on.browser.open(`#/leads/${leadId}`);
  await page.getByText('Queued: key-service').waitFor();
  await page.getByRole('button', { name: 'Try now …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('the key service is back');
  await page.getByText('Queued: key-service').waitFor();
  await dialog.getByRole('button', { name: 'Try now', exact: true }).click();
  await announced(page, 'The lead no longer waits');
});

describe('a waiting lead', () => {
  const stalled = async (sentinel: string) => {
    const instanceName = `erg-oct.w${process.pid}-${String(performance.now()).replace('.', '')}`;
    const lead = newLead(sentinel, { instanceName });
    const { body } = await on.gateway.post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async' });
    const page = await on.browser.open(`#/leads/${body.leadId}`);
    await page.getByText('Waits for its next try ·').waitFor();
    return { leadId: String(body.leadId), page };
  };

  it('is discarded, and the page says that nothing was sent', async () => {
    const { page } = await stalled('v1-429');
    await page.getByRole('button', { name: 'Discard …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('withdrawn');
    await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
    await stateIs(page, 'discarded');
    await page.locator('.why', { hasText: 'Closed by a person. Nothing was sent' }).waitFor();
    expect(await page.evaluate('document.activeElement.className')).toBe('why');
  });

  it('is sent with corrected fields, and fields that look alike when masked are marked', async () => {
    const { leadId, page } = await stalled('lookup-503');
    const { email } = newLead();
    await page.getByRole('button', { name: 'Mend and send again …' }).click();
    await page.getByText('Fields you leave alone keep their value.').waitFor();
    await page.getByLabel('email').fill(email);
    await page.getByLabel('instanceName').fill('erg-oct');
    await page.getByLabel('Reason').fill('mistyped');
    await page.getByRole('button', { name: 'Send with these fields' }).click();
    await stateIs(page, 'delivered');
    await page.locator('.mended ins', { hasText: 'a…@e….org (another value)' }).waitFor();
    expect(await stateOf(leadId)).toBe('delivered');
  });

  it('whose comment waits is not offered a correction', async () => {
    const { page } = await stalled('comment-429');
    await page.getByRole('button', { name: 'Discard …' }).waitFor();
    expect(await page.getByRole('button', { name: 'Mend and send again …' }).count()).toBe(0);
  });

  it('has a short page after hundreds of tries, which open on demand', async () => {
    const { leadId, page } = await stalled('v1-429');
    const { body } = await on.gateway.get(`/api/leads/${leadId}/exchanges`);
    const at = (second: number) => new Date(Date.now() - 3_600_000 + second * 1_000).toISOString();
    const [one] = body.exchanges.filter(({ call }: { call: string }) => call === 'sendToRt');
    const tries = Array.from({ length: 400 }, (_, second) => ({ ...one, startedAt: at(second), endedAt: at(second) }));
    const others = body.exchanges.filter(({ call }: { call: string }) => call !== 'sendToRt');
    await page.route(`**/api/leads/${leadId}/exchanges?*`, (route) =>
      route.fulfill({ json: { ...body, exchanges: [...others, ...tries] } }),
    );
    await page.reload();
    const fold = page.locator('.tries > summary');
    await fold.waitFor();
    expect(await fold.innerText()).toMatch(/^398 earlier calls first .* · last /);
    const heightOf = () => page.evaluate<number>('document.documentElement.scrollHeight');
    expect(await heightOf()).toBeLessThan(3_000);
    expect(await page.locator('.tries > .exchange').first().isVisible()).toBe(false);
    await fold.click();
    await page.locator('.tries > .exchange').first().waitFor();
    expect(await page.locator('.tries > .exchange').count()).toBe(398);
  });
});

describe('a failed lead', () => {
  const patient = { siteId: 9999, clientId: 'c', environment: 'us', firstName: 'Bo', lastName: 'Ray', bearerToken: 'tok-31415' };

  it('is sent again with corrected fields; the field of the refusal comes first', async () => {
    const { email } = newLead();
    const { body } = await on.gateway.post('/api/recruit/send-to-recruit', { ...patient, email });
    const page = await on.browser.open(`#/leads/${body.leadId}`);
    await page.getByText('Named in the refusal: siteId').waitFor();
    await page.getByRole('button', { name: 'Edit fields' }).click();
    expect(await page.locator('.edit input').first().getAttribute('name')).toBe('siteId');
    expect(await page.getByLabel('bearerToken').inputValue()).toBe('[secret]');
    await page.getByLabel('siteId').fill('');
    await page.getByLabel('Reason').fill('the site was mistyped');
    await page.getByRole('button', { name: 'Send with these fields' }).click();
    await page.locator('.wrong', { hasText: 'is required' }).waitFor();
    await page.getByLabel('siteId').fill('12');
    await page.getByRole('button', { name: 'Send with these fields' }).click();
    await stateIs(page, 'delivered');
    const { requests } = await on.gateway.sandbox();
    expect(requests.filter(({ call, body }) => call === 'recruit' && body.includes(email))).toHaveLength(2);
  });

  it('is unchanged on Cancel, and the focus returns', async () => {
    const leadId = await on.send(newLead('v1-refused'));
    const page = await on.browser.open(`#/leads/${leadId}`);
    await page.getByRole('button', { name: 'Edit fields' }).click();
    await page.getByLabel('protocol').fill('AD-302');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.edit').waitFor({ state: 'detached' });
    expect(await page.locator('button:focus').innerText()).toBe('Edit fields …');
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('protocol').inputValue()).toBe('AD-301');
    expect((await on.gateway.get(`/api/leads/${leadId}`)).body.attempts).toHaveLength(1);
  });

  it('is sent again unchanged', async () => {
    const page = await on.browser.open(`#/leads/${await on.send(newLead('v1-refused-once'))}`);
    await page.getByRole('button', { name: 'Send again unchanged' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('V1 is well again');
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await stateIs(page, 'delivered');
  });

  it('that was redriven shows each step of its new run once', async () => {
    const page = await on.browser.open(`#/leads/${await on.send(newLead('v1-refused-once'))}`);
    await page.locator('.timeline > li.failed').waitFor();
    await page.getByRole('button', { name: 'Send again unchanged' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('V1 is well again');
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await stateIs(page, 'delivered');
    expect(await page.locator('.timeline h3').allInnerTexts()).toEqual([
      'Get the access key',
      'Look up the e-mail',
      'Format the data',
      'Send to V1',
      'Write the comment',
    ]);
    expect(await page.locator('.timeline > li.done').count()).toBe(5);
    expect(await page.locator('.decision').allInnerTexts()).toEqual([expect.stringContaining('redrive — V1 is well again')]);
  });
});
