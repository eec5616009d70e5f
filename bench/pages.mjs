/**
 * `npm run bench -- pages --stored 10000`: measures the time to the first content of each page. It fills the service, opens every
 * page in a new Chromium context, as on a first visit, and prints when the first content appeared and how long the list was busy under load.
 */
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { cases, noPrescreen } from './cases.mjs';
import { fill, median } from './load.mjs';
import { startLeadgate, startSandbox } from './systems.mjs';

const { values } = parseArgs({ options: { stored: { type: 'string', default: '10000' }, visits: { type: 'string', default: '5' } } });
const stored = Number(values.stored);
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const recruit = cases.find(({ name }) => name === 'recruit');

/** Runs in the page, because a wait from outside polls only every few hundred milliseconds. */
function noteWhenThere(content) {
  const look = () => {
    if (globalThis.thereAfterMs === undefined && document.querySelector(content)) globalThis.thereAfterMs = performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}

const started = [];
const keep = (system) => (started.push(system), system);
try {
  const sandbox = keep(await startSandbox());
  const service = keep(await startLeadgate(sandbox));
  // One lead in ten has the long flow, the others the short one: the list treats them alike.
  await fill(noPrescreen, service, { leads: stored / 10, status: 200 });
  await fill(recruit, service, { leads: (stored * 9) / 10, status: 200 });
  const { leads } = await (await fetch(`${service.base}/api/leads?flow=no-prescreen&limit=1`)).json();
  const pages = [
    ['the list', '/console', 'tr[data-key]'],
    ['the list, one flow', '/console#/leads?flow=no-prescreen', 'tr[data-key]'],
    ['one lead', `/console#/leads/${leads[0].leadId}`, 'h1 ~ .badge'],
    ['upstreams', '/console#/upstreams', 'main h1'],
    ['traffic', '/console#/traffic', 'main svg, main h1'],
    ['reference', '/docs', 'h1'],
  ];
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: flags });
  keep({ stop: () => browser.close() });
  const visits = pages.map(([name, path, content]) => ({ name, path, content, times: [] }));
  // Take turns, so that background work from the filling affects all pages alike.
  for (let visit = 0; visit < Number(values.visits); visit++)
    for (const { path, content, times } of visits) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.addInitScript(noteWhenThere, content);
      await page.goto(service.base + path, { waitUntil: 'commit' });
      await page.locator(content).first().waitFor();
      times.push(await page.evaluate(() => globalThis.thereAfterMs));
      await context.close();
    }
  const rows = visits.map(({ name, times }) => ({
    page: name,
    'first content, median ms': Math.round(median(times)),
    'longest ms': Math.round(Math.max(...times)),
  }));
  const page = await (await browser.newContext()).newPage();
  await page.addInitScript(() => {
    globalThis.busyMs = [];
    new PerformanceObserver((list) => globalThis.busyMs.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
  await page.goto(`${service.base}/console`);
  await page.locator('tr[data-key]').first().waitFor();
  await page.evaluate(() => (globalThis.busyMs.length = 0));
  await fill(recruit, service, { leads: 100, status: 200, callers: 4 });
  const busy = await page.evaluate(() => globalThis.busyMs);
  console.log(`${stored} leads stored`);
  console.table(rows);
  console.log(
    `while 100 leads came in, the list's page was busy for more than 50 ms ${busy.length} times, ${Math.round(Math.max(0, ...busy))} ms at most`,
  );
} finally {
  for (const system of started.reverse()) await system.stop();
}
