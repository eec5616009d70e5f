/**
 * `npm run test:n8n`: tests the workflow file of docs/tools in a real n8n, called by its own webhook, before Leadgate and its sandbox.
 * n8n and its Node are installed once into a cache. Everything listens on loopback and is stopped at the end.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { n8nVersion } from './n8n/install.mjs';
import { startN8n, webhook } from './n8n/start.mjs';
import { startService } from './service.mjs';

const file = new URL('../docs/tools/n8n-lead.json', import.meta.url);
const standard = 'http://127.0.0.1:8080';
/** A lead that takes longer is answered 202. */
const syncWaitMs = 1000;
const answerWithinMs = 60_000;

const stops = [];
const end = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end().finally(() => process.exit(130)));

const person = (sentinels = '', fields = {}) => ({
  instanceName: 'erg-oct',
  StudyID: 12,
  ReferrerID: 7,
  firstName: 'Ann',
  lastName: 'Lee',
  email: `ann-${randomUUID().slice(0, 8)}${sentinels && `+${sentinels}`}@example.org`,
  phone: '(555) 201-3344',
  dob: '03/05/1980',
  ...fields,
});

const problems = [];
const hold = (what, is) => {
  console.log(`  ${is ? 'holds' : 'DOES NOT HOLD'}: ${what}`);
  if (!is) problems.push(what);
};

async function send({ url }, lead, key = randomUUID()) {
  const response = await fetch(`${url}/webhook/${webhook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(lead),
    signal: AbortSignal.timeout(answerWithinMs),
  });
  const text = await response.text();
  console.log(`  ${response.status} ${text}`);
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

/** How often the simulated site system received this person. */
async function sendsOf({ sandboxUrl }, { email }) {
  const { requests } = await (await fetch(`${sandboxUrl}/__state`)).json();
  return requests.filter(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(email))).length;
}

/** How many answers of this kind Leadgate has given. */
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
    hold('a person is asked, and told where', status === 502 && body.console === `${leadgate.url}/console#/leads/${body.leadId}`);
    hold('it was not sent again', (await sendsOf(leadgate, lead)) === 1);
  },
  'Leadgate is not there': async (n8n, leadgate) => {
    await leadgate.stop();
    const { status, body } = await send(n8n, person(), 'order-2');
    hold('nobody is told that it arrived, but with which key it is sent again', status === 503 && body.idempotencyKey === 'order-2');
  },
};

try {
  const leadgate = await startService({ ENGINE_SYNC: 'normal', SYNC_WAIT_MS: String(syncWaitMs), STARTS_PER_S: '1' });
  stops.push(leadgate.stop);
  // A person would change this by hand in the node «Lead».
  const n8n = await startN8n(readFileSync(file, 'utf8').replace(standard, leadgate.url));
  stops.push(n8n.stop);
  for (const [name, check] of Object.entries(cases)) {
    console.log(name);
    await check(n8n, leadgate).catch((error) => (console.error(`  ${error.stack}`), problems.push(name)));
  }
  if (problems.length > 0) console.error(n8n.said());
} catch (error) {
  console.error(error.message);
  problems.push('setting up');
} finally {
  await end();
}
console.log(`test:n8n: ${problems.length > 0 ? `not right: ${problems.join('; ')}` : 'everything holds'}; n8n ${n8nVersion}`);
process.exitCode = problems.length > 0 ? 1 : 0;
