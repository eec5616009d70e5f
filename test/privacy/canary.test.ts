/**
 * Sends recognisable people and secrets through the running service, then searches everything that it leaves behind for them.
 * test/api/privacy.test.ts covers what the engine stores of single runs.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inGroups } from '../../src/lib/in-groups';
import { processesWith } from '../engine/processes';
import { csvOf } from '../support/csv';
import { localhostPem, openMailServer, type MailServer } from '../support/mail-server';
import { startService, type Service } from '../support/service';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';
import { formsOf, foundIn } from './forms';

const host = 'voliere-7731.example';
const gatewayKey = 'kanari-gateway-key-9d1f';
const secrets = {
  gatewayKey,
  serverKey: 'kanari-server-key-1c77',
  bearerToken: 'kanari-bearer-token-5e02',
  callersKey: 'kanari-callers-key-b3a9',
  recordKey: 'kanari-record-key-77ad',
  wrongKey: 'kanari-wrong-key-0f4e',
  idempotencyKey: 'kanari-repeat-6c21',
  chatToken: 'kanari-chat-token-8e15',
  mailPassword: 'kanari-mail-password-2b90',
  webhookSecret: `whsec_${Buffer.from('kanari-webhook-secret-40ee1').toString('base64')}`,
};
const person = {
  firstName: 'Kanariella',
  lastName: 'Zeisig-Öztürk',
  phone: '(913) 724-5668',
  dob: '07/23/1931',
  zipCode: 'ZK-90219-Q',
  ethnicity: 'Finkenvolk',
  race: 'Stieglitzart',
  condition: 'Kanarienfieber',
  weight: '77-kanarigramm',
  height: '1-kanarimeter',
  photoUpload: `https://${host}/foto.jpg`,
};
const words = {
  reason: 'Frau Zeisig rief selbst an',
  title: 'Rückruf bei Kanariella',
  wrongDay: 'der-siebte-Kanariar',
  query: 'kanarienfrage',
  answer: 'kanarienantwort',
};
const canaries = [...Object.values(secrets), ...Object.values(person), ...Object.values(words), host, '1931-07-23', '23-JUL-1931'];

let people = 0;
const email = (sentinel = '') => `kanari-${++people}${sentinel && `+${sentinel}`}@${host}`;
const siteLead = (sentinel = '', instanceName = 'erg-oct') => ({
  instanceName,
  StudyID: 12,
  ReferrerID: 7,
  protocol: 'AD-301',
  ...person,
  email: email(sentinel),
});
const recruited = (sentinel = '') => {
  const { firstName, lastName, phone, dob } = person;
  return {
    bearerToken: secrets.bearerToken,
    clientId: '1',
    siteId: '1263',
    environment: 'us',
    firstName,
    lastName,
    phone,
    dob,
    postalCode: person.zipCode,
    email: email(sentinel),
  };
};
const snake = (sentinel = '') => ({
  first_name: person.firstName,
  last_name: person.lastName,
  phone_number: person.phone,
  postal_code: person.zipCode,
  email: email(sentinel),
});
const form = (sentinel = '') => ({
  site: 'Skin Care - Boca Raton',
  key: secrets.callersKey,
  question_1: words.query,
  answer_1: words.answer,
  ...snake(sentinel),
});
const patient = (sentinel = '', key: object = {}) => ({
  study_id: 1,
  site_id: 2,
  race: person.race,
  questions: [{ question: words.query, answer: words.answer }],
  ...key,
  ...snake(sentinel),
});

const clinicsys = '/api/clinicsys/no-prescreen';
const prescreen = '/api/clinicsys/with-prescreen';
const recruit = '/api/recruit/send-to-recruit';
const forms = '/api/scr/send-to-leadforms';
const screening = '/api/screening/send-patient';
const dryRun = { 'x-dry-run': 'true' };
const atOnce = { prefer: 'respond-async' };
const file = { 'content-type': 'text/csv' };

/** The expected status of each, so that an ineffective case is noticed. */
const cases: readonly (readonly [path: string, body: unknown, status: number, headers?: Record<string, string>])[] = [
  [clinicsys, siteLead(), 200, { 'idempotency-key': secrets.idempotencyKey }],
  [prescreen, { ...siteLead(), q101: 'Yes' }, 200],
  [clinicsys, siteLead('v1-refused'), 422],
  [clinicsys, siteLead('v1-html'), 202, atOnce],
  [clinicsys, siteLead('comment-422'), 422],
  [clinicsys, siteLead('', 'erg-oct.key-500'), 202, atOnce],
  [clinicsys, siteLead(), 200, dryRun],
  [clinicsys, { ...siteLead(), dob: words.wrongDay }, 400],
  [`${clinicsys}/check-email`, { ...siteLead(), key: secrets.recordKey }, 200],
  [`${clinicsys}/format-data`, siteLead(), 200],
  ['/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct', email: email() }, 200],
  [recruit, recruited(), 200],
  [recruit, recruited('recruit-refused'), 422],
  [recruit, recruited('recruit-500'), 202, atOnce],
  [recruit, recruited(), 200, dryRun],
  [recruit, { ...recruited(), environment: words.wrongDay }, 400],
  [forms, form(), 200],
  [forms, form('leadforms-reset-after'), 202, atOnce],
  [forms, { ...form(), date_of_birth: words.wrongDay }, 400],
  [screening, patient(), 200],
  [screening, patient('', { key: secrets.callersKey }), 200],
  [screening, patient('screening-422'), 422],
  [screening, patient('screening-html'), 202, atOnce],
  ['/api/taskboard/todos', { todoListId: 'list-up-next', title: words.title, text: person.lastName }, 200],
  ['/api/taskboard/todos', { todoListId: words.wrongDay, title: words.title }, 404],
  ['/api/nothing', person, 404],
  [clinicsys, `{"firstName":"${person.firstName}"`, 400],
  [clinicsys, siteLead(), 401, { 'x-gateway-key': secrets.wrongKey }],
  ['/api/imports?flow=no-prescreen&ratePerS=50', csvOf([siteLead(), siteLead('v1-refused')]), 200, file],
  ['/api/imports?flow=recruit', csvOf([recruited()]), 200, file],
  ['/api/imports?flow=recruit', csvOf([{ ...recruited(), dob: words.wrongDay, notes: words.title }]), 400, file],
];

type Places = Readonly<Record<string, Buffer>>;

let service: Service;
let atWork: Awaited<ReturnType<typeof lookedAt>>;
let leftBehind: Places;
/** Receives the alerts, and the events of the leads. */
let receiver: Upstream;
let mail: MailServer;
const taken = (path: string) =>
  receiver.received.filter(({ url }) => url === path).map(({ text, headers }) => text + JSON.stringify(headers));
const withKey = { 'x-gateway-key': gatewayKey };
const read = async (path: string) => (await fetch(`${service.url}${path}`, { headers: withKey })).text();

beforeAll(async () => {
  receiver = await openUpstream();
  mail = await openMailServer({ user: 'leadgate', password: secrets.mailPassword });
  service = await startService({
    GATEWAY_API_KEYS: `clinic:${gatewayKey}:leads+board+operator`,
    SCREENING_API_KEY: secrets.serverKey,
    ALERT_WEBHOOK_URL: `${receiver.url}/alerts`,
    EVENTS_WEBHOOK_URL: `${receiver.url}/events`,
    EVENTS_WEBHOOK_SECRET: secrets.webhookSecret,
    ALERT_WEBHOOK_SECRET: secrets.webhookSecret,
    ALERT_BOARD: 'project-template/list-up-next',
    ALERT_SLACK_URL: `${receiver.url}/chat/${secrets.chatToken}`,
    ...{ ALERT_SMTP_URL: mail.url, ALERT_EMAIL: 'leadgate@example.org:ops@example.org', NODE_EXTRA_CA_CERTS: localhostPem },
  });
  // All at once would be too much for a busy machine: a run's task that takes too long is lost, and what it sent is unknown.
  const answered = await inGroups(cases, 4, async ([path, body, , headers]) => {
    const answer = await service.post(path, body, { ...withKey, ...headers });
    return [path, answer.status, answer.headers.get('x-lead-id'), await answer.text()] as const;
  });
  expect(answered.map(([path, status]) => [path, status])).toEqual(cases.map(([path, , status]) => [path, status]));
  const ids = answered.map(([, , leadId]) => leadId ?? '');
  const stateOf = async (leadId: string) => (JSON.parse(await read(`/api/leads/${leadId}`)) as { state: string }).state;
  const left = new Set(ids.filter(Boolean));
  await until(async () => {
    for (const id of left) if ((await stateOf(id)) !== 'running') left.delete(id);
    return left.size === 0;
  }, 'every lead has come as far as it comes by itself');
  expect(await stateOf(ids[5] ?? '')).toBe('waiting');
  await service.post(`/api/leads/${ids[4]}/discard`, { reason: words.reason }, withKey);
  await service.post(`/api/leads/${ids[2]}/redrive`, { reason: words.reason, fields: { email: email() } }, withKey);
  await read(`/api/leads?email=${encodeURIComponent(email())}&phone=${encodeURIComponent(person.phone)}`);
  await read(`/api/taskboard/users?q=${encodeURIComponent(words.title)}`);
  atWork = await lookedAt();
  leftBehind = await leftByKill();
});
afterAll(async () => {
  await service?.remove();
  await receiver?.close();
  await mail?.close();
});

/** The keys file must contain secrets, but no personal data. */
function filesNow(): Places {
  const entries = readdirSync(service.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(entries.map(({ parentPath, path, name }) => [name, readFileSync(join(parentPath ?? path, name))]));
}

/** Collects everything that the running service shows or writes. */
async function lookedAt() {
  const chat = () => taken(`/chat/${secrets.chatToken}`);
  await until(() => [taken('/alerts'), chat(), mail.received].every(({ length }) => length >= 3), 'parked leads are told');
  const types = ['accepted', 'delivered', 'parked', 'failed', 'discarded', 'redriven'];
  await until(() => types.every((type) => taken('/events').join().includes(`"lead.${type}"`)), 'each kind of event is told');
  const runs = `${service.uiUrl}/api/v1/namespaces/leadgate/workflows`;
  const list = (await (await fetch(runs)).json()) as { executions: { execution: { workflowId: string; runId: string } }[] };
  const pages = list.executions.flatMap(({ execution: { workflowId, runId } }) => [
    `${runs}/${workflowId}/history?execution.runId=${runId}&maximumPageSize=500`,
    `${runs}/${workflowId}?execution.runId=${runId}`,
  ]);
  const shown = await Promise.all(pages.map(async (page) => (await fetch(page)).text()));
  const commands = [readFileSync(`/proc/${service.pid}/cmdline`, 'utf8'), ...processesWith(service.dataDir).map(({ args }) => args)];
  return {
    files: filesNow(),
    output: service.output(),
    metrics: await read('/metrics'),
    commands,
    alerts: [...taken('/alerts'), ...chat(), ...mail.received.map((each) => JSON.stringify(each))],
    events: taken('/events'),
    ui: [JSON.stringify(list), ...shown],
  };
}

/** Kills the service during two leads, and collects its files and output. */
async function leftByKill(): Promise<Places> {
  const underWay = Promise.allSettled([siteLead('v1-hang'), siteLead('lookup-hang')].map((lead) => service.post(clinicsys, lead, withKey)));
  await until(async () => (await (await fetch(`${service.sandboxUrl}/__state`)).text()).includes('v1-hang'), 'the leads are under way');
  await service.stop('SIGABRT');
  await underWay;
  return { ...filesNow(), output: Buffer.from(service.output()) };
}

const leaksIn = (places: Places) =>
  Object.entries(places).flatMap(([place, content]) => foundIn(content, canaries).map((canary) => `${place}: ${canary}`));
const leaksInText = (place: string, texts: readonly string[]) => leaksIn({ [place]: Buffer.from(texts.join('\n')) });

it('the search finds every encoding', () => {
  const text = 'Zeisig-Öztürk & 1';
  for (const form of formsOf(text)) expect(foundIn(Buffer.concat([Buffer.from('…'), form, Buffer.from('…')]), [text])).toEqual([text]);
  for (const before of ['', 'a', 'ab', 'abc'])
    expect(foundIn(Buffer.from(Buffer.from(`${before}${text}tail`).toString('base64')), [text])).toEqual([text]);
});

it('leaves no personal data in its files while it runs', () => {
  const { files } = atWork;
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['engine.db', 'engine.db-wal', 'engine.db-shm', 'engine.log']));
  expect(Object.values(files).reduce((bytes, { length }) => bytes + length, 0)).toBeGreaterThan(100_000);
  // What may be read is found: these are the runs' own bytes.
  expect(foundIn(Buffer.concat(Object.values(files)), ['AD-301', 'no-prescreen'])).toHaveLength(2);
  expect(leaksIn(files)).toEqual([]);
});

it('has no personal data in its output, metrics and command lines', () => {
  const { output, metrics, commands } = atWork;
  expect(commands.length).toBeGreaterThan(1);
  expect(metrics).toContain('leadgate_http_requests_total');
  expect(output).toContain(clinicsys);
  expect([...leaksInText('output', [output]), ...leaksInText('metrics', [metrics]), ...leaksInText('commands', commands)]).toEqual([]);
});

it('has no personal data in its alerts', () => {
  expect(atWork.alerts.join()).toContain('parked');
  expect(leaksInText('alerts', atWork.alerts)).toEqual([]);
  // The password went over TLS, to a server with a trusted certificate.
  expect(new Set(mail.logins)).toEqual(new Set(['leadgate']));
  expect(mail.received.every(({ secure }) => secure)).toBe(true);
});

it('has no personal data in its events', () => {
  expect(atWork.events.length).toBeGreaterThan(5);
  expect(leaksInText('events', atWork.events)).toEqual([]);
});

it('shows no personal data in the Temporal UI without the key', () => {
  expect(atWork.ui.length).toBeGreaterThan(31);
  expect(atWork.ui.join('')).toContain('EVENT_TYPE_ACTIVITY_TASK_SCHEDULED');
  expect(leaksInText('the Temporal UI', atWork.ui)).toEqual([]);
});

it('leaves no personal data when it is killed', () => expect(leaksIn(leftBehind)).toEqual([]));

it.each(['thrown', 'rejected'])('an uncaught error (%s) ends the process, and its message is not printed', async (how) => {
  const args = [join(__dirname, '../support/run-ts.js'), join(__dirname, 'crash.ts'), how, person.lastName];
  const { code, output } = await new Promise<{ code: unknown; output: string }>((done) =>
    execFile(process.execPath, args, { timeout: 60_000 }, (error, stdout, stderr) => done({ code: error?.code, output: stdout + stderr })),
  );
  expect(code).toBe(1);
  expect(output).toMatch(/"message":"unexpected error".*"name":"Error".*crash\.ts/);
  expect(foundIn(Buffer.from(output), [person.lastName])).toEqual([]);
});
