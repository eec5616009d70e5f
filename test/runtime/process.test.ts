/** The service in processes of its own. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { projectDir } from '../../src/config/config';
import { freePort } from '../../src/config/ports';
import { newLead } from '../support/gateway';
import { startService, type Service } from '../support/service';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

/** The start and the stop of a process, as a terminal does them. */
describe('a process', () => {
  const run = async (settings: Record<string, string>, part = 'sandbox') => {
    const child = spawn(process.execPath, [join(projectDir, 'scripts/bootstrap.mjs'), part], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return { child, said: () => said, ended: once(child, 'exit') };
  };

  it('two signals at once, from the terminal and from npm, are one orderly stop', async () => {
    const { child, said, ended } = await run({ SANDBOX_PORT: String(await freePort()) });
    await until(() => said().includes('sandbox listening'), 'the sandbox listens');
    // Both are there when it goes on, so that neither comes when it has ended already; two of one kind would be one.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) child.kill(signal);
    expect(await ended).toEqual([0, null]);
  });

  it('reports all invalid settings at once, with what is allowed and what was given, and exits with status 1', async () => {
    const { said, ended } = await run({ SANDBOX_PORT: 'ninety', SANDBOX: 'perhaps' });
    expect(await ended).toEqual([1, null]);
    expect(said()).toMatch(/SANDBOX: must be one of .*, not "perhaps"\n.*SANDBOX_PORT: must be .*, not "ninety"\n/);
  });

  it('names settings that nothing reads, and no value', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'leadgate-process-'));
    const given = { BODY_LIMIT_BYTE: '4711', GATEWAY_API_KEYS: ' ', LEADGATE_DATA_DIR: dir, TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const { child, said, ended } = await run(given, 'api');
    await until(() => said().includes('GATEWAY_API_KEYS'), 'the settings are read');
    child.kill('SIGKILL');
    await ended;
    rmSync(dir, { recursive: true, force: true });
    expect(said()).toMatch(/"level":"warn","message":"nothing reads BODY_LIMIT_BYTE: did you mean BODY_LIMIT_BYTES\?"/);
    expect(said()).toMatch(/"level":"info","message":"GATEWAY_API_KEYS is blank: no key is required"/);
    expect(said()).not.toContain('4711');
  });

  const keys = `k1:${randomBytes(32).toString('base64')}`;

  it.each([
    ['LEADGATE_DATA_DIR', '/dev/null/data', 'worker', '', /^LEADGATE_DATA_DIR: \/dev\/null\/data cannot be used: ENOTDIR.*\n$/],
    ['HOST', 'no-host.invalid', 'start', keys, /^HOST must be an address or a name of this machine; no-host\.invalid .*\n$/],
  ])('%s=%s is reported in one line', async (setting, value, part, given, line) => {
    const dir = mkdtempSync(join(tmpdir(), 'leadgate-process-'));
    const { said, ended } = await run({ LEADGATE_DATA_DIR: dir, LEADGATE_KEYS: given, LEADGATE_KEYS_FILE: '', [setting]: value }, part);
    expect(await ended).toEqual([1, null]);
    expect(said()).toMatch(line);
    rmSync(dir, { recursive: true, force: true });
  });

  it('refuses the data directory of a newer build before it writes anything into it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'leadgate-process-'));
    writeFileSync(join(dir, 'data-version'), '2\n');
    const { said, ended } = await run({ LEADGATE_DATA_DIR: dir, LEADGATE_KEYS: '', LEADGATE_KEYS_FILE: '' }, 'start');
    expect(await ended).toEqual([1, null]);
    expect(said()).toMatch(/^The data directory \S+ has version 2, and this build .* Start that build or a newer one, or restore .*\n$/);
    expect(readdirSync(dir)).toEqual(['data-version']);
    rmSync(dir, { recursive: true });
  });
});

/** The service as it is run: a kill between two events loses none, and a lead's fields are told where that is asked for. */
describe('events', () => {
  const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
  let receiver: Upstream;
  let dataDir: string;
  const services: Service[] = [];
  const start = async () => {
    const service = await startService({
      ...{ LEADGATE_DATA_DIR: dataDir, EVENTS_WEBHOOK_URL: receiver.url, EVENTS_WEBHOOK_SECRET, EVENTS_PERSONAL_DATA: 'on' },
      UPSTREAM_LIMITS: 'recruitment=100/s',
    });
    services.push(service);
    return service;
  };
  beforeAll(async () => {
    receiver = await openUpstream();
    dataDir = mkdtempSync(join(tmpdir(), 'leadgate-events-'));
  });
  afterAll(async () => {
    for (const service of services) await service.remove();
    await receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const typesOf = (leadId: string) => receiver.received.flatMap(({ body }) => (body.data.leadId === leadId ? [body.type] : []));
  const isTold = (leadId: string) => new Set(typesOf(leadId)).size === 2;

  it('a service that is killed between two events delivers the rest after its next start', async () => {
    const killed = await start();
    expect(killed.output()).not.toMatch(/"level":"(warn|error)"/);
    let letGo = () => {};
    // No answer until the service is gone.
    const after = new Promise<void>((done) => (letGo = done));
    for (let each = 0; each < 2; each++) receiver.answerWith({ body: {}, after });
    const recruited = { bearerToken: 'kept-secret', clientId: '1', siteId: '1263', environment: 'us', firstName: 'Ann', lastName: 'Lee' };
    const answers = await Promise.all([
      killed.post('/api/clinicsys/no-prescreen', newLead()),
      killed.post('/api/recruit/send-to-recruit', { ...recruited, email: newLead().email }),
    ]);
    const leadIds = answers.map(({ headers }) => headers.get('x-lead-id') ?? '');
    await until(() => receiver.received.length === 2, 'the first events are on their way');
    await killed.stop('SIGKILL');
    letGo();

    await start();
    await until(() => leadIds.every(isTold), 'the last events are told, too');
    for (const leadId of leadIds) expect(typesOf(leadId)).toEqual(['lead.accepted', 'lead.accepted', 'lead.delivered']);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(4);
    for (const { text, headers } of receiver.received)
      expect(new Webhook(EVENTS_WEBHOOK_SECRET).verify(text, headers as Record<string, string>)).toMatchObject({
        data: { lead: { firstName: 'Ann', lastName: 'Lee' } },
      });
    const told = receiver.received.map(({ text }) => text).join();
    expect(told).toContain('"bearerToken":"[secret]"');
    expect(told).not.toContain('kept-secret');
  });
});
