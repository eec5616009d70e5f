/**
 * `npm run proofs -- n8n-nodes`: lints the nodes of tools/n8n-nodes-leadgate with n8n's rules, builds them, and runs them in an n8n
 * that sends to Leadgate and its sandbox.
 */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { end, hold, person, problems, runCases, sendsOf, stops } from './n8n/cases.mjs';
import { n8nVersion } from './n8n/install.mjs';
import { credential, heardWorkflow, sendWorkflow, triggerPath } from './n8n/node-workflows.mjs';
import { buildPackage } from './n8n/package.mjs';
import { startN8n } from './n8n/start.mjs';
import { startService } from './service.mjs';

const webhook = 'leadgate-node';
/** A lead that takes longer is answered 202. */
const syncWaitMs = 1000;
const answerWithinMs = 90_000;
const secret = `whsec_${randomBytes(32).toString('base64')}`;

async function send({ url }, lead, headers = {}) {
  const response = await fetch(`${url}/webhook/${webhook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(lead),
    signal: AbortSignal.timeout(answerWithinMs),
  });
  const text = await response.text();
  console.log(`  ${response.status} ${text}`);
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

/** The result of n8n's test of a credential for this address. */
async function tested({ url }, cookie, baseUrl) {
  const response = await fetch(`${url}/rest/credentials/test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ credentials: credential(baseUrl, secret) }),
  });
  const { data } = await response.json();
  console.log(`  ${data?.status} ${data?.message}`);
  return data?.status;
}

/** Creates the owner account that n8n requires, and returns the cookie of its session. */
async function signedIn({ url }) {
  const owner = { email: 'owner@example.org', firstName: 'An', lastName: 'Owner', password: `Leadgate-${randomUUID()}` };
  const { headers } = await fetch(`${url}/rest/owner/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  });
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** Posts an event as Leadgate signs it. */
async function postEvent({ url }, event, { key = secret, at = Date.now() } = {}) {
  const body = JSON.stringify(event);
  const [id, timestamp] = [randomUUID(), String(Math.floor(at / 1000))];
  const bytes = Buffer.from(key.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  const response = await fetch(`${url}/webhook/${triggerPath}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, id };
}

/** The events that the workflow of the trigger forwarded. */
const receivedEvents = [];
const receiver = createServer((request, response) => void json(request).then((event) => (receivedEvents.push(event), response.end('{}'))));
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
stops.push(() => new Promise((done) => (receiver.close(done), receiver.closeAllConnections())));

const event = (type, leadId) => ({ type, timestamp: new Date().toISOString(), data: { leadId, flow: 'recruit', state: type.slice(5) } });
const untilReceived = async (leadId) => {
  for (const deadline = Date.now() + answerWithinMs; Date.now() < deadline; await pause(100))
    if (receivedEvents.some(({ data }) => data.leadId === leadId)) return true;
  return false;
};

const cases = {
  'the test of the credential': async (n8n, leadgate) => {
    const cookie = await signedIn(n8n);
    hold('it succeeds before Leadgate', (await tested(n8n, cookie, `${leadgate.url}/`)) === 'OK');
    hold('it fails before another server', (await tested(n8n, cookie, leadgate.sandboxUrl)) === 'Error');
  },
  'a good lead, and the same again with the same Idempotency Key': async (n8n, leadgate) => {
    const lead = person();
    const key = { 'idempotency-key': 'order-1' };
    const [first, again] = [await send(n8n, lead, key), await send(n8n, lead, key)];
    hold('it is done, with the patient’s id', first.status === 200 && Number.isInteger(first.body.rtResponse?.PatientID));
    hold('the repeat gets the same answer', JSON.stringify(again) === JSON.stringify(first));
    hold('the site system was sent the lead once', (await sendsOf(leadgate, lead)) === 1);
  },
  'two leads without a key of their own': async (n8n, leadgate) => {
    const [one, other] = [person(), person()];
    const answers = [await send(n8n, one), await send(n8n, other)];
    hold('each is a lead of its own', answers[0].body.leadId !== answers[1].body.leadId && answers[1].status === 200);
    hold('each was sent once', (await sendsOf(leadgate, one)) === 1 && (await sendsOf(leadgate, other)) === 1);
  },
  'a lead that takes longer': async (n8n, leadgate) => {
    const lead = person(`v1-slow-${3 * syncWaitMs}`);
    const { status, body } = await send(n8n, lead);
    hold('the node waited for its end', status === 200 && Number.isInteger(body.rtResponse?.PatientID));
    hold('the site system was sent the lead once', (await sendsOf(leadgate, lead)) === 1);
  },
  'a lead that takes longer, passed on': async (n8n) => {
    const { status, body } = await send(n8n, person(`v1-slow-${3 * syncWaitMs}`), { 'when-longer': 'pass' });
    hold('the next node gets its id', status === 200 && body.pending === true && typeof body.leadId === 'string');
  },
  'a lead that the site system refuses': async (n8n, leadgate) => {
    const lead = person('v1-refused');
    const { status, body } = await send(n8n, lead);
    hold(
      'the error output has the code and the lead',
      status === 422 && body.error?.code === 'UPSTREAM_REJECTED' && typeof body.error.leadId === 'string',
    );
    hold('it was not sent again', (await sendsOf(leadgate, lead)) === 1);
  },
  'a lead that is parked': async (n8n, leadgate) => {
    const lead = person('comment-422');
    const { status, body } = await send(n8n, lead);
    hold('the error output says that a person decides', status === 422 && body.error?.state === 'parked' && body.error.remedy === 'person');
    hold('it was not sent again', (await sendsOf(leadgate, lead)) === 1);
  },
  'a lead with a wrong field': async (n8n, leadgate) => {
    const lead = person('', { dob: '02/30/1980' });
    const { status, body } = await send(n8n, lead);
    hold('the field is named', status === 422 && body.error?.code === 'VALIDATION_ERROR' && body.error.details?.[0]?.field === 'dob');
    hold('nothing was sent', (await sendsOf(leadgate, lead)) === 0);
  },
  'events of leads': async (n8n) => {
    const forged = await postEvent(n8n, event('lead.parked', 'forged'), { key: `whsec_${randomBytes(32).toString('base64')}` });
    const old = await postEvent(n8n, event('lead.parked', 'old'), { at: Date.now() - 600_000 });
    const other = await postEvent(n8n, event('lead.delivered', 'other'));
    const parked = await postEvent(n8n, event('lead.parked', 'parked'));
    hold('a forged one and an old one are refused', forged.status === 401 && old.status === 401);
    hold('the others are received', other.status === 200 && parked.status === 200);
    hold('one that was asked for starts the workflow', await untilReceived('parked'));
    hold('no other does', receivedEvents.length === 1 && receivedEvents[0].webhookId === parked.id);
  },
  'Leadgate is not there': async (n8n, leadgate) => {
    await leadgate.stop();
    const {
      status,
      body: { error },
    } = await send(n8n, person(), { 'idempotency-key': 'order-2' });
    const isReported = error?.code === 'NOT_REACHED' && error.remedy === 'repeat' && error.idempotencyKey === 'order-2';
    hold('the error output says with which key it is sent again', status === 422 && isReported);
  },
};

try {
  const { dir, remove } = await buildPackage();
  stops.push(remove);
  const leadgate = await startService({ SYNC_WAIT_MS: String(syncWaitMs) });
  stops.push(leadgate.stop);
  const n8n = await startN8n({
    workflows: [heardWorkflow(`http://127.0.0.1:${receiver.address().port}`), sendWorkflow(webhook)],
    webhooks: [webhook],
    credentials: [credential(leadgate.url, secret)],
    nodes: dir,
  });
  stops.push(n8n.stop);
  await runCases(cases, n8n, leadgate);
} catch (error) {
  console.error(error.message);
  problems.push('set-up');
} finally {
  await end();
}
console.log(`n8n-nodes: ${problems.length > 0 ? `failed: ${problems.join('; ')}` : 'passed'}; n8n ${n8nVersion}`);
process.exitCode = problems.length > 0 ? 1 : 0;
