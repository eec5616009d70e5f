/**
 * `npm run proofs -- n8n`: tests the workflow files of docs/tools in n8n, through their webhooks, with Leadgate and its sandbox. n8n and
 * its Node are installed once into a cache. Everything listens on loopback and is stopped at the end.
 */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { n8nVersion } from './n8n/install.mjs';
import { end, hold, person, problems, runCases, sendsOf, stops } from './n8n/cases.mjs';
import { startN8n } from './n8n/start.mjs';
import { startService } from './service.mjs';

const fileOf = (name) => readFileSync(new URL(`../docs/tools/${name}`, import.meta.url), 'utf8');
const [leads, events] = ['leadgate-lead', 'leadgate-events'];
const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
const standard = 'http://127.0.0.1:8080';
/** A lead that takes longer is answered 202. */
const syncWaitMs = 1000;
const answerWithinMs = 60_000;

const send = ({ url }, lead, order = randomUUID()) => postTo(`${url}/webhook/${leads}`, JSON.stringify(lead), { 'idempotency-key': order });

async function postTo(url, body, headers) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(answerWithinMs),
  });
  const text = await response.text();
  console.log(`  ${response.status} ${text}`);
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

/** How many answers of this kind Leadgate has sent. */
async function answered({ url }, kind) {
  const { minutes } = await (await fetch(`${url}/api/traffic`)).json();
  return minutes.reduce((sum, minute) => sum + minute[kind], 0);
}

const cases = {
  'a good lead, and the same again with the same Idempotency-Key': async (n8n, leadgate) => {
    const lead = person();
    const first = await send(n8n, lead, 'order-1');
    const again = await send(n8n, lead, 'order-1');
    hold('it is done, with the patient’s id', first.status === 200 && Number.isInteger(first.body.patientId));
    hold('the repeat gets the same answer', JSON.stringify(again) === JSON.stringify(first));
    hold('the site system was sent the lead once', (await sendsOf(leadgate, lead)) === 1);
  },
  'a lead that takes longer': async (n8n, leadgate) => {
    const before = await answered(leadgate, 'accepted');
    const lead = person(`v1-slow-${3 * syncWaitMs}`);
    const { status, body } = await send(n8n, lead);
    hold('Leadgate answered 202', (await answered(leadgate, 'accepted')) === before + 1);
    hold('the workflow waited for its end', status === 200 && body.outcome === 'done' && Number.isInteger(body.patientId));
    hold('the site system was sent the lead once', (await sendsOf(leadgate, lead)) === 1);
  },
  'more leads than Leadgate takes in a second': async (n8n, leadgate) => {
    const before = await answered(leadgate, 'refused');
    const leads = [person(), person(), person()];
    const answers = await Promise.all(leads.map((lead) => send(n8n, lead)));
    const sends = await Promise.all(leads.map((lead) => sendsOf(leadgate, lead)));
    hold('Leadgate answered 429', (await answered(leadgate, 'refused')) > before);
    hold(
      'the workflow waited and repeated',
      answers.every(({ status }) => status === 200),
    );
    hold(
      'the site system was sent each lead once',
      sends.every((count) => count === 1),
    );
  },
  'a lead that the site system refuses': async (n8n, leadgate) => {
    const lead = person('v1-refused');
    const { status, body } = await send(n8n, lead);
    hold('it is refused, with the reason', status === 422 && body.outcome === 'refused' && body.code === 'UPSTREAM_REJECTED');
    hold('it was not sent again', (await sendsOf(leadgate, lead)) === 1);
  },
  'a lead with a wrong field': async (n8n, leadgate) => {
    const lead = person('', { dob: '02/30/1980' });
    const { status, body } = await send(n8n, lead);
    hold('the field is named', status === 422 && body.fields?.length === 1 && body.fields[0].field === 'dob');
    hold('nothing was sent', (await sendsOf(leadgate, lead)) === 0);
  },
  'a lead that is parked': async (n8n, leadgate) => {
    const lead = person('comment-422');
    const { status, body } = await send(n8n, lead);
    hold('the answer has the link to the console', status === 502 && body.console === `${leadgate.url}/console#/leads/${body.leadId}`);
    hold('it was not sent again', (await sendsOf(leadgate, lead)) === 1);
  },
  'the events of a lead': async (n8n, leadgate) => {
    const headers = { 'x-callback-url': `${n8n.url}/webhook/${events}`, prefer: 'respond-async' };
    const send = () => postTo(`${leadgate.url}/api/clinicsys/no-prescreen`, JSON.stringify(person()), headers);
    let sent = await send();
    for (; sent.status === 429; sent = await send()) await pause(1000);
    const deliveriesOf = async () =>
      (await (await fetch(`${leadgate.url}${sent.body.statusUrl}/events`)).json()).events.flatMap(({ deliveries }) => deliveries);
    let deliveries = [];
    for (const until = Date.now() + answerWithinMs; Date.now() < until; await pause(250)) {
      deliveries = await deliveriesOf();
      if (deliveries.filter(({ state }) => state === 'told').length === 2) break;
    }
    console.log(`  ${JSON.stringify(deliveries)}`);
    hold('the workflow has taken both', deliveries.length === 2 && deliveries.every(({ answer }) => answer === 'answered 200'));
    const event = JSON.stringify({ type: 'lead.accepted' });
    const post = async (id, sentAt, signedBy = key) => {
      const signature = createHmac('sha256', signedBy).update(`${id}.${sentAt}.${event}`).digest('base64');
      const signed = { 'webhook-id': id, 'webhook-timestamp': String(sentAt), 'webhook-signature': `v1,${signature}` };
      const { status, body } = await postTo(`${n8n.url}/webhook/${events}`, event, signed);
      return `${status} ${body.taken}`;
    };
    const now = Math.floor(Date.now() / 1000);
    hold('an event is taken once', (await post('one', now)) === '200 new' && (await post('one', now)) === '200 repeat');
    hold('one with a foreign signature is refused', (await post('two', now, randomBytes(32))).startsWith('401'));
    hold('one that is old is refused', (await post('three', now - 600)).startsWith('401'));
  },
  'Leadgate is not there': async (n8n, leadgate) => {
    await leadgate.stop();
    const { status, body } = await send(n8n, person(), 'order-2');
    hold('the answer reports the failure, with the key for a repeat', status === 503 && body.idempotencyKey === 'order-2');
  },
};

try {
  const leadgate = await startService({
    ...{ SYNC_WAIT_MS: String(syncWaitMs), STARTS_PER_S: '1' },
    ...{ EVENTS_HOSTS: '127.0.0.1', EVENTS_WEBHOOK_SECRET: secret },
  });
  stops.push(leadgate.stop);
  // A person would change these by hand in the nodes «Lead» and «Verify the event».
  const workflows = [fileOf('n8n-lead.json').replace(standard, leadgate.url), fileOf('n8n-events.json').replace('whsec_…', secret)];
  const n8n = await startN8n({ workflows: workflows.map((text) => JSON.parse(text)), webhooks: [leads, events] });
  stops.push(n8n.stop);
  await runCases(cases, n8n, leadgate);
} catch (error) {
  console.error(error.message);
  problems.push('set-up');
} finally {
  await end();
}
console.log(`n8n: ${problems.length > 0 ? `failed: ${problems.join('; ')}` : 'passed'}; n8n ${n8nVersion}`);
process.exitCode = problems.length > 0 ? 1 : 0;
