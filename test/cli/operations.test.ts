/** Tests the commands of operators. */
import type { Client } from '@temporalio/client';
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeVersion } from '../../tools/cli/doctor-checks';
import { storedRuns } from '../../tools/cli/runs';
import { sandboxBoard, sandboxUrls } from '../../src/config/sandbox-urls';
import { version } from '../../src/config/version';
import { endpoints } from '../../src/contract';
import { openRunsQuery } from '../../tools/cli/builds';
import { patientOf } from '../support/background';
import { replayBundlePath, testEngine } from '../support/engine';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { replaying } from '../support/replays';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { sendFailing } from '../support/failing-leads';
import { alteredBundle } from './altered';
import { onGateway } from './on-gateway';
import { leadgate } from './support';

describe('upstreams', () => {
  const { gateway, here } = onGateway();

  it('pauses an instance, lists it, and resumes it', async () => {
    const instance = 'ERG/erg-oct.paused';
    expect(await here('upstreams', 'pause', 'V1', instance, '--reason', 'it is being updated')).toEqual({
      status: 0,
      out: `V1 ${instance} is paused: no further lead is sent to it\n`,
      err: `No known lead was sent to ${instance}: check its name, because a mistyped name pauses nothing\n`,
    });
    const lead = newLead('', { instanceName: 'erg-oct.paused' });
    const { body } = await gateway().post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async' });
    const list = async () => (await here('upstreams', 'list')).out;
    const waits = /^V1 ERG\/erg-oct\.paused {2}paused {2}1 lead waiting {2}sandbox {2}since [-\d]+ [:\d]+Z: it is being updated$/m;
    await until(async () => waits.test(await list()), 'a lead waits in the line');
    const shown = (await here('lead', 'show', body.leadId)).out;
    expect(shown).toMatch(/\n {2}send-to-rt +sendToRt +not sent /);
    expect(shown).toContain(`It continues when the upstream is resumed:\n  leadgate upstreams resume V1 ${instance} --reason '…'\n`);
    expect((await here('audit', 'list')).out).toContain(`pause upstream  done   V1 ${instance}`);
    expect(await list()).toMatch(/^task-board +open +sandbox$/m);
    expect(JSON.parse((await here('upstreams', 'list', '--json')).out)).toMatchObject({ success: true, count: 8 });

    const again = await here('upstreams', 'pause', 'v1', instance, '--reason', 'once more');
    expect(again).toMatchObject({ status: 1, err: expect.stringContaining('WRONG_STATE: V1 ERG/erg-oct.paused is already paused') });
    expect((await here('upstreams', 'resume', 'V1', instance, '--reason', 'the update is done')).out).toBe(
      `V1 ${instance} is no longer paused\n`,
    );
    await until(async () => !waits.test(await list()), 'nobody waits');
    expect((await here('upstreams', 'history')).out.replaceAll(/^[-\d]+ [:\d]+Z/gm, 'when')).toBe(
      [`when  local  resumed  V1 ${instance}  the update is done\n`, `when  local  paused   V1 ${instance}  it is being updated\n`].join(
        '',
      ),
    );
    expect(JSON.parse((await here('upstreams', 'history', '--json')).out)).toMatchObject({
      count: 2,
      changes: [{ verb: 'resume', upstream: 'V1', instance }, { verb: 'pause' }],
    });
  });

  it('reports an empty history', async () => {
    const fresh = await startGateway({ withoutWorker: true });
    try {
      const { out } = await leadgate(['upstreams', 'history'], { settings: { LEADGATE_URL: fresh.url } });
      expect(out).toBe('Nobody paused or resumed an upstream in the last 30 days.\n');
    } finally {
      await fresh.stop();
    }
  });

  it('lists a held upstream with the lead that failed last', async () => {
    const leadIds = await sendFailing(gateway(), 'erg-oct.key-429');
    const named = new RegExp(
      `^key-service ERG/erg-oct\\.key-429  (?:held|probing)  .*: The key service rate-limited the request \\(429\\) \\(lead (?:${leadIds.join('|')})\\)$`,
      'm',
    );
    const listed = await until(async () => {
      const { out } = await here('upstreams', 'list');
      return out.includes('(lead ') && out;
    }, 'the lead is named');
    expect(listed).toMatch(named);
  });

  it('refuses an unknown upstream and an unknown instance', async () => {
    expect(await here('upstreams', 'pause', 'V3', '--reason', 'a test')).toMatchObject({ status: 2 });
    expect(await here('upstreams', 'pause', 'V1', 'erg-oct', '--reason', 'a test')).toMatchObject({
      status: 2,
      err: expect.stringContaining('instance: must be an account and an instance, such as ERG/erg-oct'),
    });
  });
});

describe('doctor and sites check', () => {
  let dir: string;
  beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-doctor-'))));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const secret = Buffer.alloc(32, 9).toString('base64');

  describe('doctor', () => {
    let gateway: Gateway;
    beforeAll(async () => {
      // The leads of other files must not count here.
      gateway = await startGateway({ settings: { TEMPORAL_NAMESPACE: await ownNamespace(`doctor-${process.pid}`) } });
      await gateway.untilReady();
    });
    afterAll(() => gateway.stop());

    const settings = (more: Record<string, string> = {}) => ({
      TEMPORAL_ADDRESS: testEngine().address,
      TEMPORAL_NAMESPACE: gateway.config.TEMPORAL_NAMESPACE,
      TASK_QUEUE: gateway.config.TASK_QUEUE,
      LEADGATE_URL: gateway.url,
      LEADGATE_DATA_DIR: dir,
      LEADGATE_KEYS: `k1:${secret}`,
      ...more,
    });
    const doctor = (more?: Record<string, string>) => leadgate(['doctor'], { settings: settings(more) });

    it('finds no problem in a healthy installation', async () => {
      const { status, out } = await doctor();
      expect(out).toMatch(/ok {2}Engine +answers\n/);
      expect(out).toMatch(/ok {2}Namespace +\S+ exists/);
      expect(out).toMatch(/ok {2}Worker +polls the task queue test-/);
      expect(out).toMatch(/ok {2}API +ready at http\S+, version \d/);
      expect(out).toMatch(/- {3}Group A: task board +no URL is set: the sandbox is used/);
      expect(out).toMatch(/No problem found\.\n$/);
      expect(status).toBe(0);
    });

    describe('--probe', () => {
      const probed = (more: Record<string, string>, ...args: string[]) =>
        leadgate(['doctor', '--probe', ...args], { settings: settings(more) });
      const sandboxed = () => {
        const urls = sandboxUrls(Number(new URL(gateway.sandboxUrl).port));
        return { ...urls, ...sandboxBoard, LEADFORMS_SITES_FILE: '' };
      };

      it('finds that the answers of the sandbox fit', async () => {
        const { status, out } = await probed(sandboxed(), '--instance', 'erg-oct');
        for (const line of ['Key service +a key', 'V2 +the e-mail look-up', 'V2 +the list of sites', 'Task board +the list of projects'])
          expect(out).toMatch(new RegExp(`ok {2}${line}: the answer fits\\n`));
        expect(out).toMatch(/- {3}V1 +CLINICSYS_V1_APPLY_URL: only takes leads: not asked\n/);
        expect(status).toBe(0);
      });

      it('says what it needs without an instance', async () =>
        expect((await probed(sandboxed())).out).toMatch(/- {3}Key service, V2 +not asked: --instance must name/));

      it('says that it asks nobody where no upstream has its URL set', async () =>
        expect((await probed({}, '--instance', 'erg-oct')).out).toMatch(/- {3}Probe +no upstream was asked: none has its URL set/));

      it('says what does not fit, and no secret', async () => {
        const upstream = await openUpstream();
        const found = async (answer: object, more: object = {}) => {
          upstream.answerAlways({ body: answer, ...more });
          return probed(
            { KEY_SERVICE_URL: upstream.url, CLINICSYS_V2_URL: upstream.url, TASKBOARD_URL: upstream.url },
            '--instance',
            'erg-oct',
          );
        };
        const noKey = await found({ token: 'aK7-secret-91' });
        expect(noKey.out).toMatch(/!! {2}Key service +a key: it answered 200 without `key`\n/);
        expect(noKey.out).toMatch(/!! {2}Task board +The task board answered 200 without `data`\n/);
        expect([noKey.status, noKey.out.includes('aK7-secret-91')]).toEqual([1, false]);
        const all = await found({ key: 'k', data: [{ subjectId: 7 }] });
        expect(all.out).toMatch(/!! {2}V2 +the e-mail look-up: it finds somebody for an e-mail that nobody has\n/);
        expect((await found({ error: 'Unknown instance' }, { status: 404 })).out).toMatch(/refused the request \(404; Unknown instance\)/);
        await upstream.close();
      });
    });

    it("--probe says when this machine's clock is off, and by how much", async () => {
      const upstream = await openUpstream();
      const found = async (offS: number) => {
        upstream.answerAlways({ body: { key: 'k', data: [] }, headers: { date: new Date(Date.now() + offS * 1_000).toUTCString() } });
        const urls = { KEY_SERVICE_URL: upstream.url, CLINICSYS_V2_URL: upstream.url };
        return (await leadgate(['doctor', '--probe', '--instance', 'erg-oct'], { settings: settings(urls) })).out;
      };
      expect(await found(-3_600)).toMatch(/!! {2}Clock +36\d\d s ahead of every upstream that answered\n/);
      expect(await found(3_600)).toMatch(/!! {2}Clock +(?:3600|359\d) s behind every upstream/);
      expect(await found(0)).not.toContain('Clock');
      await upstream.close();
    });

    it("says when this machine's clock differs from the API's and the engine's, and by how much", async () => {
      const real = Date.now;
      const shifted = async (offS: number, more?: Record<string, string>) => {
        const now = jest.spyOn(Date, 'now').mockImplementation(() => real() + offS * 1_000);
        try {
          return (await doctor(more)).out;
        } finally {
          now.mockRestore();
        }
      };
      const ahead = await shifted(3_600);
      expect(ahead).toMatch(/!! {2}Clock +3[56]\d\d s ahead of the API's\n +synchronise this machine \(NTP\)/);
      expect(ahead).toMatch(/!! {2}Clock +3[23]\d\d s ahead of the engine's, at least\n/);
      expect(ahead).toMatch(/!! {2}Worker +The clock of this machine is at least 3[23]\d\d s ahead of the engine's/);
      expect(await shifted(-3_600, { TEMPORAL_ADDRESS: '127.0.0.1:9' })).toMatch(/!! {2}Clock +3[56]\d\d s behind the API's\n/);
      expect(await shifted(0)).not.toContain('Clock');
    });

    it('checks the service through LEADGATE_URL alone, and says what it cannot see', async () => {
      const url = { LEADGATE_URL: gateway.url, LEADGATE_DATA_DIR: dir, LEADGATE_KEYS: `k1:${secret}`, TEMPORAL_PORT: '9' };
      const { status, out } = await leadgate(['doctor'], { settings: url });
      expect(out).toMatch(/- {3}Engine +does not answer at 127\.0\.0\.1:9, so the service is checked through LEADGATE_URL alone/);
      expect(out).toMatch(/ok {2}API +ready at http/);
      expect(status).toBe(0);
      const { LEADGATE_URL: _, ...local } = url;
      expect((await leadgate(['doctor'], { settings: local })).out).toMatch(/!! {2}Engine +does not answer at 127\.0\.0\.1:9\n/);
    });

    it('shows which settings are set, and no secret value', async () => {
      const { out } = await doctor({ TASKBOARD_TOKEN_SECRET: 'very-secret', SCREENING_URL: `${gateway.url}/path-secret?token=url-secret` });
      expect(out).toMatch(/Settings +set: .*TASKBOARD_TOKEN_SECRET/);
      expect(out).toContain('SCREENING_URL can be reached');
      for (const hidden of [secret, 'very-secret', 'path-secret', 'url-secret']) expect(out).not.toContain(hidden);
    });

    it('names a misspelt setting, an open address and a key that is easy to guess', async () => {
      process.env.BODY_LIMIT_BYTE = 'not-shown';
      try {
        const { status, out } = await doctor({ HOST: '0.0.0.0', GATEWAY_API_KEYS: 'n8n:changeme-changeme-changeme' });
        expect(status).toBe(1);
        expect(out).toMatch(/!! {2}Settings +nothing reads BODY_LIMIT_BYTE: did you mean BODY_LIMIT_BYTES\?\n +correct its name/);
        expect(out).toMatch(
          /- {3}Address +HOST is not a loopback address.*everybody on the way can read leads and keys\n +put a TLS proxy/,
        );
        expect(out).toMatch(/!! {2}Gateway keys +the key of n8n is easy to guess: it repeats itself\n +openssl/);
        expect(out).not.toMatch(/not-shown|changeme/);
      } finally {
        delete process.env.BODY_LIMIT_BYTE;
      }
    });

    it('says what to do about each problem', async () => {
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
      expect(out).toContain('RECRUIT_URL_US cannot be reached: connection refused');
      expect(out).toMatch(/SCREENING_URL cannot be reached: (the host does not exist|the DNS look-up failed)/);
      expect(out).toMatch(/!! {2}Files +.*there is no such file/s);
      expect(out).toMatch(/6 problems found/);
    });

    it('recommends REPEATS where leads without a key were sent twice, and only while it is not set', async () => {
      expect((await doctor()).out).not.toContain('Repeats');
      const body = { ...endpoints.sendToRecruit.example, email: newLead().email };
      for (const _ of [1, 2, 3]) await gateway.post(endpoints.sendToRecruit.path, body);
      for (const { out, status } of [
        await doctor(),
        await leadgate(['doctor'], { settings: { LEADGATE_URL: gateway.url, LEADGATE_DATA_DIR: dir, TEMPORAL_PORT: '9' } }),
      ]) {
        expect(out).toMatch(/- {3}Repeats +sent twice in the last 7 days, without an Idempotency-Key: recruit 2 leads within 10m of/);
        expect(out).toMatch(/\n +set REPEATS=recruit:answer@10m: .* lead find --since 7d --repeated-within 10m lists them\n/);
        expect(status).toBe(0);
      }
      expect((await doctor({ REPEATS: 'screening:ask@1d' })).out).toContain('add recruit:answer@10m to REPEATS');
      expect((await doctor({ REPEATS: 'recruit:send' })).out).not.toContain('Repeats');
    });

    it('asks the issuer for its discovery document, and says what is wrong with it', async () => {
      const issuer = await openUpstream();
      const [OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_SCOPES] = ['leadgate', 'a-secret-of-this-client', 'admin=operator'];
      const found = async (body: object, status = 200) => {
        issuer.answerAlways({ body, status });
        return (await doctor({ OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_SCOPES })).out;
      };
      const [authorization_endpoint, token_endpoint, jwks_uri] = ['auth', 'token', 'jwks'].map((path) => `${issuer.url}/${path}`);
      const whole = { issuer: issuer.url, authorization_endpoint, token_endpoint, jwks_uri };
      expect(await found(whole)).toMatch(/ok {2}Sign-in +the discovery document of OIDC_ISSUER fits\n/);
      expect(issuer.received.at(-1)?.url).toBe('/.well-known/openid-configuration');
      expect(await found({ ...whole, issuer: 'https://other.example' })).toMatch(/!! {2}Sign-in +.*names another issuer/);
      expect(await found({ ...whole, token_endpoint: undefined })).toMatch(/!! {2}Sign-in +.*lacks token_endpoint\n/);
      expect(await found({}, 404)).toMatch(/!! {2}Sign-in +.*answered 404\n/);
      await issuer.close();
      expect(await found(whole)).toMatch(/!! {2}Sign-in +.*cannot be read: connection refused\n +nobody can sign in/);
    });

    it('reports a missing engine and a missing namespace', async () => {
      expect((await doctor({ TEMPORAL_ADDRESS: '127.0.0.1:9' })).out).toMatch(
        /!! {2}Engine +does not answer at 127\.0\.0\.1:9\n +see TEMPORAL_ADDRESS/,
      );
      expect((await doctor({ TEMPORAL_NAMESPACE: 'nowhere' })).out).toMatch(/!! {2}Namespace +nowhere does not exist/);
    });

    it('reports invalid settings, and nothing else', async () => {
      const { status, out } = await leadgate(['doctor', '--json'], { settings: { PORT: 'x' } });
      expect([status, JSON.parse(out).findings.map(({ what }: { what: string }) => what)]).toEqual([1, ['Node', 'Settings']]);
    });

    it('does not accept another server as the API', async () => {
      const other = await openUpstream();
      expect((await doctor({ LEADGATE_URL: other.url })).out).toMatch(/!! {2}API +The server at \S+ is not a Leadgate/);
      await other.close();
    });

    it('creates no key and no directory', async () => {
      const empty = join(dir, 'empty', 'data');
      mkdirSync(join(dir, 'empty'));
      const { out } = await doctor({ LEADGATE_KEYS: '', LEADGATE_DATA_DIR: empty });
      expect(out).toMatch(/Encryption keys +.* does not exist yet\n +npm start creates it/);
      expect(out).toMatch(/Data directory +.* does not exist yet/);
    });

    it('connects to an upstream and sends no request', async () => {
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

    it('reports a site without a key, and the setting of the key', async () => {
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
      [{ 'skin-care': site, twin: site }, 'twin: has the same name "skin-care" as skin-care'],
    ])('%j is refused with its problem', async (sites, why) =>
      expect(await check(sites)).toEqual({ status: 1, out: '', err: expect.stringContaining(why) }),
    );

    it('needs a file', async () =>
      expect(await leadgate(['sites', 'check'])).toMatchObject({
        status: 2,
        err: expect.stringContaining('LEADFORMS_SITES_FILE is not set'),
      }));
  });
});

/** `leadgate deploy` within one process. test/cluster/deploy.ts tests it with several. */
describe('deploy', () => {
  replaying();

  const queue = `deploy-${randomUUID()}`;
  const settings = {
    TASK_QUEUE: queue,
    LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  };
  const here = () => ({ ...settings, TEMPORAL_ADDRESS: testEngine().address, TEMPORAL_NAMESPACE: testEngine().namespace });
  const deploy = (...argv: string[]) => leadgate(['deploy', ...argv], { settings: here() });
  const move = (build: string, bundle = replayBundlePath()) => deploy('move', build, '--bundle', bundle);
  const current = (build: string) => until(async () => (await deploy('current', build)).status === 0, `${build} is current`);

  let first: Gateway;
  let second: Gateway;
  beforeAll(async () => {
    first = await startGateway({ settings: { ...settings, WORKER_BUILD_ID: 'a' } });
    second = await startGateway({ settings: { ...settings, WORKER_BUILD_ID: 'b' } });
    await until(async () => JSON.parse((await deploy('show', '--json')).out).builds.length === 2, 'both builds are known');
  });
  afterAll(async () => {
    await second?.stop();
    await first?.stop();
  });

  it('a build without workers cannot become current', async () =>
    expect(await deploy('current', 'never')).toEqual({
      status: 1,
      err: '',
      out: expect.stringContaining('Start them, then run this command again'),
    }));

  it('new leads run on the current build, open leads stay on theirs until moved, and only leads that replay are moved', async () => {
    expect((await deploy('show')).out).toContain('No build is current');
    expect((await leadgate(['doctor'], { settings: here() })).out).toMatch(/none of (a, b|b, a) is current/);
    await current('a');
    expect((await leadgate(['doctor'], { settings: here() })).out).not.toContain('is current');
    const parked = await first.post('/api/clinicsys/no-prescreen', newLead('comment-422-once'));
    expect(parked.status).toBe(422);
    // The run of the pauses stays open, and takes its next step with the build that is current then.
    expect((await first.post('/api/upstreams/pause', { upstream: 'screening', reason: 'a test' })).status).toBe(200);
    await current('b');
    expect((await second.post('/api/clinicsys/no-prescreen', newLead())).status).toBe(200);
    const { out } = await until(async () => {
      const said = await deploy('show');
      return /^a +1 open/m.test(said.out) && /^b +0 open +current, runs new leads$/m.test(said.out) ? said : undefined;
    }, 'the parked lead is with a, and the delivered one with none');
    expect(out).toContain('The workers of a must keep running');

    const bad = alteredBundle('await formatData(context, checked)', '{}');
    try {
      expect(await move('b', bad.path)).toMatchObject({
        status: 1,
        out: expect.stringMatching(/lead-\S+: The code would not do the same[^]*0 moved to b, 1 not moved/),
      });
    } finally {
      bad.remove();
    }
    expect(await move('b')).toEqual({ status: 0, err: '', out: '1 moved to b, 0 not moved\n' });
    await until(async () => /^a +0 open/m.test((await deploy('show')).out), 'nothing is open with a');

    expect((await second.post('/api/upstreams/resume', { upstream: 'screening', reason: 'it is over' })).status).toBe(200);
    expect((await second.get('/api/upstreams')).body.changes).toMatchObject([{ verb: 'resume' }, { verb: 'pause' }]);

    const leadId = parked.headers.get('x-lead-id') ?? '';
    // Nothing goes out: each gateway has a simulator of its own, which knows no patient of the other one's.
    const upstreamId = await patientOf(second, leadId);
    expect((await second.post(`/api/leads/${leadId}/confirm`, { reason: 'it is there', upstreamId })).status).toBe(200);
    expect((await second.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({ state: 'delivered' });
  });

  it('none makes unversioned workers current', async () => {
    expect(await deploy('current', 'none')).toEqual({ status: 0, err: '', out: 'New leads go to workers without a build\n' });
    const { out } = await deploy('show', '--json');
    expect(JSON.parse(out)).toMatchObject({ success: true, builds: [{ isCurrent: false }, { isCurrent: false }] });
  });
});

describe('runs', () => {
  /** An engine with runs whose histories it gives out, but for those that it has deleted meanwhile. */
  const engineWith = (runs: readonly string[], deleted: readonly string[]): Client => {
    const list = async function* () {
      for (const workflowId of runs) yield { workflowId, runId: '' };
    };
    const fetchHistory = async (workflowId: string) => {
      if (deleted.includes(workflowId)) throw new Error(`${workflowId} is not there`);
      return { events: [] };
    };
    const getHandle = (workflowId: string) => ({ fetchHistory: () => fetchHistory(workflowId) });
    return { workflow: { list, getHandle } } as unknown as Client;
  };
  const runs = ['a', 'b', 'c', 'd', 'e', 'f'];

  it('a history that cannot be fetched fails its reader', async () => {
    const read: string[] = [];
    const all = async () => {
      for await (const { workflowId } of storedRuns(engineWith(runs, ['c', 'd']), '')) read.push(workflowId);
    };
    await expect(all()).rejects.toThrow('c is not there');
    expect(read).toEqual(['a', 'b']);
  });

  // A rejection that nobody handles fails the test, and would end the command.
  it('a history that cannot be fetched does not affect a reader that stopped before it', async () => {
    const read: string[] = [];
    for await (const { workflowId } of storedRuns(engineWith(runs, ['c', 'd']), '')) {
      read.push(workflowId);
      break;
    }
    await soon();
    expect(read).toEqual(['a']);
  });

  it('the lock of a parked lead is not an open run', async () => {
    const gateway = await startGateway();
    const ofQueue = `TaskQueue = '${gateway.config.TASK_QUEUE}'`;
    const typesOf = async (query: string) => {
      const types: string[] = [];
      for await (const { type } of gateway.client.workflow.list({ query })) types.push(type);
      return types.toSorted();
    };
    try {
      await gateway.post('/api/clinicsys/no-prescreen', newLead('comment-422'));
      await until(async () => (await typesOf(ofQueue)).join() === 'lock,noPrescreen', 'both are listed');
      expect(await typesOf(openRunsQuery(gateway.config.TASK_QUEUE))).toEqual(['noPrescreen']);
    } finally {
      await gateway.stop();
    }
  });
});

describe('the leadgate command', () => {
  const exec = promisify(execFile);
  const binary = join(__dirname, '../../scripts/leadgate.mjs');

  it('prints only its answer and returns its exit status', async () => {
    // The first call builds, where the sources are newer than what was built.
    expect((await exec(binary, ['--version'])).stdout).toBe(`${version}\n`);
    const env = { ...process.env, LEADGATE_URL: 'http://127.0.0.1:9', FORCE_COLOR: '' };
    await expect(exec(binary, ['lead', 'find'], { env })).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'leadgate: The API does not answer at http://127.0.0.1:9: is `npm start` running?\n',
    });
    const byNpx = { ...env, npm_lifecycle_event: 'npx' };
    await expect(exec(binary, ['completion'], { env: byNpx })).rejects.toMatchObject({
      stderr: 'leadgate: <shell> is missing; see npx leadgate completion --help\n',
    });
    expect((await exec(binary, ['completion', '--help'], { env: byNpx })).stdout).toContain('\n  npx leadgate completion bash ');
    const { stdout, stderr } = await exec('bash', ['-c', `'${binary}' --help | head -1`]);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^leadgate: [^\u001b]*\n$/), '']);
  }, 150_000);
});
