/**
 * `npm run proofs -- plain-n8n`: sends leads through a plain n8n flow to the simulated site system, without Leadgate. The README's table has
 * its results.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { end, person, stops } from './n8n/cases.mjs';
import { n8nVersion } from './n8n/install.mjs';
import { plainFlow } from './n8n/plain-flow.mjs';
import { startN8n } from './n8n/start.mjs';
import { startService } from './service.mjs';

/** The webhooks of the flow, and of the same flow with "Retry On Fail" for the send. */
const usual = 'plain-flow';
const retrying = 'plain-flow-retrying';

let missed = 0;
const say = (what, is) => {
  console.log(`${is ? 'seen' : 'NOT SEEN'}: ${what}`);
  if (!is) missed++;
};

const newPerson = (sentinels) => person(sentinels, { protocol: `AD-${randomUUID()}` });

/** The status that the caller gets; undefined if the connection breaks. */
const send = ({ url }, path, lead) =>
  fetch(`${url}/webhook/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(lead) }).then(
    ({ status }) => status,
    () => undefined,
  );

async function received({ sandboxUrl }, call, text) {
  const { requests } = await (await fetch(`${sandboxUrl}/__state`)).json();
  return requests.filter((request) => request.call === call && request.body.includes(text)).length;
}

async function compare(n8n, service) {
  const sends = ({ email }) => received(service, 'v1', email);
  const comments = ({ protocol }) => received(service, 'comment', protocol);

  const unsure = newPerson('v1-500-after-once');
  const status = await send(n8n, usual, unsure);
  say(
    `the site system stored the lead and answered 500: the caller got ${status}, and no comment was written`,
    status === 500 && (await sends(unsure)) === 1 && (await comments(unsure)) === 0,
  );

  const doubled = newPerson('v1-500-after-once');
  await send(n8n, retrying, doubled);
  say(`the same with "Retry On Fail": the site system was sent the person ${await sends(doubled)} times`, (await sends(doubled)) === 2);

  const repeated = newPerson();
  await send(n8n, usual, repeated);
  await send(n8n, usual, repeated);
  say(
    `the caller sent the same lead twice: the site system was sent the person ${await sends(repeated)} times`,
    (await sends(repeated)) === 2,
  );

  const files = readdirSync(n8n.data).filter((name) => name.startsWith('database.sqlite'));
  const readable = files.some((name) => readFileSync(join(n8n.data, name)).includes(repeated.email));
  say('the database of n8n has the e-mail in clear', readable);
}

try {
  const service = await startService();
  stops.push(service.stop);
  const n8n = await startN8n({
    workflows: [
      plainFlow(service.sandboxUrl, usual),
      plainFlow(service.sandboxUrl, retrying, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 }),
    ],
    webhooks: [usual, retrying],
  });
  stops.push(n8n.stop);
  await compare(n8n, service);
} finally {
  await end();
}
console.log(`plain-n8n: ${missed > 0 ? 'failed' : 'passed'}; n8n ${n8nVersion}`);
process.exitCode = missed > 0 ? 1 : 0;
