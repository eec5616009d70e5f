/** Tests the page of a copy for an inspector: it is read from a file, on a screen and on paper. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newLead } from '../support/gateway';
import { leadgate } from '../cli/support';
import { accessibilityProblems, onStage } from './browser';

const on = onStage();
const dir = mkdtempSync(join(tmpdir(), 'leadgate-copies-page-'));
afterAll(() => rmSync(dir, { recursive: true }));

let leadId: string;
beforeAll(async () => {
  leadId = await on.send(newLead('comment-422'));
  await on.gateway.post(`/api/leads/${leadId}/discard`, { reason: 'a test' });
});

it.each([
  ['the audit trail', () => ['audit', 'export', '--lead', leadId], 'Audit trail'],
  ['a lead', () => ['lead', 'dossier', leadId, '--clear'], 'Dossier of a lead'],
])('the copy of %s opens without another request, and fits on a screen and on paper', async (_, argv, title) => {
  const copy = join(dir, title);
  const settings = { LEADGATE_URL: on.gateway.url, LEADGATE_DATA_DIR: dir };
  expect(await leadgate([...argv(), '--out', copy], { settings })).toMatchObject({ status: 0 });
  const page = await on.browser.openPath(`file://${copy}/index.html`);
  await page.getByRole('heading', { name: title }).waitFor();
  expect(await page.locator('tbody tr', { hasText: 'discard' }).count()).toBeGreaterThan(0);
  expect(await page.evaluate(() => performance.getEntriesByType('resource').length)).toBe(0);
  expect(await accessibilityProblems(page)).toEqual([]);
  const width = () => page.evaluate('document.documentElement.scrollWidth');
  expect(await width()).toBe(1280);
  // A4 across, without its margins.
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 1047, height: 718 });
  expect(await width()).toBe(1047);
});
