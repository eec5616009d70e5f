/** Starts a Chromium and a gateway. An error in the browser's console, such as a blocked request, fails the test. */
import axe, { type Result } from 'axe-core';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';
import { openTrail } from '../../src/audit/trail';
import { parseConfig } from '../../src/config/config';
import { startEmbedded } from '../../src/engine/embedded';
import { payloadReader } from '../../src/domain/payload-reader';
import { parseKeyRing } from '../../src/keys/ring';
import { testEngine } from '../support/engine';
import { startGateway, type Gateway } from '../support/gateway';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function chromiumPath(): string {
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = process.env.CHROMIUM_PATH ?? onPath.find(isThere);
  if (found) return found;
  throw new Error(`None of ${names.join(', ')} is on the PATH: set CHROMIUM_PATH`);
}

interface Opened {
  /** Opens a page of the console; `hash` follows `/console` in the address. */
  open(hash?: string, options?: BrowserContextOptions): Promise<Page>;
  openPath(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Closes every page, and returns their errors. */
  tidy(): Promise<string[]>;
  close(): Promise<void>;
}

/** All files share an engine, and the list shows all leads, so all gateways have the same key. */
const oneKey = { LEADGATE_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };

const patienceMs = 30_000;

async function openBrowser(gateway: Gateway): Promise<Opened> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: flags });
  const problems: string[] = [];
  const openPath: Opened['openPath'] = async (path, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    page.on('console', (line) => line.type() === 'error' && problems.push(line.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(new URL(path, gateway.url).href);
    return page;
  };
  return {
    open: (hash = '', options) => openPath(`/console${hash}`, options),
    openPath,
    async tidy() {
      for (const context of browser.contexts()) await context.close();
      return problems.splice(0).filter((problem) => !isAnswer(problem));
    },
    close: () => browser.close(),
  };
}

export interface BrowserFixture {
  readonly gateway: Gateway;
  readonly browser: Opened;
  /** Sends a lead, whatever its result, and returns its id. */
  send(lead: object): Promise<string>;
}

/** Starts an engine with the UI and the decoder of `npm start`, for one file. */
async function startWithUi() {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-ui-'));
  const keys = parseKeyRing(oneKey.LEADGATE_KEYS);
  const trail = openTrail(dir, keys);
  const config = { ...parseConfig({ LEADGATE_DATA_DIR: dir }), TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0 };
  const options = { isInMemory: true, executable: testEngine().executable, reader: payloadReader };
  const { address, uiUrl = '', stop } = await startEmbedded(config, keys, trail, options);
  return {
    settings: { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: config.TEMPORAL_NAMESPACE, TEMPORAL_UI_URL: uiUrl },
    async stop() {
      await stop();
      await trail.close();
      rmSync(dir, { recursive: true });
    },
  };
}

type Settings = Readonly<Record<string, string>>;

/**
 * Starts a gateway and a browser for the tests of one file; `withTemporalUi` starts an engine of its own, too. A function makes the settings
 * before the gateway starts. A test fails if its pages log an error.
 */
export function onStage(settings: Settings | (() => Promise<Settings>) = {}, { withTemporalUi = false } = {}): BrowserFixture {
  let stage: Pick<BrowserFixture, 'gateway' | 'browser'> | undefined;
  let engine: Awaited<ReturnType<typeof startWithUi>> | undefined;
  const there = () => {
    if (!stage) throw new Error('The browser starts before the first test');
    return stage;
  };
  beforeAll(async () => {
    // Without a browser, nothing is started that would run on.
    chromiumPath();
    if (withTemporalUi) engine = await startWithUi();
    const own = typeof settings === 'function' ? await settings() : settings;
    const gateway = await startGateway({ settings: { ...oneKey, ...engine?.settings, ...own } });
    stage = { gateway, browser: await openBrowser(gateway) };
  });
  afterEach(async () => expect(await there().browser.tidy()).toEqual([]));
  afterAll(async () => {
    await stage?.browser.close();
    await stage?.gateway.stop();
    await engine?.stop();
  });
  return {
    get gateway() {
      return there().gateway;
    },
    get browser() {
      return there().browser;
    },
    send: async (lead) => String((await there().gateway.post('/api/clinicsys/no-prescreen', lead)).headers.get('x-lead-id')),
  };
}

/** The browser logs every unsuccessful answer and every failed request. */
const isAnswer = (problem: string) => /^Failed to load resource: (the server responded with a status of (4|503)|net::ERR_)/.test(problem);

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Checks everything in WCAG 2.2 AA that can be automated. It runs through the debugger, because the page blocks foreign scripts. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const expression = `${axe.source}; axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => JSON.stringify(violations))`;
  const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true });
  const violations = JSON.parse(String(result.value)) as Result[];
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`);
}
