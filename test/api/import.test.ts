import { readImport } from '../../src/api/bulk/import-file';
import { auditDir } from '../../src/audit/lines';
import { readTrail } from '../../src/audit/read';
import { workflowIdOf } from '../../src/domain/ids';
import type { Intake } from '../../src/intake/intake';
import { csvOf } from '../support/csv';
import { newLead, startGateway } from '../support/gateway';
import { csv, importing, noPrescreen, people } from '../support/imports';
import { until } from '../support/until';
import { callers, keyOf } from '../support/keys';

const { gateway, imported, post, sendsOf } = importing();

describe('a valid file', () => {
  it('is sent row by row, and a repeat sends nothing twice', async () => {
    const leads = people(6);
    const first = await imported(csvOf(leads));
    expect(first.begin).toEqual({
      kind: 'begin',
      importId: expect.stringMatching(/^i[0-9a-z]{20}$/),
      flow: 'no-prescreen',
      sandbox: true,
      rows: 6,
      good: 6,
      badRows: 0,
      duplicateRows: 0,
      knownRows: 0,
    });
    expect(first.rows.map(({ line, state, status }) => [line, state, status])).toEqual(
      [2, 3, 4, 5, 6, 7].map((line) => [line, 'delivered', 200]),
    );
    expect(first.end).toEqual({ kind: 'end', complete: true, begun: 6, started: 6 });
    expect(await sendsOf(leads)).toEqual(leads.map(() => 1));
    const again = await imported(csvOf(leads.toReversed()));
    expect(again.end).toEqual({ kind: 'end', complete: true, begun: 6, started: 0 });
    expect(again.rows.map(({ leadId }) => leadId)).toEqual(first.rows.map(({ leadId }) => leadId).toReversed());
    expect(again.rows.every(({ state, replayed }) => state === 'delivered' && replayed)).toBe(true);
    expect(await sendsOf(leads)).toEqual(leads.map(() => 1));
    for (const { email } of leads) expect(first.text).not.toContain(email);
  });

  it('is only validated with check=true', async () => {
    const leads = people(2);
    const { status, body } = await post(csvOf(leads), `${noPrescreen}&check=true`);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        right: true,
        rows: 2,
        good: 2,
        badRows: 0,
        duplicateRows: 0,
        knownRows: 0,
        bad: [],
        duplicates: [],
        unknownColumns: [],
      },
    ]);
    expect(await sendsOf(leads)).toEqual([0, 0]);
  });

  it('is recorded on the audit trail with its counts and without its rows', async () => {
    const [lead] = people(1);
    await imported(csvOf([lead!]));
    const entries = await readTrail(auditDir(gateway().config.LEADGATE_DATA_DIR), { action: 'import' });
    expect(entries[0]).toMatchObject({ action: 'import', outcome: 'done', flow: 'no-prescreen', rows: 1, begun: 1, started: 1 });
    expect(JSON.stringify(entries)).not.toContain(lead!.email);
  });

  it('has an importId that finds and counts its leads, also redriven ones', async () => {
    const { begin, rows } = await imported(csvOf([newLead(), newLead('', { instanceName: 'erg-oct.key-404' })]));
    await imported(csvOf(people(1)));
    const { importId } = begin!;
    const failed = rows.find(({ state }) => state === 'failed')?.leadId;
    const mended = { reason: 'mistyped', fields: { instanceName: 'erg-oct' } };
    expect((await gateway().post(`/api/leads/${failed}/redrive`, mended)).status).toBe(200);
    await gateway().get(`/api/leads/${failed}?wait=60`);
    const { leads } = (await gateway().get(`/api/leads?importId=${importId}`)).body;
    expect(leads.map(({ leadId }: { leadId: string }) => leadId).toSorted()).toEqual(rows.map(({ leadId }) => leadId).toSorted());
    const { counts } = (await gateway().get(`/api/leads/counts?importId=${importId}`)).body;
    expect(counts).toMatchObject({ delivered: 2, failed: 0 });
    const [entry] = (await readTrail(auditDir(gateway().config.LEADGATE_DATA_DIR), { action: 'import' })).filter(
      (each) => each.importId === importId,
    );
    expect(entry).toMatchObject({ outcome: 'done', started: 2 });
  });

  it('keeps its importId if it is repeated with the same Idempotency-Key', async () => {
    const idOf = async (key: string) => String((await imported(csvOf(people(1)), noPrescreen, { 'idempotency-key': key })).begin?.importId);
    expect(await idOf('one')).toBe(await idOf('one'));
    expect(await idOf('one')).not.toBe(await idOf('two'));
  });

  it('stops when its caller disconnects, and continues with a repeat', async () => {
    const leads = people(8);
    const hangUp = new AbortController();
    const response = await fetch(`${gateway().url}/api/imports?flow=no-prescreen&ratePerS=1`, {
      method: 'POST',
      headers: csv,
      body: csvOf(leads),
      signal: hangUp.signal,
    });
    const reader = response.body!.getReader();
    await until(
      async () =>
        Buffer.from((await reader.read()).value ?? [])
          .toString()
          .includes('"row"'),
      'the first row is told',
    );
    hangUp.abort();
    const ended = await until(async () => {
      const [newest] = await readTrail(auditDir(gateway().config.LEADGATE_DATA_DIR), { action: 'import' });
      return newest?.outcome === 'incomplete' ? newest : undefined;
    }, 'the import has ended');
    expect(Number(ended.begun)).toBeLessThan(8);
    const { end } = await imported(csvOf(leads));
    expect(end).toEqual({ kind: 'end', complete: true, begun: 8, started: 8 - Number(ended.started) });
    expect(await sendsOf(leads)).toEqual(leads.map(() => 1));
  });

  it('reports for each row the answer of a single request', async () => {
    const { rows } = await imported(csvOf([newLead('v1-422'), newLead('comment-422'), newLead()]));
    expect(rows.map(({ state, status, code }) => [state, status, code])).toEqual([
      ['failed', 422, 'UPSTREAM_REJECTED'],
      ['parked', 422, 'UPSTREAM_REJECTED'],
      ['delivered', 200, undefined],
    ]);
  });

  it('reports the current state of a redriven lead', async () => {
    const file = csvOf([newLead('', { instanceName: 'erg-oct.key-404' })]);
    const [failed] = (await imported(file)).rows;
    expect(failed).toMatchObject({ state: 'failed', status: 422 });
    await gateway().post(`/api/leads/${failed!.leadId}/redrive`, { reason: 'mistyped', fields: { instanceName: 'erg-oct' } });
    expect((await imported(file)).rows).toMatchObject([{ state: 'delivered', leadId: failed!.leadId, replayed: true }]);
  });
});

describe('the intake of a file', () => {
  it('starts single leads before leads of a file', async () => {
    const { rows } = await imported(csvOf(people(1)));
    const alone = await gateway().post('/api/clinicsys/no-prescreen', newLead());
    const priorityOf = async (leadId: unknown) =>
      (
        await gateway()
          .client.workflow.getHandle(workflowIdOf(String(leadId)))
          .describe()
      ).priority?.priorityKey;
    expect(await priorityOf(rows[0]?.leadId)).toBe(5);
    expect(await priorityOf(alone.headers.get('x-lead-id'))).not.toBe(5);
  });

  it('accepts a file only from a key that can send leads', async () => {
    const guarded = await startGateway({ settings: { GATEWAY_API_KEYS: callers('n8n', 'board:board') }, withoutWorker: true });
    try {
      const as = (key: string) =>
        guarded.post(`/api/imports?${noPrescreen}&check=true`, Buffer.from(csvOf(people(1))), { ...csv, authorization: `Bearer ${key}` });
      expect([(await as('none')).status, (await as(keyOf('board'))).status, (await as(keyOf('n8n'))).status]).toEqual([401, 403, 200]);
    } finally {
      await guarded.stop();
    }
  });

  it('waits while there is no capacity', async () => {
    const narrow = await startGateway({ settings: { STARTS_PER_S_PER_CALLER: '3' } });
    try {
      const response = await fetch(`${narrow.url}/api/imports?${noPrescreen}`, { method: 'POST', headers: csv, body: csvOf(people(5)) });
      const lines = (await response.text()).trim().split('\n');
      expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ kind: 'end', complete: true, begun: 5, started: 5 });
    } finally {
      await narrow.stop();
    }
  });
});

it('limits one caller to half of the concurrent imports', async () => {
  const gateway = await startGateway({ settings: { GATEWAY_API_KEYS: callers('form', 'desk') } });
  /** Its row is not answered before the sandbox is told to. */
  const begun = (who: string) =>
    fetch(`${gateway.url}/api/imports?${noPrescreen}`, {
      method: 'POST',
      headers: { ...csv, authorization: `Bearer ${keyOf(who)}` },
      body: csvOf([newLead('', { instanceName: 'erg-oct.key-hold' })]),
    });
  try {
    const places = await Promise.all(Array.from({ length: 4 }, () => begun('form')));
    expect(places.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const fifth = await begun('form');
    expect([fifth.status, fifth.headers.get('retry-after'), await fifth.json()]).toMatchObject([
      429,
      '5',
      { error: { code: 'RATE_LIMITED' }, message: 'Too many imports of this caller are in progress: nothing was sent' },
    ]);
    const other = await begun('desk');
    expect(other.status).toBe(200);
    const ends = Promise.all([...places, other].map((answer) => answer.text()));
    let isOver = false;
    void ends.then(() => (isOver = true));
    await until(async () => {
      await gateway.release();
      return isOver;
    }, 'all imports end');
    for (const text of await ends) expect(text).toContain('"complete":true');
    expect((await begun('form')).status).toBe(200);
  } finally {
    await gateway.release();
    await gateway.stop();
  }
});

describe('an invalid file', () => {
  const right = () => newLead();

  it('is rejected as a whole, with each line and without personal data', async () => {
    const leads = [right(), { ...right(), email: 'ann at home', dob: '02/30/1980' }, right(), { ...right(), StudyID: 'twelve' }];
    const { status, body } = await post(csvOf(leads));
    expect([status, body.message, body.error.code]).toEqual([400, 'Nothing was sent: 2 of 4 rows are invalid', 'VALIDATION_ERROR']);
    const expected = [
      { line: 3, field: 'email', message: 'must be an e-mail address' },
      { line: 3, field: 'dob', message: 'must be a real date, MM/DD/YYYY or YYYY-MM-DD, not in the future' },
      { line: 5, field: 'StudyID', message: 'must be a whole number' },
    ];
    expect(body.report.bad).toEqual(expect.arrayContaining(expected));
    expect([body.report.bad.length, body.error.details]).toEqual([3, body.report.bad]);
    expect(JSON.stringify(body)).not.toMatch(/ann at home|twelve|02\/30/);
    expect(await sendsOf(leads)).toEqual([0, 0, 0, 0]);
  });

  it('is sent without its bad rows if skipBad is true', async () => {
    const leads = [right(), { ...right(), dob: 'May 3rd' }, right()];
    const { rows, end } = await imported(csvOf(leads), `${noPrescreen}&skipBad=true`);
    expect(rows.map(({ line, state }) => [line, state])).toEqual([
      [2, 'delivered'],
      [3, 'bad'],
      [4, 'delivered'],
    ]);
    expect(rows[1]).toMatchObject({ status: 400, message: expect.stringMatching(/^dob must be/) });
    expect(end).toMatchObject({ complete: true, begun: 2 });
    expect(await sendsOf(leads)).toEqual([1, 0, 1]);
  });

  it('reports unknown columns, and ignores them only if dropUnknown is true', async () => {
    const leads = people(1).map((lead) => ({ ...lead, 'Zip Code': '33432', Notes: 'calls late' }));
    const refused = await post(csvOf(leads));
    expect(refused.status).toBe(400);
    expect(refused.body.report.unknownColumns).toEqual([
      { column: 12, name: 'Zip Code', like: 'zipCode' },
      { column: 13, name: 'Notes' },
    ]);
    expect((await post(csvOf(leads), `${noPrescreen}&skipBad=true`)).status).toBe(400);
    expect(await sendsOf(leads)).toEqual([0]);
    const { rows } = await imported(csvOf(leads), `${noPrescreen}&dropUnknown=true`);
    expect(rows).toMatchObject([{ state: 'delivered' }]);
    const found = await gateway().get(`/api/leads/${rows[0]!.leadId}`);
    expect(JSON.stringify(found.body.result)).not.toContain('calls late');
  });

  it('reports a misspelled column once, and only other problems of its rows', async () => {
    const leads = [right(), { ...right(), dob: 'May 3rd' }].map(({ email, ...lead }) => ({ ...lead, 'E-Mail': email }));
    const { status, body } = await post(csvOf(leads));
    expect(status).toBe(400);
    expect(body.report).toMatchObject({ good: 1, unknownColumns: [{ name: 'E-Mail', like: 'email' }], bad: [{ line: 3, field: 'dob' }] });
    expect((await post(csvOf(leads), `${noPrescreen}&skipBad=true`)).status).toBe(400);
    const without = (await post(csvOf(leads), `${noPrescreen}&dropUnknown=true`)).body.report;
    expect(without.bad.map(({ line, field }: { line: number; field: string }) => [line, field])).toContainEqual([2, 'email']);
  });

  it.each([
    ['no names', 'Ann,Lee,ann@example.org\n', /^The file cannot be read: line 1: the first row must contain column names/],
    ['a strange mark', 'sep="\nemail,phone\na@b.org,555\n', /line 1: the first row must name|a quote is inside/],
    ['two of a name', 'email,email\na@b.org,c@d.org\n', /the column email appears twice/],
    ['nothing', '', /the file has no rows/],
    ['names alone', 'email,phone\r\n\r\n,\r\n', /the file has no rows/],
    ['an open quote', 'email,phone\n"a@b.org,555\n', /line 2|line 3/],
    ['a quote in a cell', 'email,phone\na "b" c,555\n', /line 2: a quote is inside/],
    ['too many rows', `email\n${'a@b.org\n'.repeat(41)}`, /line 42: a file can have at most 40 rows/],
    ['many empty rows', `email\n${',\n'.repeat(400)}`, /line 401: there can be at most 400 lines/],
    ['a row that is too long', `email\n"${'a'.repeat(19_000)}"\n`, /line 2: the row is too long/],
    ['a row that is cut off', 'email,firstName,phone\na@b.org,Ann,555\na@b.org,An', /line 3: the file ends in the middle of this row/],
    ['a NUL', 'email\na\0@b.org\n', /NUL/],
    ['another encoding', Buffer.from('email,firstName\na@b.org,Ren\xe9\n', 'latin1'), /UTF-8/],
  ])('of %s is refused in words', async (_what, file, message) => {
    const { status, body } = await post(file, `${noPrescreen}&skipBad=true`);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.message).toMatch(message);
    expect(body.message).not.toMatch(/a@b|Ann/);
  });

  it('reports at most twenty problems of a row', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `q${at}`);
    const lead = { ...newLead(), ...Object.fromEntries(names.map((name) => [name, 'perhaps'])) };
    const { body } = await post(csvOf([lead, { ...newLead(), dob: 'never' }]), 'flow=with-prescreen&check=true');
    expect(body).toMatchObject({ badRows: 2, right: false });
    expect(body.bad.map(({ line }: { line: number }) => line)).toEqual([...names.slice(0, 20).map(() => 2), 3]);
  });

  it('reports a row with more cells than column names', async () => {
    const [head, row] = csvOf([right()]).trim().split('\n');
    const { body } = await post(`${head}\n${row},,\n${row},more\n`);
    expect(body.report.bad).toEqual([{ line: 3, field: '', message: 'has more cells than the first row has column names' }]);
  });

  it('can omit the last cells of a row, and the line break of the last line', async () => {
    const short =
      'instanceName,StudyID,ReferrerID,firstName,lastName,email,phone,,\nerg-oct,12,7,Ann,Lee,a@b.org\nerg-oct,12,7,Bo,Ray,c@d.org,';
    expect((await post(short, `${noPrescreen}&check=true`)).body).toMatchObject({ right: true, good: 2 });
  });

  it.each([
    ['flow=nothing', csv, 400, 'flow'],
    ['check=true', csv, 400, 'flow'],
    [`${noPrescreen}&chek=true`, csv, 400, 'chek'],
    [`${noPrescreen}&check=perhaps`, csv, 400, 'check'],
    ['flow=recruit&ratePerS=51', csv, 400, 'ratePerS'],
    [noPrescreen, { 'content-type': 'application/json' }, 415, undefined],
    [noPrescreen, { ...csv, 'x-dry-run': 'true' }, 400, 'X-Dry-Run'],
  ])('%s with %j is answered %d', async (query, headers, status, field) => {
    const leads = people(1);
    const answer = await post(csvOf(leads), query, headers);
    expect([answer.status, answer.body.error.details?.[0]?.field]).toEqual([status, field]);
    expect(await sendsOf(leads)).toEqual([0]);
  });

  it('is rejected if it is too large', async () => expect((await post(csvOf(people(400)))).status).toBe(413));
});

describe('a duplicate person', () => {
  it('is sent once, by e-mail, or by phone and name without one', async () => {
    const ann = newLead();
    const number = { email: '', firstName: 'Bo', phone: '555-201-0001' };
    const leads = [
      ann,
      { ...newLead(), email: ann.email.toUpperCase(), firstName: 'Anne' },
      { ...newLead(), email: ann.email, protocol: 'AD-302' },
      { ...newLead(), ...number, email: ann.email.replace('@', '+other@') },
    ];
    const { rows } = await imported(csvOf(leads));
    // Whose turn comes first is not said: one of the two is sent, and the other finds the person there.
    expect([rows[0]?.state, rows[2]?.state].toSorted()).toEqual(['delivered', 'skipped']);
    expect(rows.map(({ line, state, duplicateOf }) => [line, state, duplicateOf])).toEqual([
      [2, expect.any(String), undefined],
      [3, 'duplicate', 2],
      [4, expect.any(String), undefined],
      [5, 'delivered', undefined],
    ]);
    const lead = { ...recruitLead(), ...number };
    const check = await post(csvOf([lead, { ...lead, phone: '(555) 201 0001' }, { ...lead, firstName: 'Cy' }]), 'flow=recruit&check=true');
    expect(check.body).toMatchObject({ right: true, rows: 3, good: 2, duplicates: [{ line: 3, of: 2 }] });
  });

  it('is not sent if another row with a leadId has the same lead', async () => {
    const [one, two] = people(2);
    const file = csvOf([
      { leadId: '', ...one },
      { leadId: 'k00000000000000000000-0000000000', ...one },
      { leadId: '', ...one },
      { leadId: '', ...two },
    ]);
    const { begin, rows } = await imported(file);
    expect(begin).toMatchObject({ rows: 4, good: 1, knownRows: 1, duplicateRows: 2 });
    expect(rows.map(({ line, state, duplicateOf }) => [line, state, duplicateOf])).toEqual([
      [2, 'duplicate', 3],
      [4, 'duplicate', 3],
      [5, 'delivered', undefined],
    ]);
    expect(await sendsOf([one!, two!])).toEqual([0, 1]);
  });
});

const recruitLead = (): Record<string, unknown> => ({
  bearerToken: 'sandbox-token',
  clientId: '4711',
  siteId: '1263',
  environment: 'sandbox',
  firstName: 'Ann',
  lastName: 'Lee',
  email: newLead().email,
  phone: '5552013344',
});

describe('a file of a spreadsheet', () => {
  it.each([
    ['a mark and semicolons', (text: string) => Buffer.from(`\uFEFF${text.replaceAll(',', ';')}`)],
    ['tabs, in UTF-16', (text: string) => Buffer.from(`\uFEFF${text.replaceAll(',', '\t')}`, 'utf16le')],
    ['the line that Excel begins with', (text: string) => Buffer.from(`sep=|\r\n${text.replaceAll(',', '|')}`)],
    ['empty rows and cells behind', (text: string) => Buffer.from(text.replaceAll('\n', ',,\r\n').concat(',,,,\r\n\r\n'))],
  ])('with %s', async (_what, written) => {
    const leads = people(2);
    const { rows } = await imported(written(csvOf(leads)));
    expect(rows.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect(await sendsOf(leads)).toEqual([1, 1]);
  });

  it('keeps quoted text, and counts the lines of the file', async () => {
    const condition = 'Eczema, "mild"\r\nsince 2019';
    const leads = [newLead('', { condition }), { ...newLead(), dob: 'never' }];
    const file = csvOf(leads).replaceAll(/(?<!\r)\n/g, '\r\n');
    const { rows } = await imported(file, `${noPrescreen}&skipBad=true`);
    expect(rows.map(({ line, state }) => [line, state])).toEqual([
      [2, 'delivered'],
      [4, 'bad'],
    ]);
    const { body } = await gateway().get(`/api/leads/${rows[0]!.leadId}`);
    expect(body.result.condition).toBe('Eczema, "mild"\nsince 2019');
  });

  it('reads each flow by its own fields: yes or no, numbered questions, sites', async () => {
    const { email } = newLead();
    const leadforms = {
      site: 'skin-care-boca-raton',
      first_name: 'Ann',
      last_name: 'Lee',
      email,
      i_agree: 'TRUE',
      question_1: 'Since?',
      answer_1: '2019',
    };
    const screening = { study_id: 1201, site_id: 33, first_name: 'Ann', last_name: 'Lee', email, question_1: 'Since?', answer_1: '2019' };
    const prescreen = { ...newLead(), q101: 'Yes', q102: '' };
    for (const [flow, lead] of Object.entries({ leadforms, screening, 'with-prescreen': prescreen, recruit: recruitLead() })) {
      const { rows } = await imported(csvOf([lead]), `flow=${flow}`);
      expect([flow, rows[0]?.state]).toEqual([flow, 'delivered']);
    }
    const bad = await post(csvOf([{ ...leadforms, i_agree: 'perhaps', site: 'Nowhere' }]), 'flow=leadforms');
    expect(bad.body.error.details.map(({ field }: { field: string }) => field)).toEqual(['i_agree', 'site']);
  });
});

it('does not block the event loop while it validates a file', async () => {
  let turn = 0;
  const next = () => {
    turn++;
    ticking = setImmediate(next);
  };
  let ticking = setImmediate(next);
  const checkedIn = new Map<number, number>();
  const intake: Pick<Intake, 'problems' | 'prepare'> = {
    problems: () => {
      checkedIn.set(turn, (checkedIn.get(turn) ?? 0) + 1);
      return [];
    },
    prepare: () => ({ binding: {} }) as ReturnType<Intake['prepare']>,
  };
  const rows = Array.from({ length: 100 }, () => newLead());
  const limits = { BODY_LIMIT_BYTES: 100_000, JSON_KEYS_MAX: 100, IMPORT_ROWS_MAX: 100 };
  try {
    const reading = { flow: 'no-prescreen', dropUnknown: false };
    const { good } = await readImport(Buffer.from(csvOf(rows)), reading, intake as Intake, limits);
    expect(good).toHaveLength(100);
  } finally {
    clearImmediate(ticking);
  }
  expect(Math.max(...checkedIn.values())).toBeLessThanOrEqual(20);
});
