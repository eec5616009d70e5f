/** Provides what the tests with n8n share: leads to send, checks, and clean-up. */
import { randomUUID } from 'node:crypto';

/** Functions that stop what was started. They run in reverse order. */
export const stops = [];
export const end = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end().finally(() => process.exit(130)));

export const person = (sentinels = '', fields = {}) => ({
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

export const problems = [];
export const hold = (what, is) => {
  console.log(`  ${is ? 'ok' : 'FAILED'}: ${what}`);
  if (!is) problems.push(what);
};

/** How often the simulated site system received this person. */
export async function sendsOf({ sandboxUrl }, { email }) {
  const { requests } = await (await fetch(`${sandboxUrl}/__state`)).json();
  return requests.filter(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(email))).length;
}

export async function runCases(cases, n8n, leadgate) {
  for (const [name, check] of Object.entries(cases)) {
    console.log(name);
    await check(n8n, leadgate).catch((error) => (console.error(`  ${error.stack}`), problems.push(name)));
  }
  if (problems.length > 0) console.error(n8n.said());
}
