/** `leadgate doctor` and `leadgate sites check`: what is wrong is named with what to do, and no secret is shown. */
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeVersion } from '../../src/cli/doctor-checks';
import { testEngine } from '../support/engine';
import { startGateway, type Gateway } from '../support/gateway';
import { openUpstream } from '../support/upstream';
import { leadgate } from './support';

let dir: string;
beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-doctor-'))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const secret = Buffer.alloc(32, 9).toString('base64');

describe('doctor', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.untilReady();
  });
  afterAll(() => gateway.stop());

  const settings = (more: Record<string, string> = {}) => ({
    TEMPORAL_ADDRESS: testEngine().address,
    TEMPORAL_NAMESPACE: testEngine().namespace,
    TASK_QUEUE: gateway.config.TASK_QUEUE,
    LEADGATE_URL: gateway.url,
    LEADGATE_DATA_DIR: dir,
    LEADGATE_KEYS: `k1:${secret}`,
    ...more,
  });
  const doctor = (more?: Record<string, string>) => leadgate(['doctor'], { settings: settings(more) });

  it('finds nothing wrong where all is well', async () => {
    const { status, out } = await doctor();
    expect(out).toMatch(/ok {2}Engine +answers\n/);
    expect(out).toMatch(/ok {2}Namespace +\S+ is there/);
    expect(out).toMatch(/ok {2}Worker +polls the task queue test-/);
    expect(out).toMatch(/ok {2}API +ready at http/);
    expect(out).toMatch(/- {3}Group A: task board +no URL is set: the sandbox stands in/);
    expect(out).toMatch(/Nothing is wrong\.\n$/);
    expect(status).toBe(0);
  });

  it('shows which settings are set, and the value of none that is secret', async () => {
    const { out } = await doctor({ TASKBOARD_TOKEN_SECRET: 'very-secret', SCREENING_URL: `${gateway.url}/path-secret?token=url-secret` });
    expect(out).toMatch(/Settings +set: .*TASKBOARD_TOKEN_SECRET/);
    expect(out).toContain('SCREENING_URL can be reached');
    for (const hidden of [secret, 'very-secret', 'path-secret', 'url-secret']) expect(out).not.toContain(hidden);
  });

  it('says what to do about each trouble', async () => {
    const keys = join(dir, 'open-keys');
    writeFileSync(keys, `k1:${secret}\n`);
    chmodSync(keys, 0o644);
    const { status, out } = await doctor({
      TASK_QUEUE: 'nobody-polls-this',
      LEADGATE_URL: 'http://127.0.0.1:9',
      LEADGATE_KEYS: '',
      LEADGATE_KEYS_FILE: keys,
      RECRUIT_URL_US: 'http://127.0.0.1:9/x',
      SCREENING_URL: 'https://no-such-host.invalid',
      LEADFORMS_SITES_FILE: join(dir, 'no-sites.json'),
    });
    expect(status).toBe(1);
    expect(out).toMatch(/!! {2}Worker +No worker is polling.*\n +npm start runs one/);
    expect(out).toMatch(/!! {2}API +The API does not answer.*\n +npm start runs it/);
    expect(out).toMatch(/can be read by other users.*\n +chmod 600 /);
    expect(out).toContain('RECRUIT_URL_US cannot be reached: nobody listens there');
    expect(out).toMatch(/SCREENING_URL cannot be reached: (there is no such host|the name could not be looked up)/);
    expect(out).toMatch(/!! {2}Files +.*there is no such file/s);
    expect(out).toMatch(/6 things are wrong/);
  });

  it('names an engine and a namespace that are not there', async () => {
    expect((await doctor({ TEMPORAL_ADDRESS: '127.0.0.1:9' })).out).toMatch(
      /!! {2}Engine +does not answer at 127\.0\.0\.1:9\n +see TEMPORAL_ADDRESS/,
    );
    expect((await doctor({ TEMPORAL_NAMESPACE: 'nowhere' })).out).toMatch(/!! {2}Namespace +nowhere is not there/);
  });

  it('tells of settings that are not right, and of nothing else', async () => {
    const { status, out } = await leadgate(['doctor', '--json'], { settings: { PORT: 'x' } });
    expect([status, JSON.parse(out).findings.map(({ what }: { what: string }) => what)]).toEqual([1, ['Node', 'Settings']]);
  });

  it('takes no other server for the API', async () => {
    const other = await openUpstream();
    expect((await doctor({ LEADGATE_URL: other.url })).out).toMatch(/!! {2}API +What answers at \S+ does not look like a Leadgate/);
    await other.close();
  });

  it('makes no key and no directory', async () => {
    const empty = join(dir, 'empty', 'data');
    mkdirSync(join(dir, 'empty'));
    const { out } = await doctor({ LEADGATE_KEYS: '', LEADGATE_DATA_DIR: empty });
    expect(out).toMatch(/Encryption keys +there are none at .*\n +npm start makes one/);
    expect(out).toMatch(/Data directory +.* is not there yet/);
  });

  it('connects to an upstream and asks nothing of it', async () => {
    const said: Buffer[] = [];
    let connections = 0;
    const server = createServer((socket) => void (connections++, socket.on('data', (data) => said.push(data))));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { out } = await doctor({ KEY_SERVICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` });
    server.close();
    await once(server, 'close');
    expect(out).toContain('KEY_SERVICE_URL can be reached');
    expect([connections, said]).toEqual([1, []]);
  });
});

it.each([
  ['20.19.0', 'ok'],
  ['24.1.0', 'ok'],
  ['20.18.9', 'trouble'],
  ['18.20.0', 'trouble'],
])('Node %s is %s', (version, state) => expect(nodeVersion(version)).toMatchObject({ state }));

describe('sites check', () => {
  const site = {
    name: 'Skin Care',
    key: 'a-secret-key',
    form_code: 'F',
    account_id: 1,
    location_id: '2',
    source_url: 'https://s.example.org',
  };
  const check = (sites: unknown, ...argv: string[]) => {
    const file = join(dir, 'sites.json');
    writeFileSync(file, typeof sites === 'string' ? sites : JSON.stringify(sites));
    return leadgate(['sites', 'check', ...argv], { settings: { LEADFORMS_SITES_FILE: file } });
  };

  it('lists each site, and no key', async () => {
    const { status, out } = await check({ 'skin-care': site });
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^skin-care {2}Skin Care {2}F {2}account 1 {2}location 2 {2}key set in the file\n\n1 sites? in /),
    ]);
    expect(out).not.toContain('a-secret-key');
  });

  it('says which site has no key, and where it would stand', async () => {
    const { key: _key, ...keyless } = site;
    const { status, out } = await check({ 'skin-care': site, other: { ...keyless, name: 'Other', key_env: 'NO_SUCH_SITE_KEY' } });
    expect([status, out]).toEqual([1, expect.stringContaining('key NOT SET: NO_SUCH_SITE_KEY')]);
    const { out: asJson } = await check({ 'skin-care': site }, '--json');
    expect(JSON.parse(asJson)).toMatchObject({ success: true, sites: [{ slug: 'skin-care', key: 'set' }] });
    expect(asJson).not.toContain('a-secret-key');
  });

  it.each([
    ['not JSON', 'it is not valid JSON: a value is expected in line 1, column 1'],
    [{ 'skin-care': { ...site, form_code: '' } }, 'skin-care.form_code: '],
    [{ 'skin-care': { ...site, colour: 'red' } }, 'colour'],
    [{ 'skin-care': site, twin: site }, 'twin: is found by "skin-care" like skin-care'],
  ])('%j is refused with its problem', async (sites, why) =>
    expect(await check(sites)).toEqual({ status: 1, out: '', err: expect.stringContaining(why) }),
  );

  it('needs a file', async () =>
    expect(await leadgate(['sites', 'check'])).toMatchObject({
      status: 2,
      err: expect.stringContaining('LEADFORMS_SITES_FILE is not set'),
    }));
});
