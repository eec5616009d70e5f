/** What a caller is told: of what comes again, of what waits, and of what is not understood. */
import { randomBytes } from 'node:crypto';
import { answerOf } from '../../src/api/answer';
import { endpoints } from '../../src/contract';
import { ApiError } from '../../src/contract/errors';
import { waitAtPause, waitFor, type LeadReport } from '../../src/domain/lead';
import { deleteAnsweredReads } from '../../src/leads/answered-reads';
import { describe as describeRun } from '../../src/temporal/ask';
import { csvOf } from '../support/csv';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { importsOf } from '../support/imports';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

describe('the same body without an Idempotency-Key, after the first lead has ended', () => {
  const recruit = { ...endpoints.sendToRecruit.example };
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ settings: { REPEATS: 'no-prescreen:answer@10s,recruit:answer@30d' } });
  });
  afterAll(() => gateway.stop());

  const sent = async (path: string, body: object, headers = {}) => {
    const answer = await gateway.post(path, body, headers);
    const [leadId, replayed] = ['x-lead-id', 'idempotency-replayed'].map((name) => answer.headers.get(name));
    return { status: answer.status, leadId, replayed, body: answer.body };
  };

  it('gets the first answer with answer, within the window', async () => {
    const first = await sent(endpoints.sendToRecruit.path, recruit);
    expect(first).toMatchObject({ status: 200, replayed: null });
    expect(await sent(endpoints.sendToRecruit.path, recruit)).toEqual({ ...first, replayed: 'true' });
  });

  it('is a new lead with another value, and with a key', async () => {
    const first = await sent(endpoints.sendToRecruit.path, recruit);
    const others = [
      await sent(endpoints.sendToRecruit.path, { ...recruit, note: 'another' }),
      await sent(endpoints.sendToRecruit.path, recruit, { 'idempotency-key': randomBytes(8).toString('hex') }),
    ];
    expect(others.map(({ replayed }) => replayed)).toEqual([null, null]);
    expect(new Set([first, ...others].map(({ leadId }) => leadId)).size).toBe(3);
  });

  it('is a new lead after the window, and in a flow without a rule', async () => {
    const lead = newLead();
    const first = await sent(endpoints.noPrescreen.path, lead);
    const isNew = async () => {
      const again = await sent(endpoints.noPrescreen.path, lead);
      return again.leadId !== first.leadId && again.replayed === null;
    };
    expect(await isNew()).toBe(false);
    const screening = async () => sent(endpoints.sendPatient.path, endpoints.sendPatient.example);
    const [one, other] = [await screening(), await screening()];
    expect([other.replayed, other.leadId === one.leadId]).toEqual([null, false]);
    await until(isNew, 'the window of 10 s ends');
  });

  describe('where it is sent', () => {
    const screening = { ...endpoints.sendPatient.example };
    const { path } = endpoints.sendPatient;
    const queryOf = (email: string, window: string) => `email=${encodeURIComponent(email)}&repeatedWithin=${window}`;
    const twice = async (email: string, window: string) =>
      (await gateway.get(`/api/leads?${queryOf(email, window)}`)).body.leads.map(({ leadId }: { leadId: string }) => leadId);

    it('is listed and counted as sent twice, and no other lead of the person is', async () => {
      const lead = { ...screening, email: newLead().email };
      await sent(path, lead);
      const again = await sent(path, lead);
      await sent(path, { ...lead, note: 'another' });
      await sent(path, lead, { 'idempotency-key': randomBytes(8).toString('hex') });
      expect(await twice(lead.email, '10m')).toEqual([again.leadId]);
      expect((await gateway.get(`/api/leads/counts?${queryOf(lead.email, '1h')}`)).body.counts).toMatchObject({ delivered: 1 });
      expect(await twice(lead.email, '0s')).toEqual([]);
      expect((await gateway.get('/api/leads?repeatedWithin=10')).body.error.details).toMatchObject([{ field: 'repeatedWithin' }]);
    });

    it('is not listed as sent twice if the first one failed', async () => {
      const lead = { ...screening, study_id: 9999, email: newLead().email };
      for (const { status } of [await sent(path, lead), await sent(path, lead)]) expect(status).toBe(422);
      expect(await twice(lead.email, '10m')).toEqual([]);
    });

    it('stays listed after a redrive', async () => {
      const { email } = newLead('screening-422-from2');
      const lead = { ...screening, email };
      await sent(path, lead);
      const again = await sent(path, lead);
      expect(again.status).toBe(422);
      const mended = { reason: 'mended', fields: { email: newLead().email } };
      expect((await gateway.post(`/api/leads/${again.leadId}/redrive`, mended)).status).toBe(200);
      expect((await gateway.get(`/api/leads/${again.leadId}?wait=60`)).body.state).toBe('delivered');
      expect(await twice(email, '10m')).toEqual([again.leadId]);
    });
  });
});

describe('another lead of the same person and study, with ask', () => {
  const path = endpoints.noPrescreen.path;
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ settings: { REPEATS: 'no-prescreen:ask@1h,recruit:ask@1h' } });
  });
  afterAll(() => gateway.stop());

  const v1Calls = async (email: string) =>
    (await gateway.sandbox()).requests.filter(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(email))).length;
  const stateOf = async (leadId: string | null) => (await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state;
  const act = (leadId: string, verb: string, body: object = {}) =>
    gateway.post(`/api/leads/${leadId}/${verb}`, { reason: 'looked', ...body });

  it('is parked unsent and names the first lead; a person discards it, or sends it', async () => {
    const lead = newLead();
    const first = await gateway.post(path, lead);
    const again = () => gateway.post(path, { ...lead, weight: '80', note: randomBytes(4).toString('hex') });
    const [one, other] = [await again(), await again()];
    for (const { status, body } of [one, other]) {
      expect([status, body.error.code, body.error.retryable, body.state]).toEqual([409, 'POSSIBLE_REPEAT', false, 'parked']);
      expect(body.message).toContain(String(first.headers.get('x-lead-id')));
    }
    expect(await v1Calls(lead.email)).toBe(1);
    const listed = await gateway.get('/api/leads?state=parked&code=POSSIBLE_REPEAT');
    expect(listed.body.leads.map(({ leadId }: { leadId: string }) => leadId)).toEqual(
      expect.arrayContaining([one.body.leadId, other.body.leadId]),
    );
    expect((await act(one.body.leadId, 'confirm', { upstreamId: '7' })).body.error.code).toBe('WRONG_STATE');
    expect((await act(one.body.leadId, 'discard')).body.state).toBe('discarded');
    expect((await act(other.body.leadId, 'resend')).status).toBe(200);
    // The site system knows the e-mail by now, so only the comment is sent.
    expect(['delivered', 'skipped']).toContain(await stateOf(other.body.leadId));
  });

  it('is sent if the study or the person is another', async () => {
    const lead = newLead();
    const leads = [lead, { ...lead, StudyID: '99' }, newLead()];
    for (const each of leads) expect((await gateway.post(path, each)).status).toBe(200);
  });

  it('is parked if both come at once, from two tools or a file', async () => {
    const lead = newLead();
    const key = (name: string) => ({ 'idempotency-key': `${name}-${lead.email}` });
    const answers = await Promise.all([gateway.post(path, lead, key('one')), gateway.post(path, lead, key('two'))]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await v1Calls(lead.email)).toBe(1);
    const { rows } = await importsOf(() => gateway).imported(csvOf([lead]));
    expect(rows).toMatchObject([{ state: 'parked', status: 409, code: 'POSSIBLE_REPEAT' }]);
  });

  it('is sent if the first one failed, or was erased', async () => {
    const lead = newLead('', { instanceName: 'erg-oct.key-404' });
    expect((await gateway.post(path, lead)).body.state).toBe('failed');
    expect((await gateway.post(path, { ...lead, instanceName: 'erg-oct' })).status).toBe(200);
    expect((await gateway.post(path, { ...lead, instanceName: 'erg-oct', note: 'again' })).status).toBe(409);
    await until(async () => (await gateway.post('/api/erase', { email: lead.email, reason: 'asked' })).status === 200, 'it is erased');
    expect((await gateway.post(path, { ...lead, instanceName: 'erg-oct', note: 'anew' })).status).toBe(200);
  });
});

/** What comes again: found where it is under way, told as what became of it, and new where nothing was done. */
describe('a repeat', () => {
  let board: Upstream;
  let gateway: Gateway;
  beforeAll(async () => {
    board = await openUpstream();
    const settings = {
      TASKBOARD_URL: board.url,
      TASKBOARD_TOKEN_ID: 'id',
      TASKBOARD_TOKEN_SECRET: 'secret',
      TASKBOARD_COMPANY_ID: 'company',
    };
    gateway = await startGateway({ settings });
  });
  afterAll(async () => {
    await gateway.stop();
    await board.close();
  });

  const newKey = () => ({ 'idempotency-key': randomBytes(8).toString('hex') });

  it('of a redriven lead returns its current state', async () => {
    const lead = newLead('', { instanceName: 'erg-oct.key-404' });
    const key = newKey();
    const { status, body } = await gateway.post('/api/clinicsys/no-prescreen', lead, key);
    expect([status, body.state]).toEqual([422, 'failed']);
    const mended = { reason: 'the instance was mistyped', fields: { instanceName: 'erg-oct' } };
    expect((await gateway.post(`/api/leads/${body.leadId}/redrive`, mended)).status).toBe(200);
    expect((await gateway.get(`/api/leads/${body.leadId}?wait=60`)).body.state).toBe('delivered');
    const again = await gateway.post('/api/clinicsys/no-prescreen', lead, key);
    expect([again.status, again.headers.get('idempotency-replayed'), again.headers.get('x-lead-id')]).toEqual([200, 'true', body.leadId]);
  });

  describe('after a call that had no effect reuses its key', () => {
    const path = '/api/taskboard/todos/card-1/comments';
    const comment = { id: 'c1', text: 'Called', createdAt: '2026-11-20T10:00:00.000Z' };
    const refused = { errors: [{ message: 'too long', extensions: { code: 'BAD_USER_INPUT' } }], data: null };

    it('for a corrected body after a 400', async () => {
      const key = newKey();
      board.answerWith({ body: refused });
      expect((await gateway.post(path, { projectId: 'p1', text: 'Called twice' }, key)).status).toBe(400);
      board.answerWith({ body: { data: { createComment: comment } } });
      const mended = await gateway.post(path, { projectId: 'p1', text: 'Called' }, key);
      expect([mended.status, mended.headers.get('idempotency-replayed')]).toEqual([200, null]);
      expect((await gateway.post(path, { projectId: 'p1', text: 'Called' }, key)).headers.get('idempotency-replayed')).toBe('true');
    });

    it('for the same body after a 429', async () => {
      const key = newKey();
      const body = { projectId: 'p1', text: 'Called' };
      board.answerWith({ status: 429, body: { error: 'RATE_LIMITED', message: 'slow down' }, headers: { 'retry-after': '60' } });
      const limited = await gateway.post(path, body, key);
      expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60']);
      board.answerWith({ body: { data: { createComment: comment } } });
      expect((await gateway.post(path, body, key)).status).toBe(200);
    });
  });

  it.each([
    ['does not say when', undefined, '5'],
    ['says at once', 0, '1'],
  ])('429 says when to come again, also if the upstream %s', (_, retryAfterMs, seconds) => {
    const failure = { code: 'RATE_LIMITED', message: 'The task board rate-limited the request (429)', retryAfterMs } as const;
    const answer = () => answerOf({ leadId: '', flow: 'taskboard', state: 'failed', steps: [], failure });
    expect(answer).toThrow(ApiError);
    expect(answer).toThrow(expect.objectContaining({ extras: expect.objectContaining({ headers: { 'Retry-After': seconds } }) }));
  });
});

/** The 202 for a lead that is not over yet. */
describe('the message of a pending lead', () => {
  const said = (report: Pick<LeadReport, 'state' | 'step' | 'waitsFor'>) =>
    String(answerOf({ leadId: 'p1', flow: 'no-prescreen', steps: [], ...report }).body.message);

  const standing: Pick<LeadReport, 'state' | 'waitsFor'>[] = [
    { state: 'waiting', waitsFor: waitFor('retry') },
    { state: 'waiting', waitsFor: waitAtPause({ upstream: 'V2', instance: '', since: '2026-11-21T10:00:00.000Z', reason: 'it moves' }) },
    { state: 'verifying' },
    { state: 'parked' },
  ];

  it.each(standing)('says not to send the lead again while its comment is %j', (report) => {
    const message = said({ ...report, step: 'send-comments' });
    expect(message).toMatch(/^The lead itself is in the site system and must not be sent again\. .*comment/);
    expect(message).not.toMatch(/The lead is not sent yet|whether the lead arrived/);
  });

  it.each(standing)('is about the lead while it is %j before its comment', (report) =>
    expect(said({ ...report, step: 'send-to-rt' })).not.toMatch(/site system|comment/),
  );
});

/** Where a person or a tool asks about leads or mends them, what is not understood is refused by its name, and nothing is guessed. */
describe('invalid input', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  const path = '/api/clinicsys/no-prescreen';
  const reason = 'mistyped';
  const refusal = (field: string, message: unknown = expect.any(String)) => ({
    status: 400,
    body: { error: { code: 'VALIDATION_ERROR', details: [{ field, message }] } },
  });

  describe('an unknown query parameter', () => {
    it.each([
      ['/api/leads?emial=a@example.org', 'emial', 'is not known in this query: did you mean email?'],
      ['/api/leads?patient_id=1', 'patient_id', 'is not known in this query: did you mean patientId?'],
      ['/api/leads?instance=erg-oct', 'instance', 'is not known in this query: did you mean instanceName?'],
      ['/api/leads?Email=a@example.org', 'Email', 'is not known in this query: did you mean email?'],
      ['/api/leads?xyzzy=1', 'xyzzy', 'is not known in this query'],
      ['/api/leads/counts?stat=failed', 'stat', expect.any(String)],
      ['/api/leads/counts?limit=5', 'limit', expect.any(String)],
      ['/api/leads/x?wiat=5', 'wiat', 'is not known in this query: did you mean wait?'],
      ['/api/leads/x?leadId=y', 'leadId', expect.any(String)],
      ['/api/leads/x/exchanges?claer=true', 'claer', 'is not known in this query: did you mean clear?'],
      ['/api/taskboard/users?search=ann', 'search', 'is not known in this query: did you mean q?'],
      ['/api/taskboard/todos?projectId=p&todoListID=l', 'todoListID', 'is not known in this query: did you mean todoListId?'],
      ['/api/clinicsys/toolkit/sites?instanceName=erg-oct&acount=ERG', 'acount', 'is not known in this query: did you mean account?'],
      ['/api/upstreams?upstream=V1', 'upstream', expect.stringMatching(/^is not known in this query/)],
      ['/api/traffic?minutes=5', 'minutes', expect.stringMatching(/^is not known in this query/)],
    ])('of %s is 400', async (asked, field, message) => expect(await gateway.get(asked)).toMatchObject(refusal(field, message)));

    it('of a decision is rejected with 400 before anything is done', async () => {
      const { body } = await gateway.post(path, newLead('comment-422'));
      expect(await gateway.post(`/api/leads/${body.leadId}/discard?dryRun=true`, { reason })).toMatchObject(refusal('dryRun'));
      expect((await gateway.get(`/api/leads/${body.leadId}`)).body.state).toBe('parked');
    });

    it('of every read is 400', async () => {
      const reads = Object.values(endpoints).filter(({ method }) => method === 'get');
      for (const { path: read } of reads)
        expect([read, await gateway.get(`${read.replaceAll(/\{\w+\}/g, 'x')}?xyzzy=1`)]).toMatchObject([
          read,
          { status: 400, body: { error: { details: expect.arrayContaining([expect.objectContaining({ field: 'xyzzy' })]) } } },
        ]);
    });

    it('of a route that sends is ignored', async () =>
      expect((await gateway.post(`${path}/format-data?utm_source=x`, newLead())).status).toBe(200));
  });

  it.each([
    '/api/leads?state=failed&state=parked',
    '/api/leads/x?wait=1&wait=2',
    '/api/taskboard/users?q=a&q=b',
    '/api/audit?limit=1&limit=2',
  ])('a parameter that is given twice is 400: %s', async (asked) =>
    expect(await gateway.get(asked)).toMatchObject(refusal(/[?](\w+)=/.exec(asked)?.[1] ?? '', 'must be sent only once')),
  );

  it.each([
    ['/api/leads', 200],
    ['/api/audit', 1_000],
    [`/api/redrives/r${'0'.repeat(20)}`, 500],
  ] as const)('a limit that %s cannot keep is 400', async (asked, most) => {
    for (const limit of ['0', '-1', String(most + 1), '1e2', 'all'])
      expect([limit, await gateway.get(`${asked}?limit=${limit}`)]).toMatchObject([limit, refusal('limit')]);
    expect((await gateway.get(`${asked}?limit=${most}`)).status).not.toBe(400);
  });

  describe('the wait of a request', () => {
    it.each(['wait=61', 'wait=-1', 'wait=soon', 'wait', 'return=minimal', 'respond-async, handling=strict', 'respond-asynch'])(
      'Prefer: %s is 400, and nothing is started',
      async (prefer) => {
        const lead = newLead();
        expect(await gateway.post(path, lead, { prefer })).toMatchObject(refusal('Prefer'));
        expect((await gateway.get(`/api/leads?email=${encodeURIComponent(lead.email)}`)).body.count).toBe(0);
      },
    );

    it.each(['61', '-1', 'soon', ''])('wait=%s in the query of a lead is 400', async (wait) =>
      expect(await gateway.post(`${path}?wait=${wait}`, newLead())).toMatchObject(refusal('wait')),
    );

    it.each(['wait=20', 'wait="20"', 'Wait = 20'])('accepts Prefer: %s', async (prefer) =>
      expect((await gateway.post(path, newLead(), { prefer })).status).toBe(200),
    );

    it('Prefer: respond-async overrides wait', async () =>
      expect((await gateway.post(path, newLead(), { prefer: 'respond-async, wait=20' })).status).toBe(202));
  });

  describe('a redrive', () => {
    const failed = async (route: string, fields = {}) => {
      const { body } = await gateway.post(route, newLead('', { instanceName: 'erg-oct.key-404', ...fields }));
      expect(body.state).toBe('failed');
      return String(body.leadId);
    };

    it("rejects a field that the lead's route does not have, suggests the nearest one, and leaves the lead failed", async () => {
      const leadId = await failed(path);
      const redrive = (body: object) => gateway.post(`/api/leads/${leadId}/redrive`, body);
      const meant = (name: string) => `is not known to the lead's route: did you mean ${name}?`;
      expect(await redrive({ reason, fields: { instancename: 'erg-oct' } })).toMatchObject(
        refusal('fields.instancename', meant('instanceName')),
      );
      expect(await redrive({ reason, fields: { first_name: 'Ann' } })).toMatchObject(refusal('fields.first_name', meant('firstName')));
      expect(await redrive({ reason, fields: { q101: 'Yes' } })).toMatchObject(refusal('fields.q101'));
      expect(await redrive({ reason, feilds: { instanceName: 'erg-oct' } })).toMatchObject(
        refusal('feilds', 'is not known here: did you mean fields?'),
      );
      expect((await gateway.get(`/api/leads/${leadId}`)).body.state).toBe('failed');
      expect((await redrive({ reason, fields: { instanceName: 'erg-oct' } })).status).toBe(200);
    });

    it('accepts numbered prescreen answers', async () => {
      const leadId = await failed('/api/clinicsys/with-prescreen');
      expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { q101: 'Yes' } })).status).toBe(200);
    });

    it('of many leads rejects a field that no route has, and reports each lead whose route does not have it', async () => {
      const protocol = `P-${Date.now()}`;
      const leadId = await failed(path, { protocol });
      const order = (more: object) => gateway.post('/api/redrives', { filter: { protocol }, reason, ...more });
      expect(await order({ fields: { emial: 'a@example.org' } })).toMatchObject(
        refusal('fields.emial', 'is not known to the routes of these leads: did you mean email?'),
      );
      expect(await order({ filter: { flow: 'no-prescreen' }, fields: { first_name: 'Ann' } })).toMatchObject(
        refusal('fields.first_name', expect.stringContaining('firstName')),
      );
      expect(await order({ filter: { protcol: protocol } })).toMatchObject(
        refusal('filter.protcol', 'is not known here: did you mean protocol?'),
      );
      const fields = { first_name: 'Ann' };
      const started = await until(async () => {
        const answer = await order({ fields, count: 1 });
        return answer.status === 202 ? answer : undefined;
      }, 'the failed lead is counted');
      const results = await until(async () => {
        const { body } = await gateway.get(started.body.statusUrl);
        return body.state === 'done' && body.results;
      }, 'the redrive has ended');
      expect(results).toMatchObject([{ leadId, outcome: 'invalid', code: 'VALIDATION_ERROR', state: 'failed' }]);
    });
  });
});

it('deletes the run of an answered read, and keeps failed reads, writes and runs with an Idempotency-Key', async () => {
  const gateway = await startGateway();
  try {
    const { client, config } = gateway;
    const subjects = endpoints.getSubjects;
    const key = { 'idempotency-key': 'kept' };
    const answers = {
      board: await gateway.get('/api/taskboard/projects'),
      toolkit: await gateway.get(`${endpoints.listSites.path}?instanceName=erg-oct`),
      subjects: await gateway.post(subjects.path, subjects.example),
      keyed: await gateway.post(subjects.path, subjects.example, key),
      failed: await gateway.get('/api/taskboard/projects/no-such-project'),
      write: await gateway.post('/api/taskboard/todos/todo-call-the-site/comments', { projectId: 'project-template', text: 'Called' }),
    };
    expect(Object.values(answers).map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 200]);
    const left = async () => {
      const found = await Promise.all(
        Object.entries(answers).map(async ([name, { headers }]) =>
          (await describeRun(client, headers.get('x-workflow-id') ?? '')) ? [name] : [],
        ),
      );
      return found.flat();
    };
    await until(async () => {
      await deleteAnsweredReads(client, config.TASK_QUEUE, 0);
      return (await left()).length === 3;
    }, 'the runs of three reads are gone');
    expect(await left()).toEqual(['keyed', 'failed', 'write']);
    const again = await gateway.post(subjects.path, subjects.example, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  } finally {
    await gateway.stop();
  }
});
