/** `leadgate tail`: every change once, also where the gateway goes away meanwhile. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { JsonObject } from '../../src/domain/lead';
import { freePort } from '../../src/engine/ports';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { leadgate, type Said } from './support';

let settings: Record<string, string>;
let gateway: Gateway;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  settings = {
    PORT: String(await freePort()),
    TASK_QUEUE: `tail-${randomUUID()}`,
    LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  };
  gateway = await started(settings);
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

async function started(changes: Record<string, string>): Promise<Gateway> {
  const one = await startGateway({ settings: { ...settings, ...changes } });
  stops.push(one.stop);
  return one;
}

interface Tail {
  readonly said: { out: string; err: string };
  /** What it told with --json: the lead, its state and the time of the change. */
  told(): JsonObject[];
  /** Ends it as Ctrl-C does. */
  stop(): Promise<Said>;
}

function tail(...argv: string[]): Tail {
  const said = { out: '', err: '' };
  const ctrlC = new AbortController();
  const ended = leadgate(['tail', ...argv], {
    settings: { LEADGATE_URL: `http://127.0.0.1:${settings.PORT}` },
    io: { out: (text) => void (said.out += text), err: (text) => void (said.err += text), stopped: ctrlC.signal },
  });
  const stop = () => {
    ctrlC.abort();
    return ended;
  };
  stops.push(stop);
  const told = () => said.out.split('\n').flatMap((line) => (line ? [JSON.parse(line) as JsonObject] : []));
  return { said, told, stop };
}

async function sent(through: Gateway, sentinels = '', fields: JsonObject = {}): Promise<string> {
  const { headers } = await through.post('/api/clinicsys/no-prescreen', newLead(sentinels, fields));
  return headers.get('x-lead-id') ?? '';
}

it('tells each change once while the gateway is away and comes back, and ends with Ctrl-C', async () => {
  const protocol = `T-${process.pid}`;
  const { said, told, stop } = tail('--protocol', protocol, '--since', '1m', '--json');
  const tells = (leadId: string, state: string) =>
    until(() => told().some((one) => one.leadId === leadId && one.state === state), `${state} is told`);
  const parked = await sent(gateway, 'comment-422', { protocol });
  await tells(parked, 'parked');

  const elsewhere = await started({ PORT: '0' });
  await gateway.stopApi();
  await until(() => said.err.includes('Waiting for it'), 'it tells that the gateway is away');
  await elsewhere.post(`/api/leads/${parked}/discard`, { reason: 'a test' });
  const delivered = await sent(elsewhere, '', { protocol });
  await started({});
  await tells(parked, 'discarded');
  await tells(delivered, 'delivered');
  const last = await sent(elsewhere, 'v1-refused', { protocol });
  await tells(last, 'failed');

  expect(await stop()).toMatchObject({ status: 0 });
  expect(said.err).toBe(
    `The API does not answer at http://127.0.0.1:${settings.PORT}: is \`npm start\` running?\nWaiting for it …\nIt answers again.\n`,
  );
  const changes = told().map(({ leadId, state, updatedAt }) => [leadId, state, updatedAt].map(String).join(' '));
  expect(new Set(changes).size).toBe(changes.length);
});

it('begins with the next change, and tells only what the filters ask for', async () => {
  const before = await sent(gateway);
  const { said, stop } = tail('--state', 'failed', '--flow', 'no-prescreen');
  const failed: string[] = [];
  const isTold = () => failed.some((leadId) => said.out.includes(leadId));
  // One that came before the first look is not told.
  await until(async () => isTold() || !failed.push(await sent(gateway, 'v1-refused')), 'a failed lead is told');
  await stop();
  expect(said.out).toMatch(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}\S+ {2}no-prescreen +failed +send-to-rt +erg-oct\n)+$/);
  expect(said.out).not.toContain(before);
});

it.each([
  [['--since', 'yesterday'], 2, 'changedSince: must be'],
  [['--state', 'lost'], 2, '--state must be one of'],
])('%j is wrong usage', async (argv, status, words) =>
  expect(await leadgate(['tail', ...argv], { settings: { LEADGATE_URL: gateway.url } })).toMatchObject({
    status,
    out: '',
    err: expect.stringContaining(words),
  }),
);

it('a gateway that is away from the beginning is an error', async () =>
  expect(await leadgate(['tail'], { settings: { PORT: '9' } })).toMatchObject({
    status: 2,
    err: 'leadgate: The API does not answer at http://127.0.0.1:9: is `npm start` running?\n',
  }));
