/** `npm run screenshots`: takes the pictures of the documentation, with invented people, and records what they were made from. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page, PageScreenshotOptions } from 'playwright-core';
import { newLead } from '../support/gateway';
import { onStage } from './browser';
import { pictureDigest, pictureNames, picturesDir, recordedDigest } from './pictures';

const on = onStage({}, { withTemporalUi: true });
const futuro = { instanceName: 'futuro-main', account: 'Futuro', StudyID: 44, protocol: 'PSO-118' };
const tampa = { instanceName: 'erg-tampa', StudyID: 31, protocol: 'MG-220' };
const site = (flow: string, sentinel = '', fields = {}) => [`/api/clinicsys/${flow}`, newLead(sentinel, fields)] as const;
const patient = { siteId: 9999, clientId: 'c', environment: 'us', firstName: 'Bo', lastName: 'Ray', bearerToken: 't', studyId: 12 };

const day = [
  ...[1, 2].map(() => site('no-prescreen')),
  site('with-prescreen', '', tampa),
  site('no-prescreen', 'v1-500', futuro),
  site('no-prescreen', '', { email: 'ann@example.org' }),
  ['/api/recruit/send-to-recruit', { ...patient, email: newLead().email }],
  site('no-prescreen', 'v1-refused', tampa),
  site('with-prescreen', '', futuro),
  site('no-prescreen', 'comment-422'),
  site('with-prescreen', '', tampa),
] as const;

const phone = { viewport: { width: 360, height: 740 } };
const pictures: readonly (readonly [name: string, hash: string, ready: (page: Page) => Promise<void>, options: BrowserContextOptions])[] = [
  ['leads', '#/leads', listed, {}],
  ['leads-phone', '#/leads', listed, phone],
  ['lead-parked', '#/leads?state=parked', openFirst, {}],
  ['lead-failed-dark', '#/leads?flow=recruit', openFirst, { colorScheme: 'dark' }],
];

/** Waits for the rows and for the counts above them, which come later. */
async function listed(page: Page): Promise<void> {
  await page.locator('tbody').getByText('V1: refused').first().waitFor();
  await page.locator('.chips').first().getByText(String(day.length), { exact: true }).waitFor();
  await page.locator('.groups').getByText('V1: refused').waitFor();
}

async function openFirst(page: Page): Promise<void> {
  await page.locator('tbody a').first().click();
  await page.locator('.timeline li').first().waitFor();
  await page.locator('.call-to-act').waitFor();
}

jest.setTimeout(600_000);

const taken = new Set<string>();

it('takes the screenshots of the documentation', async () => {
  for (const [path, lead] of day) await on.gateway.post(path, lead, { prefer: 'wait=5' });
  for (const [name, hash, ready, options] of pictures) {
    const page = await on.browser.open(hash, { viewport: { width: 1180, height: 760 }, ...options });
    await page.locator('tbody tr').first().waitFor();
    await ready(page);
    await take(page, name);
  }
});

it('takes those of the Temporal UI', async () => {
  const [refused] = await Promise.all([tampa, futuro, {}].map((fields) => on.send(newLead('v1-refused', fields))));
  const { TEMPORAL_UI_URL: ui = '', TEMPORAL_NAMESPACE: namespace } = on.gateway.config;
  const list = await on.browser.openPath(`${ui}/namespaces/${namespace}/workflows?query=${encodeURIComponent('LeadState = "failed"')}`, {
    viewport: { width: 1180, height: 520 },
  });
  await list.locator('tbody tr a', { hasText: 'lead-' }).nth(2).waitFor();
  await take(list, 'temporal-failed');
  const { attempts } = (await on.gateway.get(`/api/leads/${refused}?clear=false`)).body;
  const run = await on.browser.openPath(attempts[0].temporalUrl.replace(/history$/, 'timeline'), {
    viewport: { width: 1280, height: 980 },
  });
  await run.getByText('sendToRt • V1 apply').click();
  await run.getByText('Activity Task Scheduled').waitFor();
  await take(run, 'temporal-step', { x: 256, y: 60, width: 1024, height: 900 });
});

it('has taken every picture, and records what they were made from', () => {
  expect([...taken].toSorted()).toEqual(pictureNames().toSorted());
  writeFileSync(recordedDigest, pictureDigest());
});

async function take(page: Page, name: string, clip?: PageScreenshotOptions['clip']): Promise<void> {
  const file = `${name}.png`;
  await page.screenshot({ path: join(picturesDir, file), clip });
  taken.add(file);
  await page.context().close();
}
