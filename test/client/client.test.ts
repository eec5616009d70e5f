import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { isGenuine } from '../../tools/n8n-nodes-leadgate/nodes/LeadgateTrigger/signature';
import { createLeadgate, LeadgateError } from '../../tools/client';
import { remedyOf } from '../../tools/client/meaning';
import type { NoPrescreenInput } from '../../tools/client/generated/site-system';
import { projectDir } from '../../src/config/config';
import { errorCodes } from '../../src/contract/errors';
import { freePort } from '../../src/config/ports';
import { newLead as anyLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { openProxy, type Proxy } from './proxy';

/** The typed client against a real gateway: what it waits for, what it repeats, and what its errors tell. */
describe('the client', () => {
  let gateway: Gateway;
  let proxy: Proxy;
  beforeAll(async () => {
    // A lead that takes longer is answered 202.
    gateway = await startGateway({ settings: { SYNC_WAIT_MS: '300' } });
    proxy = await openProxy(gateway.url);
  });
  afterAll(async () => {
    await proxy.close();
    await gateway.stop();
  });

  const newLead = (sentinels?: string, fields?: object) => anyLead(sentinels, { ...fields }) as NoPrescreenInput & { email: string };
  const client = (baseUrl = proxy.url) => createLeadgate({ baseUrl, patienceMs: 20_000 });
  const sendsOf = async ({ email }: { email: string }) =>
    (await gateway.sandbox()).requests.filter(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(email))).length;

  /** The error that a call ends with. */
  const errorOf = (call: Promise<unknown>): Promise<LeadgateError> =>
    call.then(
      () => Promise.reject(new Error('it was done')),
      (error: unknown) => (error instanceof LeadgateError ? error : Promise.reject(error as Error)),
    );

  describe('a lead', () => {
    it('is waited for after a 202, and returns the same as a 200', async () => {
      const lead = newLead('v1-slow-1500');
      const { status, body, leadId, sandbox } = await client().siteSystem.noPrescreen(lead);
      expect([status, leadId, sandbox]).toEqual([200, expect.any(String), true]);
      expect(body).toMatchObject({ email: lead.email, rtResponse: { status: 0, PatientID: expect.any(Number) } });
      expect(await sendsOf(lead)).toBe(1);
    });

    it('is retried with the same key after a lost answer, and arrives once', async () => {
      const lead = newLead();
      const before = proxy.seen.length;
      proxy.loseNext(2);
      const sent = await client().siteSystem.noPrescreen(lead);
      const posts = proxy.seen.slice(before).filter(({ method }) => method === 'POST');
      expect(posts.length).toBe(3);
      expect(new Set(posts.map(({ key }) => key))).toEqual(new Set([sent.idempotencyKey]));
      expect([sent.replayed, await sendsOf(lead)]).toEqual([true, 1]);
    });

    it('without a key is not retried after a lost answer', async () => {
      const lead = newLead();
      const before = proxy.seen.length;
      proxy.loseNext(1);
      const error = await errorOf(client().siteSystem.noPrescreen(lead, { idempotencyKey: false }));
      expect(error).toMatchObject({ code: 'NO_ANSWER', retryable: false, remedy: 'person' });
      await until(async () => (await sendsOf(lead)) > 0, 'the lead arrives');
      expect([proxy.seen.length - before, await sendsOf(lead)]).toEqual([1, 1]);
    });

    it('stays unknown after a lost answer even if no retry reaches the gateway', async () => {
      const own = await openProxy(gateway.url);
      own.loseNext(1);
      const ended = errorOf(createLeadgate({ baseUrl: own.url, patienceMs: 2_000 }).siteSystem.noPrescreen(newLead()));
      await until(() => own.seen.length === 1, 'the gateway has the lead');
      await own.close();
      expect(await ended).toMatchObject({ code: 'NO_ANSWER', retryable: true, remedy: 'repeat', idempotencyKey: expect.any(String) });
    });

    it('has its own random key, or the key of the caller', async () => {
      const keys = await Promise.all([1, 2].map(async () => (await client().siteSystem.noPrescreen(newLead())).idempotencyKey));
      expect(new Set(keys).size).toBe(2);
      const lead = newLead();
      const own = { idempotencyKey: `order-${lead.email}` };
      const [first, again] = [await client().siteSystem.noPrescreen(lead, own), await client().siteSystem.noPrescreen(lead, own)];
      expect([again.leadId, again.replayed, first.replayed]).toEqual([first.leadId, true, false]);
    });

    it('can be accepted without a wait, and waited for later', async () => {
      const accepted = await client().siteSystem.noPrescreen(newLead('v1-slow-1000'), { until: 'accepted' });
      expect(accepted).toMatchObject({ status: 202, body: { pending: true, leadId: accepted.leadId } });
      expect(await client().waitForLead(accepted.leadId)).toMatchObject({ status: 200, leadId: accepted.leadId });
    });

    it('is not sent by a dry run', async () => {
      const lead = newLead();
      expect(await client().siteSystem.noPrescreen(lead, { dryRun: true })).toMatchObject({ status: 200, body: { dryRun: true } });
      expect(await sendsOf(lead)).toBe(0);
    });

    it('continues if its wait is aborted, and the error has its id', async () => {
      const stopped = new AbortController();
      const lead = newLead('v1-slow-2000');
      const before = proxy.seen.length;
      const ended = errorOf(client().siteSystem.noPrescreen(lead, { signal: stopped.signal }));
      await until(() => proxy.seen.slice(before).some(({ method }) => method === 'GET'), 'the client waits');
      stopped.abort();
      const error = await ended;
      expect(error).toMatchObject({ code: 'STILL_OPEN', retryable: true, leadId: expect.any(String) });
      expect(await client().waitForLead(error.leadId ?? '')).toMatchObject({ status: 200 });
      expect(await sendsOf(lead)).toBe(1);
    });

    it('is STILL_OPEN if patienceMs ends before the lead', async () => {
      const error = await errorOf(client().siteSystem.noPrescreen(newLead('v1-slow-2000'), { patienceMs: 500 }));
      expect(error).toMatchObject({ code: 'STILL_OPEN', leadId: expect.any(String), idempotencyKey: expect.any(String) });
    });
  });

  describe('an error', () => {
    it.each([
      ['of a wrong field names it', () => newLead('', { dob: '02/30/1980' }), { code: 'VALIDATION_ERROR', status: 400, remedy: 'mend' }],
      ['of a refusal', () => newLead('v1-refused'), { code: 'UPSTREAM_REJECTED', status: 422, state: 'failed', remedy: 'mend' }],
      [
        'of a refusal after a 202',
        () => newLead('lookup-slow-900+v1-refused'),
        { code: 'UPSTREAM_REJECTED', status: 422, state: 'failed' },
      ],
      ['of a parked lead', () => newLead('comment-422'), { state: 'parked', remedy: 'person', step: 'send-comments' }],
    ])('%s tells what the table of answers needs', async (_name, lead, expected) => {
      const error = await errorOf(client().siteSystem.noPrescreen(lead()));
      expect(error).toMatchObject({ ...expected, retryable: false });
      expect(error.leadId !== undefined).toBe(error.status !== 400);
      expect(error.details.map(({ field }) => field)).toEqual(error.status === 400 ? ['dob'] : []);
    });

    it('has advice for a card that the board does not know', async () =>
      expect(await errorOf(client().taskBoard.getTodo({ id: 'no-such-card' }))).toMatchObject({
        code: 'NOT_FOUND',
        status: 404,
        advice: 'Check the path or the id.',
        logId: expect.any(String),
      }));

    it('says that nothing was sent if the gateway could not be reached within patienceMs', async () => {
      const baseUrl = `http://127.0.0.1:${await freePort()}`;
      const error = await errorOf(createLeadgate({ baseUrl, patienceMs: 600 }).siteSystem.noPrescreen(newLead()));
      expect(error).toMatchObject({ code: 'NOT_REACHED', retryable: true, remedy: 'repeat' });
    });
  });

  describe('a gateway', () => {
    const notNow = (status: number, code: string) => ({
      status,
      headers: { 'retry-after': '1' },
      body: { success: false, message: 'not now', error: { code, retryable: true } },
    });
    const done = { headers: { 'x-lead-id': 'p1' }, body: { success: true, message: 'sent', screeningResponse: {} } };
    const patient = { study_id: 1, site_id: 2, first_name: 'Ann', last_name: 'Lee' };

    it('with 429 or 503 is retried after Retry-After, also without a key', async () => {
      const upstream = await openUpstream();
      for (const told of [notNow(429, 'RATE_LIMITED'), notNow(503, 'NOT_ACCEPTED'), done]) upstream.answerWith(told);
      const sent = await client(upstream.url).screeningPlatform.sendPatient(patient, { idempotencyKey: false });
      expect([sent.leadId, upstream.received.map(({ headers }) => headers['idempotency-key'])]).toEqual([
        'p1',
        [undefined, undefined, undefined],
      ]);
      await upstream.close();
    });

    it('with a final 503 is not retried', async () => {
      const upstream = await openUpstream();
      upstream.answerWith({ status: 503, body: { success: false, message: 'Not set', error: { code: 'CONFIG_ERROR', retryable: false } } });
      const error = await errorOf(client(upstream.url).screeningPlatform.sendPatient(patient));
      expect([error.remedy, upstream.received.length]).toEqual(['setup', 1]);
      await upstream.close();
    });

    it('without an engine during the start gets the lead again if it does not know it', async () => {
      const upstream = await openUpstream();
      const unknown = { code: 'OUTCOME_UNKNOWN', retryable: false };
      upstream.answerWith({ status: 502, body: { success: false, message: 'it may have been accepted', error: unknown, leadId: 'p7' } });
      upstream.answerWith({ status: 404, body: { success: false, message: 'none', error: { code: 'NOT_FOUND', retryable: false } } });
      upstream.answerWith(done);
      await client(upstream.url).screeningPlatform.sendPatient(patient);
      const path = '/api/screening/send-patient';
      expect(upstream.received.map(({ url }) => url)).toEqual([path, '/api/leads/p7?wait=0', path]);
      const [first, , second] = upstream.received.map(({ headers }) => headers['idempotency-key']);
      expect(second).toBe(first);
      await upstream.close();
    });

    it('behind a failing proxy is retried with a key, and never without', async () => {
      const upstream = await openUpstream();
      const bad = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' };
      for (const told of [bad, done, bad]) upstream.answerWith(told);
      await client(upstream.url).screeningPlatform.sendPatient(patient);
      const error = await errorOf(client(upstream.url).screeningPlatform.sendPatient(patient, { idempotencyKey: false }));
      expect([error.code, error.remedy, upstream.received.length]).toEqual(['NOT_LEADGATE', 'person', 3]);
      await upstream.close();
    });

    it('that is another server gives NOT_LEADGATE', async () => {
      const upstream = await openUpstream();
      upstream.answerWith({ body: { data: [] } });
      expect(await errorOf(client(upstream.url).leads.listLeads())).toMatchObject({ code: 'NOT_LEADGATE', status: 200 });
      await upstream.close();
    });
  });
});

/** The package of tools/client, as a program of somebody else uses it: built, typed, and its README's sample run. */
describe('the package', () => {
  const run = promisify(execFile);
  const packageDir = join(projectDir, 'tools/client');
  const tsc = (...args: string[]) => run(process.execPath, [join(projectDir, 'node_modules/typescript/bin/tsc'), ...args]);

  let dir: string;
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
    dir = mkdtempSync(join(tmpdir(), 'leadgate-client-'));
    const at = join(dir, 'node_modules/@leadgate/client');
    mkdirSync(at, { recursive: true });
    symlinkSync(join(projectDir, 'node_modules/@types'), join(dir, 'node_modules/@types'));
    writeFileSync(join(at, 'package.json'), readFileSync(join(packageDir, 'package.json')));
    await tsc('-p', packageDir, '--outDir', join(at, 'dist'));
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true });
    await gateway.stop();
  });

  const [, sample = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(packageDir, 'README.md'), 'utf8')) ?? [];

  it('runs the sample of its README, and a repeat is the same lead', async () => {
    writeFileSync(join(dir, 'sample.mjs'), sample);
    const ran = () => run(process.execPath, [join(dir, 'sample.mjs')], { env: { ...process.env, LEADGATE_URL: gateway.url } });
    const first = await ran();
    expect(first).toMatchObject({ stdout: expect.stringMatching(/^done \S+ \{\s*status: 0,\s*PatientID: \d+/), stderr: '' });
    expect((await ran()).stdout).toBe(first.stdout);
    expect((await gateway.sandbox()).calls.v1).toBe(1);
  });

  it('has types that reject fields of another name or type', async () => {
    const lead = "{ instanceName: 'erg-oct', StudyID: 12, ReferrerID: 7, firstName: 'Ann', lastName: 'Lee', email: 'a@example.org' }";
    const right = `import { createLeadgate } from '@leadgate/client';
const leadgate = createLeadgate({ baseUrl: 'http://127.0.0.1:8080' });
export const answer: Promise<{ status: 200; leadId: string }> = leadgate.siteSystem.noPrescreen(${lead});
`;
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--ignoreConfig'];
    const wrong = ["leadgate.leads.listLeads({ sate: 'parked' });", "leadgate.siteSystem.noPrescreen({ instanceName: 'erg-oct' });"];
    const file = join(dir, 'use.mts');
    writeFileSync(file, `${right}${wrong.join('\n')}\n`);
    const { stdout } = await tsc(...options, '--typeRoots', join(dir, 'node_modules/@types'), file).catch(
      (error: { stdout: string }) => error,
    );
    // The three lines that are right compile.
    expect([...stdout.matchAll(/use\.mts\((\d+)/g)].map(([, line]) => Number(line))).toEqual([4, 5]);
  });

  /** The rows of the table of answers: their statuses or code, and the client's word for what the tool does. */
  const rows: readonly (readonly [row: string, holds: readonly (number | string)[], does: RegExp, remedy: string])[] = [
    ['502, or any with `state` `parked`', [502], /does \*\*not\*\* send it again: a person looks/, 'person'],
    ['500', [500], /does \*\*not\*\* send it again; the log/, 'person'],
    ['400, 422 else', [400, 422], /mend the lead, send it with a new key/, 'mend'],
    ['401, 403, 503 `CONFIG_ERROR`', [401, 403, 'CONFIG_ERROR'], /tells somebody; the message says which/, 'setup'],
    ['404, 405, 413, 415', [404, 405, 413, 415], /tells somebody; mend the tool/, 'tool'],
    ['429, 503', [429, 503], /waits `Retry-After` seconds, sends the same again/, 'repeat'],
  ];

  it('has the remedy of the table of answers for each code', () => {
    const table = readFileSync(join(projectDir, 'docs/tools/README.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    for (const [code, { status, retryable }] of Object.entries(errorCodes)) {
      const row = rows.find(([, holds]) => holds.includes(code) || holds.includes(status));
      // Not a lead's: 409 and 504 are the task board's, and are not in the table.
      if (!row) continue;
      const [answer, , does, remedy] = row;
      const [, , , words] = table.find(([, first]) => first === answer) ?? [];
      expect([code, words]).toEqual([code, expect.stringMatching(does)]);
      expect([code, remedyOf({ code, status, retryable }, true)]).toEqual([code, remedy]);
    }
    expect(remedyOf({ code: 'UPSTREAM_REJECTED', status: 422, state: 'parked', retryable: false }, true)).toBe('person');
  });
});

/** The trigger of the n8n nodes believes only what the published library for Standard Webhooks has signed, and lately. */
describe('the signature of an event', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = Buffer.from('{"type":"lead.parked","data":{"leadId":"p1"}}');
  const now = new Date('2026-11-23T12:00:00Z');
  const signed = {
    id: 'p1-1-2',
    timestamp: String(now.getTime() / 1000),
    signatures: new Webhook(secret).sign('p1-1-2', now, body.toString()),
    body,
  };
  const minutesMs = 60_000;

  it('is valid for a signed message', () => expect(isGenuine(signed, secret, now.getTime())).toBe(true));

  it('is valid if one of several signatures matches', () =>
    expect(isGenuine({ ...signed, signatures: `v1,AAAA v2,BBBB ${signed.signatures}` }, secret, now.getTime())).toBe(true));

  it.each([
    ['another body', { body: Buffer.from('{}') }],
    ['another id', { id: 'p2-1-2' }],
    ['another time', { timestamp: String(now.getTime() / 1000 + 1) }],
    ['no time', { timestamp: '' }],
    ['no signature', { signatures: '' }],
    ['another version of the signature', { signatures: signed.signatures.replace('v1,', 'v2,') }],
  ])('does not believe one with %s', (_what, change) => expect(isGenuine({ ...signed, ...change }, secret, now.getTime())).toBe(false));

  it.each([
    ['another secret', `whsec_${Buffer.alloc(32, 8).toString('base64')}`, 0],
    ['no secret', '', 0],
    ['an age of six minutes', secret, 6 * minutesMs],
    ['a time of six minutes from now', secret, -6 * minutesMs],
  ])('does not believe one with %s', (_what, key, laterMs) => expect(isGenuine(signed, key, now.getTime() + laterMs)).toBe(false));
});
