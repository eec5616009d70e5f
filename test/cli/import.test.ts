/** Tests `leadgate import`: what it sends and writes, and what a repeated run does. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEarlierResults, openResultFile } from '../../tools/cli/import-results';
import { projectDir } from '../../src/config/config';
import { csvOf } from '../support/csv';
import { patientOf } from '../support/background';
import { newLead, startGateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { openUpstream } from '../support/upstream';
import { people, results, startImports, statesIn, type Imports } from './imports';
import { leadgate } from './support';

let imports: Imports;
beforeAll(async () => void (imports = await startImports()));
afterAll(() => imports.stop());

describe('leadgate import', () => {
  it('sends the file of the documentation', async () => {
    const [, text = ''] = /```csv\n(.+?)```/s.exec(readFileSync(join(projectDir, 'docs/imports.md'), 'utf8')) ?? [];
    const { path, out } = imports.fileOf(text);
    expect(await imports.imported(path)).toMatchObject({ status: 0, err: '', out: expect.stringContaining('2 rows: 2 delivered') });
    expect(statesIn(out)).toEqual([
      ['2', 'delivered'],
      ['3', 'delivered'],
    ]);
  });

  it('sends an Excel file with renamed columns, and writes a result file that only its owner can read', async () => {
    const leads = people(3);
    const rows = leads.map(({ email }, at) =>
      ['', `Ann ${at}`, 'Lee', email, 'calls; late'].map((cell) => (cell.includes(';') ? `"${cell}"` : cell)),
    );
    const text = [['Note', 'First Name', 'Surname', 'E-mail', 'Free Text'], ...rows].map((cells) => cells.join(';')).join('\r\n');
    const { path, out } = imports.fileOf(`\uFEFF${text}\r\n`);
    const argv = [
      '--map',
      'First Name=firstName',
      '--map',
      'Surname=lastName',
      '--map',
      'E-mail=email',
      '--map',
      'Free Text=',
      '--map',
      'Note=',
    ];
    const constants = ['--set', 'instanceName=erg-oct', '--set', 'StudyID=12', '--set', 'ReferrerID=7'];
    const said = await imports.imported(path, [...argv, ...constants]);
    expect(said).toEqual({ status: 0, err: '', out: `3 rows: 3 delivered. Results: ${out}\nAnswered by the sandbox.\n` });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const written = readFileSync(out, 'utf8');
    expect(written).toMatch(/^line,state,leadId,status,message,row\n2,delivered,k[0-9a-z]{20}-[0-9a-z]{25},200,,r[0-9a-z]{20}\n3,/);
    for (const { email } of leads) expect(written).not.toContain(email.split('@')[0]);
    expect(await imports.sendsOf(leads)).toEqual([1, 1, 1]);

    // The same again: nothing is asked of the upstream, and nothing changes.
    const again = await imports.imported(path, [...argv, ...constants, '--json']);
    const lines = again.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { kind: 'begin', good: 0, knownRows: 3 },
      ...[2, 3, 4].map((line) => ({ kind: 'row', line, state: 'delivered', leadId: expect.stringMatching(/^k/), status: 200 })),
      { kind: 'end', complete: true, started: 0 },
      { kind: 'summary', success: true, sentBefore: 3 },
    ]);
    expect([readFileSync(out, 'utf8'), await imports.sendsOf(leads)]).toEqual([written, [1, 1, 1]]);

    // Without its result file, too.
    rmSync(out);
    const replayed = { status: 0, out: `3 rows: 3 delivered; 3 sent before. Results: ${out}\nAnswered by the sandbox.\n` };
    expect(await imports.imported(path, [...argv, ...constants])).toMatchObject(replayed);
    expect([readFileSync(out, 'utf8'), await imports.sendsOf(leads)]).toEqual([written, [1, 1, 1]]);
  });

  it('sends nothing with --check, and reports what to correct', async () => {
    const [ann, bob] = people(2);
    const { path, out } = imports.fileOf(
      csvOf([{ ...ann, 'Zip code': '33432', Source: 'fair' }, { ...ann }, { ...bob, dob: '13/01/1980' }]),
    );
    const { status, out: said } = await imports.imported(path, ['--check']);
    expect([status, said]).toEqual([
      1,
      [
        "column Zip code: not a field of this flow; --map 'Zip code=zipCode'",
        "column Source: not a field of this flow; leave it out with --map 'Source='",
        'line 4: dob must be a real date, MM/DD/YYYY or YYYY-MM-DD, not in the future',
        'line 3: has the same lead as line 2',
        '3 rows: 1 to send, 1 invalid, 1 duplicate, 0 sent before\n',
      ].join('\n'),
    ]);
    expect(existsSync(out)).toBe(false);
  });

  it('reports a problem of many lines once', async () => {
    const withoutSite = (lead: object) => Object.fromEntries(Object.entries(lead).filter(([name]) => name !== 'instanceName'));
    const { path } = imports.fileOf(csvOf(people(5).map(withoutSite)));
    const { status, out: said } = await imports.imported(path, ['--check']);
    const lines = ['lines 2, 3, 4 and others: instanceName is required', '5 rows: 0 to send, 5 invalid, 0 duplicates, 0 sent before'];
    expect([status, said]).toEqual([1, lines.map((line) => `${line}\n`).join('')]);
  });

  it('sends nothing if a row is invalid, then the valid rows, and later only the corrected row', async () => {
    const leads = [newLead(), newLead('', { dob: 'never' }), newLead()];
    const { path, out } = imports.fileOf(csvOf(leads));
    expect(await imports.imported(path)).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/^line 3: dob must be .*\nNothing was sent: 1 of 3 rows/s),
    });
    expect([await imports.sendsOf(leads), existsSync(out)]).toEqual([[0, 0, 0], false]);
    expect(await imports.imported(path, ['--skip-bad'])).toMatchObject({ status: 1, out: expect.stringContaining('2 delivered') });
    expect(statesIn(out)).toEqual([
      ['2', 'delivered'],
      ['3', 'bad'],
      ['4', 'delivered'],
    ]);
    expect((await imports.imported(path, ['--check'])).out).toContain('3 rows: 0 to send, 1 invalid, 0 duplicates, 2 sent before');
    // A row more above them, too: each is known by what is in it.
    const mended = [newLead(), leads[0]!, { ...leads[1]!, dob: '03/05/1980' }, leads[2]!];
    writeFileSync(path, csvOf(mended));
    const { out: said } = await imports.imported(path, ['--json']);
    expect(said).toContain('"knownRows":2');
    expect(statesIn(out).map(([, state]) => state)).toEqual(['delivered', 'delivered', 'delivered', 'delivered']);
    expect(await imports.sendsOf(mended)).toEqual([1, 1, 1, 1]);
  });

  it('waits at the end for open leads', async () => {
    const slow = await startGateway({ settings: { SYNC_WAIT_MS: '0' } });
    try {
      const { path, out } = imports.fileOf(csvOf([newLead('comment-slow-1000'), newLead('comment-slow-1000')]));
      const said = await imports.imported(path, ['--json'], { settings: { LEADGATE_URL: slow.url } });
      expect(said.out).toContain('"status":202');
      expect([said.status, statesIn(out)]).toEqual([
        0,
        [
          ['2', 'delivered'],
          ['3', 'delivered'],
        ],
      ]);
    } finally {
      await slow.stop();
    }
  });

  it('reads secrets from the environment', async () => {
    process.env.IMPORT_TEST_TOKEN = 'sandbox-token';
    const { email } = newLead();
    const { path, out } = imports.fileOf(
      csvOf([{ clientId: '4711', siteId: '1263', environment: 'sandbox', firstName: 'Ann', lastName: 'Lee', email }]),
    );
    const argv = ['import', path, '--flow', 'recruit', '--set-env', 'bearerToken=IMPORT_TEST_TOKEN'];
    expect((await leadgate(argv, { settings: { LEADGATE_URL: imports.gateway.url } })).status).toBe(0);
    expect(readFileSync(out, 'utf8')).not.toContain('sandbox-token');
    delete process.env.IMPORT_TEST_TOKEN;
  });

  it.each([
    [['/nowhere/leads.csv'], 'There is no file /nowhere/leads.csv'],
    [[], '<file> is missing; see leadgate import --help'],
  ])('%j is reported in one line', async (argv, line) =>
    expect(await leadgate(['import', ...argv, '--flow', 'recruit'])).toEqual({ status: 2, out: '', err: `leadgate: ${line}\n` }),
  );

  it.each([
    [['--map', 'Phone Number=phone'], '--map: there is no column "Phone Number" in the file'],
    [['--set', 'email=a@b.org'], '--set: email is a column of the file already'],
    [['--set', 'email'], 'What follows --set must be like --set instanceName=erg-oct'],
    [['--set-env', 'condition=NOT_SET_ANYWHERE'], '--set-env: the variable NOT_SET_ANYWHERE is not set'],
    [['--rate', '51'], 'VALIDATION_ERROR: These fields are invalid: ratePerS\n  ratePerS: must be 1 to 50'],
    [['--wait', 'long'], '--wait must be a number of seconds; see leadgate import --help'],
  ])('%j is reported in one line', async (argv, line) => {
    const { path, out } = imports.fileOf('email\na@b.org\n');
    expect(await imports.imported(path, argv)).toEqual({ status: 2, out: '', err: `leadgate: ${line}\n` });
    expect(existsSync(out)).toBe(false);
  });
});

describe('the result file', () => {
  const result = { line: 2, state: 'failed', leadId: 'k1', status: '422', message: '=HYPERLINK("http://x")\nnext', row: 'r1' };

  it('has no formulas, and an incomplete last line is ignored', async () => {
    const path = join(imports.dir, 'result.csv');
    const one = await openResultFile(path, new Map());
    await one.add(result);
    await one.close();
    const text = readFileSync(path, 'utf8');
    expect(text).toBe('line,state,leadId,status,message,row\n2,failed,k1,422,"\'=HYPERLINK(""http://x"") next",r1\n');
    writeFileSync(path, `${text}3,failed,k2,422,"half a li`);
    const known = await readEarlierResults(path);
    expect([...known.keys()]).toEqual(['r1']);
    const two = await openResultFile(path, known);
    await two.close();
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('does not overwrite another file', async () => {
    const path = join(imports.dir, 'other.csv');
    writeFileSync(path, 'email\na@b.org\n');
    await expect(readEarlierResults(path)).rejects.toThrow('not the result file of an import');
    expect(readFileSync(path, 'utf8')).toBe('email\na@b.org\n');
  });
});

describe('a repeated leadgate import', () => {
  it('reports a repeated row as a duplicate each time', async () => {
    const [ann, bob] = people(2);
    const { path, out } = imports.fileOf(csvOf([ann!, bob!, ann!]));
    const told = '3 rows: 2 delivered, 1 duplicate';
    const states = ['delivered', 'delivered', 'duplicate'];
    for (const before of ['', '; 2 sent before']) {
      expect(await imports.imported(path)).toMatchObject({ status: 0, out: expect.stringContaining(`${told}${before}. Results: `) });
      expect(statesIn(out).map(([, state]) => state)).toEqual(states);
    }
    expect(await imports.sendsOf([ann!, bob!])).toEqual([1, 1]);
  });

  it('continues after a stop, and sends each row once', async () => {
    const leads = people(6);
    const { path, out } = imports.fileOf(csvOf(leads));
    const stopped = new AbortController();
    const seen = (text: string) => void (text.includes('"row"') && stopped.abort());
    const first = await imports.imported(path, ['--json', '--rate', '1'], {
      settings: { LEADGATE_URL: imports.gateway.url },
      io: { stopped: stopped.signal, out: seen },
    });
    expect([first.status, first.err]).toEqual([2, expect.stringContaining('run the same command again')]);
    expect(results(out).length).toBeLessThan(6);
    expect((await imports.imported(path)).status).toBe(0);
    expect(statesIn(out)).toEqual([2, 3, 4, 5, 6, 7].map((line) => [String(line), 'delivered']));
    expect(await imports.sendsOf(leads)).toEqual(leads.map(() => 1));
  });

  it('continues after the API was unavailable', async () => {
    const leads = people(5);
    const { path, out } = imports.fileOf(csvOf(leads));
    const other = await startGateway();
    try {
      let stopping: Promise<void> | undefined;
      const seen = (text: string) => void (text.includes('"row"') && (stopping ??= other.stopApi()));
      const settings = { LEADGATE_URL: other.url };
      const said = await imports.imported(path, ['--json', '--rate', '1', '--wait', '0'], { settings, io: { out: seen } });
      expect(said.status).toBe(2);
      await stopping;
    } finally {
      await other.stop();
    }
    expect(results(out).length).toBeLessThan(5);
  });

  it('looks up a parked lead again, and never sends it again', async () => {
    const lead = newLead('comment-422');
    const { path, out } = imports.fileOf(csvOf([lead]));
    expect((await imports.imported(path)).status).toBe(1);
    const [[, state, leadId] = []] = results(out);
    expect(state).toBe('parked');
    const upstreamId = await patientOf(imports.gateway, leadId ?? '');
    await imports.gateway.post(`/api/leads/${leadId}/confirm`, { reason: 'there', upstreamId });
    await imports.gateway.get(`/api/leads/${leadId}?wait=60`);
    expect((await imports.imported(path)).status).toBe(0);
    expect([statesIn(out), await imports.sendsOf([lead])]).toEqual([[['2', 'delivered']], [1]]);
  });

  it('reports the rows of a result file of another service as unknown, and does not send them', async () => {
    const leads = [newLead(), newLead('comment-422')];
    const { path, out } = imports.fileOf(csvOf(leads));
    await imports.imported(path);
    const ids = results(out).map(([, , leadId]) => leadId);
    // As a kill leaves it.
    writeFileSync(out, readFileSync(out, 'utf8').replace(/,parked,(.*?),422,.*,/, ',running,$1,202,,'));
    const before = statesIn(out);
    const other = await startGateway({ settings: { TEMPORAL_NAMESPACE: await ownNamespace('import-elsewhere') } });
    const elsewhere = { settings: { LEADGATE_URL: other.url } };
    try {
      const words = /^2 rows have a lead id in \S+ that this service does not know: .* Not sent again\.\n.*--out\.\n$/;
      const looked = await imports.imported(path, ['--check'], elsewhere);
      expect(looked).toMatchObject({ status: 1, out: expect.stringContaining('0 to send'), err: expect.stringMatching(words) });
      expect(JSON.parse((await imports.imported(path, ['--check', '--json'], elsewhere)).out)).toMatchObject({
        unknownHere: [{ line: 2 }, { line: 3 }],
      });
      expect(statesIn(out)).toEqual(before);

      for (const _ of ['once', 'and again']) {
        const said = await imports.imported(path, [], elsewhere);
        expect(said).toEqual({ status: 1, out: `2 rows: 2 not-here. Results: ${out}\n`, err: expect.stringMatching(words) });
        expect(results(out).map(([, state, leadId, status]) => [state, leadId, status])).toEqual(ids.map((id) => ['not-here', id, '404']));
        expect(readFileSync(out, 'utf8')).toMatch(/last known state: delivered.*\n.*last known state: running/);
      }
      expect((await imports.imported(path, ['--json'], elsewhere)).out).toMatch(
        /"line":2,"state":"not-here","leadId":"\S+","status":404,"message":"unknown/,
      );
      // Nor are rows that were not sent yet: it is not the service that they are for.
      writeFileSync(path, csvOf([...leads, newLead()]));
      expect(await imports.imported(path, [], elsewhere)).toMatchObject({
        status: 1,
        out: '',
        err: expect.stringMatching(/Nothing was sent: /),
      });
      writeFileSync(path, csvOf(leads));
      expect((await other.sandbox()).calls.v1 ?? 0).toBe(0);

      // Its own service knows them.
      expect((await imports.imported(path)).out).toMatch(/1 delivered, 1 parked.*\nAnswered by the sandbox\.\n/);
      expect([results(out).map(([, , leadId]) => leadId), await imports.sendsOf(leads)]).toEqual([ids, [1, 1]]);

      const sent = await imports.imported(path, ['--skip-bad', '--out', `${out}.other`], elsewhere);
      expect([sent.out, (await other.sandbox()).calls.v1]).toEqual([expect.stringContaining('1 delivered, 1 parked'), 2]);
    } finally {
      await other.stop();
    }
  });

  it('sends a row in doubt again if it is not a lead, unless the service is another one', async () => {
    const leads = [newLead(), newLead()];
    const { path, out } = imports.fileOf(csvOf(leads));
    await imports.imported(path);
    const strange = `k${'a'.repeat(20)}-${'b'.repeat(10)}`;
    const altered = (line: string, state: string) =>
      writeFileSync(out, readFileSync(out, 'utf8').replace(new RegExp(`^${line},\\w+,[^,]+,`, 'm'), `${line},${state},${strange},`));
    altered('2', 'unknown');
    expect((await imports.imported(path, ['--check'])).out).toContain('1 to send');
    altered('3', 'delivered');
    expect(await imports.imported(path)).toMatchObject({ status: 1, out: expect.stringContaining('1 unknown, 1 not-here') });
    expect(await imports.sendsOf(leads)).toEqual([1, 1]);
  });

  it('sends nothing while the service cannot look up rows', async () => {
    const { path, out } = imports.fileOf(csvOf([newLead()]));
    await imports.imported(path);
    const written = readFileSync(out, 'utf8');
    const upstream = await openUpstream();
    upstream.answerWith({ status: 503, body: { success: false, message: 'Too much is under way', error: { code: 'NOT_ACCEPTED' } } });
    expect(await imports.imported(path, [], { settings: { LEADGATE_URL: upstream.url } })).toEqual({
      status: 2,
      out: '',
      err: 'leadgate: NOT_ACCEPTED: Too much is under way\n',
    });
    await upstream.close();
    expect([upstream.received.length, readFileSync(out, 'utf8')]).toEqual([1, written]);
  });
});
