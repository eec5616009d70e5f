/** A reconciliation compares what Leadgate says of its leads with what the site system holds, and proposes how to decide about parked ones. */
import { endpoints } from '../../src/contract';
import { ownNamespace } from '../support/namespace';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { openUpstream, type Received, type Upstream, type UpstreamAnswer } from '../support/upstream';
import { until } from '../support/until';

interface Subject {
  readonly subjectId: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

/** A site system whose memory each test can change. */
let subjects: Subject[] = [];
let comments: { subjectId: number; comment: string }[] = [];
/** Answers of the next requests that match, instead of the usual ones. */
let failures: { readonly matches: (request: Received) => boolean; readonly answer: UpstreamAnswer }[] = [];
let nextId = 1000;

const list = (data: readonly unknown[]): UpstreamAnswer => ({ body: { data, error: {}, meta: { totalItems: data.length }, links: {} } });

function siteSystem(request: Received): UpstreamAnswer {
  const failing = failures.find(({ matches }) => matches(request));
  if (failing) {
    failures = failures.filter((each) => each !== failing);
    return failing.answer;
  }
  const url = new URL(request.url, 'http://site.test');
  const [, subject] = /subjects\/(\d+)\/comments/.exec(url.pathname) ?? [];
  if (url.pathname === '/key') return { body: { key: 'token' } };
  if (url.pathname === '/apply') {
    const { FirstName: firstName, LastName: lastName, Email: email } = request.body;
    const subjectId = nextId++;
    subjects.push({ subjectId, firstName, lastName, email });
    return { body: { status: 0, PatientID: subjectId, message: 'Patient added successfully' } };
  }
  if (!subject) return list(subjects.filter(({ email }) => email === url.searchParams.get('email')));
  if (request.method === 'GET') return list(comments.filter(({ subjectId }) => subjectId === Number(subject)));
  const written = { subjectId: Number(subject), comment: String(request.body.comment) };
  comments.push(written);
  return { body: { data: written, error: {}, links: {} } };
}

const addressesOf = ({ url }: Upstream) => ({
  KEY_SERVICE_URL: `${url}/key`,
  CLINICSYS_V1_APPLY_URL: `${url}/apply`,
  CLINICSYS_V2_URL: url,
  CLINICSYS_V1_FORMAT: 'json',
  SYNC_WAIT_MS: '60000',
});

let upstream: Upstream;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await openUpstream();
  upstream.answerBy(siteSystem);
  const TEMPORAL_NAMESPACE = await ownNamespace('reconcile');
  gateway = await startGateway({ settings: { ...addressesOf(upstream), TEMPORAL_NAMESPACE } });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.close();
});

beforeEach(() => {
  failures = [];
});

const since = new Date().toISOString();
const reason = 'The monthly comparison';

async function deliver(flow = 'no-prescreen', fields = {}, at: Gateway = gateway) {
  const lead = newLead('', fields);
  const { status, body, headers } = await at.post(`/api/clinicsys/${flow}`, lead);
  expect([status, body]).toMatchObject([200, { rtV2Response: {} }]);
  const leadId = String(headers.get('X-Lead-Id'));
  return { lead, leadId, patientId: Number(body.rtResponse.PatientID), comment: String(body.rtV2Response.data.comment) };
}

/** Waits until the index lists as many leads as the test has made. */
const counted = (count: number, from = since, at: Gateway = gateway) =>
  until(
    async () => (await at.post('/api/reconciliations', { since: from, dryRun: true })).body.count === count,
    `${count} leads are counted`,
  );

async function reconcile(order: object = { since }) {
  const { status, body, headers } = await gateway.post('/api/reconciliations', order);
  expect([status, body]).toMatchObject([202, { success: true, state: 'running' }]);
  const id = String(body.reconciliationId);
  expect([body.statusUrl, headers.get('location')]).toEqual([`/api/reconciliations/${id}`, `/api/reconciliations/${id}`]);
  return until(async () => {
    const report = (await gateway.get(`/api/reconciliations/${id}`)).body;
    return report.state === 'running' ? undefined : report;
  }, 'the reconciliation ends');
}

const findingOf = ({ findings }: { findings: { leadId: string }[] }, leadId: string) => findings.find((each) => each.leadId === leadId);

it('finds each person and comment once, one that is missing, one that is there twice, and says why it cannot compare the others', async () => {
  const from = new Date().toISOString();
  const matched = await deliver();
  const forgotten = await deliver();
  const doubled = await deliver('with-prescreen');
  const uncommented = await deliver();
  const commentedTwice = await deliver();
  const family = await deliver();
  const recruit = await gateway.post('/api/recruit/send-to-recruit', endpoints.sendToRecruit.example);
  const recruitId = String(recruit.headers.get('X-Lead-Id'));
  subjects = subjects.filter(({ subjectId }) => subjectId !== forgotten.patientId);
  const twin = subjects.find(({ subjectId }) => subjectId === doubled.patientId);
  const cousin = subjects.find(({ subjectId }) => subjectId === family.patientId);
  if (!twin || !cousin) throw new Error('The leads did not arrive');
  subjects.push({ ...twin, subjectId: nextId++ }, { ...cousin, subjectId: nextId++, firstName: 'Kim' });
  comments = comments.filter(({ subjectId }) => subjectId !== uncommented.patientId);
  comments.push({ subjectId: commentedTwice.patientId, comment: commentedTwice.comment });
  await counted(7, from);

  const report = await reconcile({ since: from });
  expect(report).toMatchObject({
    ...{ success: true, state: 'done', since: from, count: 7, done: 7, remaining: 0, leftOut: 0, proposals: 0 },
    counts: { matched: 2, missing: 2, twice: 2, 'unknown-here': 0, 'not-comparable': 1 },
  });
  expect(findingOf(report, matched.leadId)).toEqual({
    ...{ leadId: matched.leadId, flow: 'no-prescreen', state: 'delivered', finding: 'matched', upstreamId: String(matched.patientId) },
  });
  expect(findingOf(report, family.leadId)).toMatchObject({ finding: 'matched' });
  expect(findingOf(report, forgotten.leadId)).toMatchObject({
    ...{ finding: 'missing', why: `The site system has no subject ${forgotten.patientId} with this e-mail` },
  });
  expect(findingOf(report, doubled.leadId)).toMatchObject({ finding: 'twice', why: expect.stringContaining('2 times') });
  expect(findingOf(report, uncommented.leadId)).toMatchObject({
    ...{ finding: 'missing', why: 'The person is there, but the comment is not' },
  });
  expect(findingOf(report, commentedTwice.leadId)).toMatchObject({ finding: 'twice', why: 'The comment is there 2 times' });
  expect(findingOf(report, recruitId)).toMatchObject({
    ...{ finding: 'not-comparable', why: expect.stringContaining('leadgate reconcile --with recruitment=FILE') },
  });
  const { lead } = forgotten;
  for (const value of [lead.email, lead.firstName, lead.phone]) expect(JSON.stringify(report)).not.toContain(value);

  const page = await gateway.get(`/api/reconciliations/${report.reconciliationId}?finding=missing&limit=1`);
  expect(page.body).toMatchObject({ findings: [{ finding: 'missing' }], nextCursor: '1' });
  const { reconciliations } = (await gateway.get('/api/reconciliations')).body;
  expect(reconciliations[0]).toMatchObject({ reconciliationId: report.reconciliationId, state: 'done', count: 7, counts: report.counts });
});

it('compares only the flows that are named, and nothing in a time that ends before it begins', async () => {
  const from = new Date().toISOString();
  const { leadId } = await deliver('with-prescreen');
  await deliver();
  await counted(2, from);
  const report = await reconcile({ since: from, flows: ['with-prescreen'] });
  expect(report).toMatchObject({ count: 1, flows: ['with-prescreen'], findings: [{ leadId, finding: 'matched' }] });
  expect(await reconcile({ since: from, until: since })).toMatchObject({ state: 'done', count: 0, findings: [] });
});

it('proposes a resend only for a lead that the site system lacks, a confirmation for one that it has, and carries both out once', async () => {
  const from = new Date().toISOString();
  const isApply = ({ url }: Received) => url === '/apply';
  const isComment = (method: string) => (request: Received) => request.url.includes('/comments') && request.method === method;
  failures.push({ matches: isApply, answer: { status: 500, body: {} } });
  const lost = await gateway.post('/api/clinicsys/with-prescreen/send-to-rt', newLead('', { key: 'token' }));
  expect(lost.body).toMatchObject({ state: 'parked', error: { code: 'OUTCOME_UNKNOWN' } });
  // The comment arrives, but neither its answer nor the look-up shows that.
  failures.push({ matches: isComment('POST'), answer: { status: 500, body: {} } });
  failures.push({ matches: isComment('GET'), answer: { status: 404, body: {} } });
  const lead = newLead();
  const commented = await gateway.post('/api/clinicsys/no-prescreen', lead);
  expect(commented.body).toMatchObject({ state: 'parked', error: { code: 'OUTCOME_UNKNOWN' } });
  const { subjectId } = subjects.find(({ email }) => email === lead.email) ?? {};
  const sent = upstream.received.find(({ url, method }) => url.includes(`/subjects/${subjectId}/comments`) && method === 'POST');
  comments.push({ subjectId: Number(subjectId), comment: String(sent?.body.comment) });
  await counted(2, from);

  const report = await reconcile({ since: from });
  expect(report).toMatchObject({ counts: { matched: 1, missing: 1 }, proposals: 2 });
  expect(findingOf(report, lost.body.leadId)).toMatchObject({ finding: 'missing', proposal: 'resend' });
  expect(findingOf(report, commented.body.leadId)).toMatchObject({
    finding: 'matched',
    proposal: 'confirm',
    upstreamId: String(subjectId),
  });

  const path = `/api/reconciliations/${report.reconciliationId}/apply`;
  expect(await gateway.post(path, { reason })).toMatchObject({ status: 200, body: { count: 2 } });
  expect(await gateway.post(path, { reason, count: 1 })).toMatchObject({ status: 409, body: { count: 2, error: { code: 'WRONG_STATE' } } });
  const applied = await gateway.post(path, { reason, count: 2 });
  expect(applied).toMatchObject({ status: 202, body: { state: 'running', count: 2 } });
  const again = await gateway.post(path, { reason, count: 2 });
  expect([again.status, again.body.decisionId]).toEqual([202, applied.body.decisionId]);
  const { body: told } = await gateway.get(`/api/reconciliations/${report.reconciliationId}`);
  expect([report.decisionId, told.decisionId]).toEqual([undefined, applied.body.decisionId]);
  const { body: trail } = await gateway.get('/api/audit?action=reconcile-apply');
  const outcomes = trail.entries.map(({ outcome }: { outcome: string }) => outcome).filter((outcome: string) => outcome !== 'asked');
  expect(outcomes.slice(0, 4)).toEqual(['repeated', 'done', 'WRONG_STATE', 'counted']);
  const decision = await until(async () => {
    const { body } = await gateway.get(String(applied.body.statusUrl));
    return body.state === 'done' ? body : undefined;
  }, 'the decision ends');
  expect(decision).toMatchObject({ verb: 'apply', done: 2, notDecided: 0 });
  for (const leadId of [lost.body.leadId, commented.body.leadId])
    expect((await gateway.get(`/api/leads/${leadId}?wait=30`)).body.state).toBe('delivered');
  expect(subjects.filter(({ email }) => email === lead.email)).toHaveLength(1);
  expect(upstream.received.filter(({ url, method }) => url.includes(`/subjects/${subjectId}/comments`) && method === 'POST')).toHaveLength(
    1,
  );
  const { entries } = (await gateway.get(`/api/audit?leadId=${commented.body.leadId}&clear=true`)).body;
  expect(entries.find(({ action }: { action: string }) => action === 'apply')).toMatchObject({
    ...{ outcome: 'decided', order: applied.body.decisionId },
    evidence: { reason: `${reason} (The comment is there)`, upstreamId: String(subjectId) },
  });
});

it('waits while the site system does not answer, and stops at once', async () => {
  const from = new Date().toISOString();
  await deliver();
  await counted(1, from);
  const isLookUp = ({ url }: Received) => url.includes('subjects?');
  failures.push(...Array.from({ length: 50 }, () => ({ matches: isLookUp, answer: { status: 503, body: {} } })));
  const { body } = await gateway.post('/api/reconciliations', { since: from });
  const path = `/api/reconciliations/${body.reconciliationId}`;
  await until(async () => (await gateway.get(path)).body.waitsFor !== undefined, 'the reconciliation waits');
  const early = await gateway.post(`${path}/apply`, { reason, count: 0 });
  expect(early).toMatchObject({ status: 409, body: { error: { code: 'WRONG_STATE' } } });
  expect(await gateway.post(`${path}/stop`, { reason })).toMatchObject({ status: 200, body: { state: 'stopped' } });
  expect((await gateway.get(path)).body).toMatchObject({ state: 'stopped', count: 1, done: 0, remaining: 1, findings: [] });
});

it('runs by itself when it is scheduled, and alerts on what is missing or there twice until the next one finds nothing', async () => {
  const webhook = await openUpstream();
  const settings = {
    ...addressesOf(upstream),
    TEMPORAL_NAMESPACE: await ownNamespace('reconcile-scheduled'),
    ...{ RECONCILE_EVERY_H: '24', ALERT_WEBHOOK_URL: webhook.url, ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` },
  };
  const scheduled = await startGateway({ alertClearMs: 0, settings });
  const schedule = scheduled.client.schedule.getHandle(`reconcile:${scheduled.config.TASK_QUEUE}`);
  const alerted = (type: string) =>
    until(
      async () =>
        webhook.received.find(({ body }) => body.type === `leadgate.alert.${type}` && body.data.kind === 'reconciliation')?.body.data,
      `the alert is ${type}`,
    );
  try {
    await deliver('no-prescreen', {}, scheduled);
    await counted(1, since, scheduled);
    await until(() => schedule.describe(), 'the schedule is kept');
    const kept = subjects.splice(0);
    await schedule.trigger();
    expect(await alerted('opened')).toMatchObject({ count: 1, link: expect.stringContaining('#/reconciliations') });
    const { reconciliations } = (await scheduled.get('/api/reconciliations')).body;
    expect(reconciliations).toMatchObject([{ state: 'done', count: 1, counts: { missing: 1 } }]);
    const { reconciliationId } = reconciliations[0];
    const report = (await scheduled.get(`/api/reconciliations/${encodeURIComponent(reconciliationId)}`)).body;
    expect(report).toMatchObject({ reconciliationId, findings: [{ finding: 'missing' }] });

    subjects = kept;
    await schedule.trigger();
    expect(await alerted('closed')).toMatchObject({ count: 1 });
  } finally {
    await scheduled.stop();
    await webhook.close();
  }
});
