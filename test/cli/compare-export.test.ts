/** What the comparison of leads with an upstream's export says, and what it proposes. */
import * as fc from 'fast-check';
import { compareExport as compareRead, type Compared, type ComparedSpan } from '../../tools/cli/compare-export';
import { createDateReader } from '../../tools/cli/export-dates';
import { readOurLeads, type OurLead } from '../../tools/cli/export-leads';
import { readExport, type ExportForm } from '../../tools/cli/export-rows';
import { csvLine, plainCsvLine } from '../../src/lib/csv';
import { until } from '../support/until';
import { onGateway } from './on-gateway';

const start = Date.parse('2026-11-20T10:00:00.000Z');
const minuteMs = 60_000;
/** The moment so many minutes after the start. */
const at = (minute: number) => new Date(start + minute * minuteMs).toISOString();
const span: ComparedSpan = { since: at(-60), until: at(24 * 60) };

const person = { email: 'ann@example.org', phone: '(555) 201-3344', firstName: 'Ann', lastName: 'Lee' };
type Row = typeof person & { id: string; createdAt: string };

const lead = ({ minute = 0, ...more }: Partial<OurLead> & { minute?: number } = {}): OurLead => ({
  leadId: 'k-ann',
  flow: 'recruit',
  state: 'delivered',
  site: '1263',
  createdAt: at(minute),
  updatedAt: more.createdAt ?? at(minute),
  ...person,
  ...more,
});
const row = ({ minute = 0, ...more }: Partial<Row> & { minute?: number } = {}): Row => ({
  id: '128654',
  ...person,
  createdAt: at(minute),
  ...more,
});

const columns = ['id', 'firstName', 'lastName', 'email', 'phone', 'createdAt'] as const;
const csvOf = (rows: readonly Row[], names: readonly string[] = columns): string =>
  [csvLine(names), ...rows.map((one) => csvLine(columns.map((name) => one[name])))].join('');

interface Asked extends ComparedSpan, ExportForm {}
const compareExport = async (leads: readonly OurLead[], csv: Uint8Array | string, { since, until, ...form }: Asked) =>
  compareRead(leads, await readExport(csv, form), { since, until });

const compare = (leads: readonly OurLead[], rows: readonly Row[], more: Partial<Asked> = {}) =>
  compareExport(leads, csvOf(rows), { ...span, ...more });
const only = async (leads: readonly OurLead[], rows: readonly Row[], more?: Partial<Asked>): Promise<Compared | undefined> =>
  (await compare(leads, rows, more))[0];
const brief = (found: readonly Compared[]) => found.map(({ leadId, line, finding, proposal }) => [leadId, line, finding, proposal]);

/** Other people, so that an export has a lead of before and a row of later. */
const bob = { email: 'bob@example.org', phone: '555-201-9999', firstName: 'Bob', lastName: 'Ruiz' };
const eve = { email: 'eve@example.org', phone: '555-201-8888', firstName: 'Eve', lastName: 'Diaz' };
const older = lead({ leadId: 'k-bob', minute: -30, ...bob });
const olderRow = row({ id: '1', minute: -30, ...bob });
const laterRow = row({ id: '2', minute: 60, ...eve });

const unknown = lead({ state: 'parked', code: 'OUTCOME_UNKNOWN', step: 'send' });

describe('a delivered lead', () => {
  it.each<[string, Partial<Row>]>([
    ['the e-mail in another case', { email: ' Ann@Example.ORG', phone: '' }],
    ['the e-mail among others', { email: 'other@example.org; ann@example.org' }],
    ['phone and name, written otherwise', { email: 'other@example.org', phone: '+1 555.201.3344', firstName: 'ÁNN' }],
    ['phone and name, the last name first', { email: '', firstName: 'Lee, Ann', lastName: '' }],
    ['the e-mail without a name', { firstName: '', lastName: '' }],
  ])('is matched by %s', async (_, more) => {
    expect(await only([lead()], [row(more)])).toEqual({
      leadId: 'k-ann',
      flow: 'recruit',
      state: 'delivered',
      finding: 'matched',
      line: 2,
      upstreamId: '128654',
    });
  });

  it('without a row is missing', async () => {
    expect(await compare([older, lead()], [olderRow, laterRow])).toEqual([
      expect.objectContaining({ leadId: 'k-bob', finding: 'matched' }),
      { leadId: 'k-ann', flow: 'recruit', state: 'delivered', finding: 'missing', why: expect.stringContaining('no row of this person') },
      { finding: 'unknown-here', why: 'no lead accounts for the row', line: 3, upstreamId: '2' },
    ]);
  });

  const justAfter = { ...laterRow, createdAt: at(4) };
  const dateless = (rows: readonly Row[]) => rows.map((one) => ({ ...one, createdAt: '' }));
  it.each([
    ['no row is later', [olderRow], 'no row proves to be more than 5 minutes later'],
    ['the latest row came just after it', [olderRow, justAfter], 'no row proves to be more than'],
    ['the later date is in the future', [olderRow, { ...laterRow, createdAt: at(24 * 60 * 9) }], 'no row proves to be more than'],
    ['no date can be read', dateless([olderRow, laterRow]), 'no row proves to be more than'],
  ])('without a row is not comparable if the export may be older: %s', async (_, rows, why) => {
    const found = (await compare([older, lead()], rows)).find(({ leadId }) => leadId === 'k-ann');
    expect(found).toMatchObject({ finding: 'not-comparable', why: expect.stringContaining(why) });
  });

  it('without a row is not comparable if the export has no column of dates', async () => {
    const found = await compareExport([lead()], 'id,email\n1,bob@example.org\n', span);
    expect(found).toContainEqual(
      expect.objectContaining({ finding: 'not-comparable', why: 'the export has no column of dates, so it may be older than the lead' }),
    );
  });

  it.each([
    ['no older lead of the place is there', [lead()], [olderRow, laterRow], 'no older lead of the same site'],
    ['the older lead is of another site', [{ ...older, site: '7' }, lead()], [olderRow, laterRow], 'no older lead of the same site'],
    ['the older lead is of another study', [{ ...older, studyId: '7' }, lead()], [olderRow, laterRow], 'no older lead of the same site'],
  ])('without a row is not comparable if the export may be of another place: %s', async (_, leads, rows, why) => {
    const found = (await compare(leads, rows)).find(({ leadId }) => leadId === 'k-ann');
    expect(found).toMatchObject({ finding: 'not-comparable', why: expect.stringContaining(why) });
  });

  it('with two rows is twice, and names the lines', async () => {
    expect(await compare([lead()], [row(), row({ id: '128655', minute: 3 })])).toEqual([
      expect.objectContaining({
        leadId: 'k-ann',
        finding: 'twice',
        line: 3,
        upstreamId: '128655',
        why: 'the upstream has 2 rows for this one lead: lines 2, 3',
      }),
    ]);
  });

  it('of the same person as another one is matched with a row of its own', async () => {
    const leads = [lead({ leadId: 'k-one' }), lead({ leadId: 'k-two', minute: 30 })];
    const found = await compare(leads, [row({ id: 'second', minute: 30 }), row({ id: 'first' })]);
    expect(found.map(({ leadId, finding, upstreamId }) => [leadId, finding, upstreamId])).toEqual([
      ['k-one', 'matched', 'first'],
      ['k-two', 'matched', 'second'],
    ]);
  });

  it('of the same person as another one, with one row for both, is not called missing', async () => {
    const leads = [lead({ leadId: 'k-one' }), lead({ leadId: 'k-two', minute: 30 })];
    expect(brief(await compare(leads, [row()]))).toEqual([
      ['k-one', 2, 'matched', undefined],
      ['k-two', 2, 'not-comparable', undefined],
    ]);
  });

  it('of a couple with one e-mail is matched by the name', async () => {
    const [ann, ben] = [lead({ leadId: 'k-ann' }), lead({ leadId: 'k-ben', minute: 1, firstName: 'Ben', phone: '' })];
    const rows = [row({ id: 'ben', firstName: 'Ben', phone: '' }), row({ id: 'ann' })];
    expect((await compare([ann, ben], rows)).map(({ finding, upstreamId }) => [finding, upstreamId])).toEqual([
      ['matched', 'ann'],
      ['matched', 'ben'],
    ]);
    expect(
      (await compare([older, ann, ben], [olderRow, ...rows.slice(0, 1), laterRow]))
        .slice(1, 3)
        .map(({ leadId, finding }) => [leadId, finding]),
    ).toEqual([
      ['k-ann', 'missing'],
      ['k-ben', 'matched'],
    ]);
  });

  it('of a couple leaves a row without a name to the one who has no other', async () => {
    const [ben, ann] = [lead({ leadId: 'k-ben', firstName: 'Ben' }), lead({ leadId: 'k-ann', minute: 1 })];
    const nameless = row({ id: '1', minute: 1, phone: '', firstName: '', lastName: '' });
    expect(brief(await compare([ben, ann], [nameless, row({ id: '2', minute: 2 })]))).toEqual([
      ['k-ben', 2, 'matched', undefined],
      ['k-ann', 3, 'matched', undefined],
    ]);
  });

  it.each<[string, Partial<Row>, string]>([
    ['the e-mail agrees and the name does not', { firstName: 'Zoe', phone: '' }, 'another name'],
    ['only the phone agrees', { email: '', firstName: '', lastName: '' }, 'only the phone'],
    ['only name and date agree', { email: 'else@example.org', phone: '' }, 'only the name and the date'],
    ['the row of the person is older', { createdAt: at(-50) }, 'older than the lead'],
  ])('is not comparable if %s', async (_, more, why) => {
    expect(await compare([lead()], [row(more)])).toEqual([
      expect.objectContaining({ leadId: 'k-ann', finding: 'not-comparable', line: 2, why: expect.stringContaining(why) }),
    ]);
  });

  it('is missing if only the phone agrees, and e-mail and name are others', async () => {
    const family = row({ email: 'else@example.org', firstName: 'Zoe' });
    expect(brief(await compare([older, lead()], [olderRow, family, laterRow]))).toEqual([
      ['k-bob', 2, 'matched', undefined],
      ['k-ann', undefined, 'missing', undefined],
      [undefined, 3, 'unknown-here', undefined],
      [undefined, 4, 'unknown-here', undefined],
    ]);
  });

  it('whose data was erased is not comparable', async () => {
    const erased = lead({ email: '', phone: '', firstName: '', lastName: '' });
    expect((await only([erased], [row()]))?.finding).toBe('not-comparable');
  });

  it('with an undated row is matched, and it says so', async () => {
    expect(await only([lead()], [row({ createdAt: '' })])).toMatchObject({
      finding: 'matched',
      why: expect.stringContaining('no date'),
    });
  });
});

describe('a row that no lead accounts for', () => {
  it.each([
    ['in the compared time is unknown here', at(5), ['unknown-here']],
    ['of before is not mentioned', at(-61), []],
    ['of later is not mentioned', at(24 * 60 + 1), []],
    ['without a date is not comparable', 'soon', ['not-comparable']],
    ['whose time zone is not known, near the limit, is not comparable', '2026-11-20 05:00:00', ['not-comparable']],
  ])('%s', async (_, createdAt, findings) => {
    expect((await compare([], [row({ createdAt })])).map(({ finding }) => finding)).toEqual(findings);
  });

  it('and that identifies nobody is not comparable', async () => {
    const masked = row({ email: 'a***@example.org', phone: '***-***-3344' });
    expect(await compare([], [masked])).toEqual([
      { finding: 'not-comparable', line: 2, upstreamId: '128654', why: 'the row has no e-mail and no phone that can be read' },
    ]);
  });

  it('is accounted for by a lead of before the compared time, which is not compared itself', async () => {
    expect(await compare([lead({ minute: -600 })], [row()])).toEqual([]);
  });

  it.each(['failed', 'discarded', 'skipped'])('and whose person has a lead that is %s, names the lead', async (state) => {
    expect(await compare([lead({ state })], [row({ minute: 2 })])).toEqual([
      expect.objectContaining({ leadId: 'k-ann', state, line: 2, upstreamId: '128654', finding: 'unknown-here' }),
    ]);
  });

  it('is not asked of a failed lead', async () => {
    expect(await compare([lead({ state: 'failed' })], [olderRow])).toEqual([
      { finding: 'unknown-here', line: 2, upstreamId: '1', why: 'no lead accounts for the row' },
    ]);
  });
});

describe('a lead that has not ended', () => {
  it.each(['running', 'waiting', 'verifying'])('and is %s is not comparable, nor is its row unknown', async (state) => {
    expect(brief(await compare([lead({ state })], [row()]))).toEqual([['k-ann', 2, 'not-comparable', undefined]]);
  });

  it.each(['POSSIBLE_REPEAT', 'UPSTREAM_ERROR'])('and is parked with %s was not sent', async (code) => {
    expect(await only([lead({ state: 'parked', code })], [])).toMatchObject({
      finding: 'not-comparable',
      why: expect.stringMatching(/sent nothing|nothing was sent/),
    });
  });
});

describe('a lead that was held back', () => {
  it('accounts for no row', async () => {
    expect(brief(await compare([lead({ state: 'parked', code: 'POSSIBLE_REPEAT' })], [row()]))).toEqual([
      ['k-ann', undefined, 'not-comparable', undefined],
      [undefined, 2, 'unknown-here', undefined],
    ]);
  });
});

describe('a confirm', () => {
  it('is proposed for the one row that no other lead accounts for', async () => {
    expect(await compare([older, unknown], [olderRow, row({ minute: 1 })])).toEqual([
      expect.objectContaining({ leadId: 'k-bob', finding: 'matched' }),
      {
        leadId: 'k-ann',
        flow: 'recruit',
        state: 'parked',
        finding: 'matched',
        proposal: 'confirm',
        line: 3,
        upstreamId: '128654',
      },
    ]);
  });

  const another = (more: Partial<OurLead>) => lead({ leadId: 'k-other', minute: 1, ...more });
  it.each<[string, OurLead[], Row[], Compared['finding'], Partial<Asked>?]>([
    ['the row is older than the lead', [unknown], [row({ minute: -5 })], 'not-comparable'],
    ['the row has no date', [unknown], [row({ createdAt: '' })], 'not-comparable'],
    ['the row has no time zone', [unknown], [row({ createdAt: '2026-11-20 10:00:30' })], 'not-comparable'],
    ['the row has a date alone', [unknown], [row({ createdAt: '2026-11-20' })], 'not-comparable', { timeZone: 'UTC' }],
    ['the row has no id', [unknown], [row({ id: '' })], 'matched'],
    ['the row has an id that a spreadsheet has cut', [unknown], [row({ id: '1.28654E+11' })], 'matched'],
    ['only the e-mail agrees', [unknown], [row({ phone: '', firstName: '', lastName: '' })], 'not-comparable'],
    ['there are two rows', [unknown], [row(), row({ id: '2', minute: 1 })], 'twice'],
    ['a delivered lead has the row', [unknown, another({})], [row({ minute: 2 })], 'not-comparable'],
    ['another unknown lead may have made it', [unknown, another({ ...unknown, leadId: 'k-other' })], [row()], 'not-comparable'],
    ['a lead under way may have made it', [unknown, another({ state: 'running' })], [row({ minute: 2 })], 'not-comparable'],
    ['a discarded lead may have made it', [unknown, another({ state: 'discarded' })], [row({ minute: 2 })], 'not-comparable'],
    [
      'a lead whose run was ended may have made it',
      [unknown, another({ state: 'failed', code: 'RUN_ENDED' })],
      [row({ minute: 2 })],
      'not-comparable',
    ],
    [
      'a delivered lead of that moment may have made two',
      [unknown, another({ updatedAt: at(9) })],
      [row({ id: '1', minute: 9 }), row({ id: '2', minute: 9 })],
      'not-comparable',
    ],
  ])('is not proposed if %s', async (_, leads, rows, finding, more = {}) => {
    const found = (await compare(leads, rows, more)).find(({ leadId }) => leadId === 'k-ann');
    expect([found?.finding, found?.proposal]).toEqual([finding, undefined]);
  });

  it.each([
    ['another lead of the person failed', another({ state: 'failed', code: 'UPSTREAM_REJECTED' })],
    ['another lead of the person was held back as its repeat', another({ state: 'parked', code: 'POSSIBLE_REPEAT' })],
  ])('is proposed if %s', async (_, other) => {
    expect((await only([unknown, other], [row({ minute: 2 })]))?.proposal).toBe('confirm');
  });

  it('is proposed for a date without a time zone, if the time zone is given', async () => {
    const local = row({ createdAt: '2026-11-20 05:00:30' });
    expect((await only([unknown], [local], { timeZone: 'America/New_York' }))?.proposal).toBe('confirm');
    expect((await only([unknown], [local], { timeZone: 'Europe/Berlin' }))?.proposal).toBeUndefined();
  });
});

describe('a resend', () => {
  const proposalFor = async (leads: readonly OurLead[], rows: readonly Row[], more?: Partial<Asked>) => {
    const found = (await compare(leads, rows, more)).find(({ leadId }) => leadId === 'k-ann');
    return [found?.finding, found?.proposal];
  };

  it('is proposed if the export reaches before and behind the lead and has nobody like the person', async () => {
    expect(await compare([older, unknown], [olderRow, laterRow])).toContainEqual({
      leadId: 'k-ann',
      flow: 'recruit',
      state: 'parked',
      finding: 'missing',
      proposal: 'resend',
      why: 'the export has no row of this person, and has rows from before and after the lead',
    });
  });

  const ben = { ...person, firstName: 'Ben', phone: '' };
  it.each<[string, OurLead[], Row[], Compared['finding'], Partial<Asked>?]>([
    ['no row is later', [older, unknown], [olderRow], 'not-comparable'],
    [
      'the later row is within the minutes in which the lead may arrive',
      [older, unknown],
      [olderRow, row({ ...laterRow, createdAt: at(4) })],
      'not-comparable',
    ],
    ['the lead was tried again after the later row', [older, { ...unknown, updatedAt: at(90) }], [olderRow, laterRow], 'not-comparable'],
    ['the later row has no time zone', [older, unknown], [olderRow, { ...laterRow, createdAt: '2026-11-20 11:00' }], 'not-comparable'],
    ['the export begins after the lead', [unknown], [laterRow], 'not-comparable'],
    ['the export has another site only', [{ ...older, site: '7' }, unknown], [olderRow, laterRow], 'not-comparable'],
    ['the lead of before is not in the export', [older, unknown], [laterRow], 'not-comparable'],
    ['the person has a row of long ago', [older, unknown], [olderRow, laterRow, row({ minute: -9999 })], 'not-comparable'],
    [
      'another lead accounts for the row of the person',
      [older, unknown, lead({ leadId: 'k-2' })],
      [olderRow, laterRow, row()],
      'not-comparable',
    ],
    [
      'a later row has the name',
      [older, unknown],
      [olderRow, laterRow, row({ email: 'x@example.org', phone: '', minute: 9999 })],
      'missing',
      { until: at(99_999) },
    ],
    [
      'a later row has nothing to compare',
      [older, unknown],
      [olderRow, laterRow, row({ email: 'a***@example.org', phone: '', firstName: '', lastName: '', minute: 9 })],
      'missing',
    ],
    ['another lead of the person is not decided', [older, unknown, { ...unknown, leadId: 'k-2' }], [olderRow, laterRow], 'missing'],
    ['another lead of the e-mail is not decided', [older, unknown, { ...unknown, ...ben, leadId: 'k-2' }], [olderRow, laterRow], 'missing'],
    [
      'the phone agrees without its area',
      [older, unknown],
      [olderRow, laterRow, row({ email: 'x@example.org', firstName: 'X', phone: '201 3344' })],
      'missing',
    ],
  ])('is not proposed if %s', async (_, leads, rows, finding, more = {}) => {
    const [found, proposal] = await proposalFor(leads, rows, more);
    expect(proposal).toBeUndefined();
    expect(found).toBe(finding);
  });

  it('is proposed only for a lead whose outcome is unknown', async () => {
    expect(await proposalFor([older, lead()], [olderRow, laterRow])).toEqual(['missing', undefined]);
  });
});

describe('an export', () => {
  const matches = async (csv: string | Uint8Array) =>
    (await compareExport([lead()], csv, span)).map(({ finding, upstreamId }) => [finding, upstreamId]);

  it.each([
    [
      'patientId,revision,firstName,lastName,email,cellPhone,birthDate,createdAt',
      '5,1,Ann,Lee,ann@example.org,,05-MAR-1980,2026-11-20T10:00:00Z',
    ],
    ['submission_id,first_name,last_name,email,phone_number,submitted_at', '5,Ann,Lee,ann@example.org,,2026-11-20 10:00:00 UTC'],
    ['id,study_id,email,phone_number,created_at', '5,77,ann@example.org,,2026-11-20T10:00:00+00:00'],
    ['ID,E-mail address,Date', '5,ann@example.org,11/20/2026 10:00 AM'],
    ['Patient ID,Full Name,Mobile,Home phone', '5,Ann Lee,,555-201-3344'],
    ['Patient_Email, Subject Id ', 'ann@example.org,5'],
    ['id;"e-mail";name', '5;ann@example.org;"Lee; Ann"'],
    ['study_id,id,subject_id,email', '77,5,9,ann@example.org'],
  ])('has its columns found by name: %s', async (head, line) => {
    expect(await matches(`${head}\n${line}\n`)).toEqual([['matched', '5']]);
    expect(await matches(new TextEncoder().encode(`\uFEFF${head}\r\n${line}\r\n`))).toEqual([['matched', '5']]);
  });

  it.each([
    ['name,email,date', "no column with the upstream's id (patientId, submission_id, id): it has name, email, date"],
    ['id,first name,date', 'no column with an e-mail or a phone (email, phone, cellPhone): it has id, first name, date'],
    ['study_id,city,email', "no column with the upstream's id"],
    ['id,email,ID', 'there are two columns for id: id, ID'],
    ['', 'the file is empty'],
  ])('with the columns "%s" is refused', async (head, message) => {
    await expect(matches(`${head}\n`)).rejects.toThrow(message);
  });

  it('may have column names of its own, which --map says', async () => {
    const map = new Map([
      ['Fall', 'id'],
      ['Kontakt', 'email'],
      ['Email', 'name'],
    ] as const);
    const said = (head: string, line: string) => compareExport([lead()], `${head}\n${line}\n`, { ...span, map });
    const matched = expect.objectContaining({ leadId: 'k-ann', finding: 'matched', upstreamId: '5' });
    expect(await said('Patient ID, Fall ,Kontakt,Email', '9,5,ann@example.org,Ann Lee')).toEqual([matched]);
    await expect(said('Fall,Kontakt,Fall', '5,ann@example.org,5')).rejects.toThrow('there are two columns for id: Fall, Fall');
  });

  it('without column names is refused, and the error repeats no cell', async () => {
    const refused = matches('128654,ann@example.org,Ann\n');
    await expect(refused).rejects.toThrow('the first row must contain column names');
    await expect(refused).rejects.not.toThrow(/ann|128654/i);
  });

  it('with a row that has too many cells is refused with its line', async () => {
    await expect(matches('id,email\n1,a@example.org\n2,b@example.org,Lee\n')).rejects.toMatchObject({ line: 3 });
  });

  it('may have a row for each study of a patient', async () => {
    const two = [row(), { ...row({ minute: 1 }), phone: '' }];
    expect(brief(await compare([lead()], two))).toEqual([['k-ann', 2, 'matched', undefined]]);
  });

  it('whose id is not of the patient alone is refused with the line', async () => {
    await expect(compare([lead()], [row(), row(bob)])).rejects.toMatchObject({
      line: 3,
      message: expect.stringContaining('the id of line 2 and another person'),
    });
  });

  it('is read as it was before a spreadsheet was kept from formulas, and so are the leads', async () => {
    const email = '=ann@example.org';
    const leads = await readOurLeads(plainCsvLine(Object.keys(lead())) + plainCsvLine(Object.values(lead({ email, phone: '' }))));
    expect(leads).toMatchObject([{ leadId: 'k-ann', email, createdAt: at(0), site: '1263' }]);
    expect(await only(leads, [row({ email, phone: '' })])).toMatchObject({ finding: 'matched' });
  });
});

describe('a date', () => {
  const read = (cell: string, timeZone?: string, column: readonly string[] = [cell]) => {
    const found = createDateReader(column, timeZone)(cell);
    return found && [new Date(found.from).toISOString(), new Date(found.until).toISOString()];
  };

  it.each([
    ['2026-11-20T10:00:00.123Z', undefined, '2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.999Z'],
    ['2026-11-20 10:00:00 +0530', 'UTC', '2026-11-20T04:30:00.000Z', '2026-11-20T04:30:00.999Z'],
    ['2026-11-20 10:00 UTC', undefined, '2026-11-20T10:00:00.000Z', '2026-11-20T10:00:59.999Z'],
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z', '2026-11-20T23:59:59.999Z'],
    ['2026-11-20', undefined, '2026-11-19T10:00:00.000Z', '2026-11-21T11:59:59.999Z'],
    ['20.11.2026 10:00:00', 'Europe/Berlin', '2026-11-20T09:00:00.000Z', '2026-11-20T09:00:00.999Z'],
    ['11/20/2026, 12:05 AM', 'America/New_York', '2026-11-20T05:05:00.000Z', '2026-11-20T05:05:59.999Z'],
    ['11/20/2026 12:05:00 p.m.', 'UTC', '2026-11-20T12:05:00.000Z', '2026-11-20T12:05:00.999Z'],
    ['2026-11-01 01:30:00', 'America/New_York', '2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.999Z'],
    ['05/11/2026 00:00:00', 'UTC', '2026-05-11T00:00:00.000Z', '2026-11-05T00:00:00.999Z'],
  ])('%s in the zone %s is every moment that it can mean', (cell, timeZone, from, until) => {
    expect(read(cell, timeZone)).toEqual([from, until]);
  });

  it.each([
    ['20/11/2026', '2026-11-05T00:00:00.000Z'],
    ['11/20/2026', '2026-05-11T00:00:00.000Z'],
  ])('05/11/2026 beside %s has one meaning', (other, from) => {
    expect(read('05/11/2026', 'UTC', ['05/11/2026', other, 'soon'])?.[0]).toBe(from);
  });

  it.each([
    '',
    'soon',
    '2026-02-30',
    '20/13/2026',
    '2026-11-20 24:00',
    '2026-11-20 10:61',
    '2026-11-20 13:00 PM',
    '1764000000',
    '20-NOV-2026',
  ])('"%s" is not read', (cell) => expect(read(cell)).toBeUndefined());

  it('is not read from a column with both orders', () => {
    expect(read('20/11/2026', 'UTC', ['20/11/2026', '11/20/2026'])).toBeUndefined();
  });
});

describe('whatever happened', () => {
  /** What became of a lead: how it is here, and how many rows it made. */
  const fates = {
    delivered: { state: 'delivered', rows: 1 },
    lost: { state: 'delivered', rows: 0 },
    doubled: { state: 'delivered', rows: 2 },
    arrived: { state: 'parked', code: 'OUTCOME_UNKNOWN', rows: 1 },
    'not-arrived': { state: 'parked', code: 'OUTCOME_UNKNOWN', rows: 0 },
    refused: { state: 'failed', code: 'UPSTREAM_REJECTED', rows: 0 },
    'held-back': { state: 'parked', code: 'POSSIBLE_REPEAT', rows: 0 },
    'discarded-arrived': { state: 'discarded', rows: 1 },
    'discarded-lost': { state: 'discarded', rows: 0 },
  } as const satisfies Readonly<Record<string, { state: string; code?: string; rows: number }>>;
  type Fate = keyof typeof fates;

  const people = [person, bob, eve, { email: bob.email, phone: '', firstName: 'Ida', lastName: 'Ruiz' }];

  interface Sent {
    readonly fate: Fate;
    readonly who: number;
    readonly minute: number;
    readonly takes: number;
    readonly skewS: number;
  }
  const sent = (who: fc.Arbitrary<number>): fc.Arbitrary<Sent> =>
    fc.record({
      fate: fc.constantFrom(...(Object.keys(fates) as Fate[])),
      who,
      minute: fc.integer({ min: 0, max: 90 }),
      takes: fc.constantFrom(0, 0, 1, 20),
      skewS: fc.integer({ min: -30, max: 30 }),
    });

  function worldOf(all: readonly Sent[]) {
    const leads = all.map(({ fate, who, minute, takes }, n): OurLead => {
      const { rows: _, ...shown } = fates[fate];
      return lead({ leadId: `k-${n}`, minute, updatedAt: at(minute + takes), ...people[who], ...shown });
    });
    const rows = all.flatMap(({ fate, who, minute, takes, skewS }, n) =>
      Array.from({ length: fates[fate].rows }, (__, copy) =>
        row({ id: `${n}.${copy}`, ...people[who], createdAt: at(minute + takes + skewS / 60) }),
      ),
    );
    const before = lead({ leadId: 'k-before', minute: -10, email: 'old@example.org', phone: '', firstName: 'Old', lastName: 'One' });
    const { email, phone, firstName, lastName } = before;
    const witness = row({ id: 'before', minute: -10, email, phone, firstName, lastName });
    return { leads: [before, ...leads], rows: [witness, ...rows] };
  }

  const worlds = fc.uniqueArray(sent(fc.nat({ max: people.length - 1 })), { selector: ({ minute }) => minute, maxLength: 8 });

  it('no proposal is wrong: a confirm has a row of this lead, a resend a person who is not there', async () => {
    let confirms = 0;
    let resends = 0;
    await fc.assert(
      fc.asyncProperty(worlds, async (all) => {
        const { leads, rows } = worldOf(all);
        const later = row({ id: 'later', minute: 600, email: 'new@example.org', phone: '', firstName: 'New', lastName: 'Two' });
        for (const { leadId = '', proposal, upstreamId } of await compare(leads, [...rows, later])) {
          const n = Number(leadId.slice(2));
          if (proposal === 'confirm') expect(upstreamId).toBe(`${n}.0`);
          if (proposal === 'resend') expect(rows.filter(({ id }) => all[Number(id.split('.')[0])]?.who === all[n]?.who)).toEqual([]);
          confirms += Number(proposal === 'confirm');
          resends += Number(proposal === 'resend');
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(confirms, resends)).toBeGreaterThan(20);
  });

  it('the order of leads and rows changes no finding', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.integer(), async (all, seed) => {
        const { leads, rows } = worldOf(all);
        const said = async (ours: readonly OurLead[], theirs: readonly Row[]) =>
          (await compare(ours, theirs)).map(({ leadId = '', finding, proposal = '' }) => [leadId, finding, proposal].join(' ')).toSorted();
        const shuffled = <T>(items: readonly T[]): readonly T[] =>
          fc.sample(fc.shuffledSubarray([...items], { minLength: items.length }), { seed, numRuns: 1 })[0] ?? [];
        expect(await said(shuffled(leads), shuffled(rows))).toEqual(await said(leads, rows));
      }),
    );
  });

  it('a finding has nothing of a person', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (all) => {
        const { leads, rows } = worldOf(all);
        const text = JSON.stringify(await compare(leads, rows));
        expect(text).not.toMatch(/@|example|201|\b(Ann|Bob|Eve|Ida|Old|Lee|Ruiz|Diaz)\b/);
      }),
    );
  });

  it('each lead of a person who has no other is told as it is', async () => {
    const told: Readonly<Record<Fate, readonly (readonly [Compared['finding'], Compared['proposal']])[]>> = {
      delivered: [['matched', undefined]],
      lost: [['missing', undefined]],
      doubled: [['twice', undefined]],
      arrived: [['matched', 'confirm']],
      'not-arrived': [['missing', 'resend']],
      refused: [],
      'held-back': [['not-comparable', undefined]],
      'discarded-arrived': [['unknown-here', undefined]],
      'discarded-lost': [],
    };
    for (const fate of Object.keys(fates) as Fate[]) {
      const { leads, rows } = worldOf([{ fate, who: 0, minute: 0, takes: 1, skewS: 0 }]);
      const found = await compare(leads, [...rows, laterRow]);
      const ours = found.filter(({ leadId }) => leadId === 'k-0').map(({ finding, proposal }) => [finding, proposal]);
      expect([fate, ours]).toEqual([fate, told[fate]]);
    }
  });
});

describe('the sandbox plays each finding', () => {
  const run = onGateway();

  it('of its own export and that of the leads', async () => {
    const { post, get, sandboxUrl } = run.gateway();
    const base = { siteId: 1, studyId: 12, clientId: 'c', environment: 'us', bearerToken: 't' };
    const states = {
      ok: 'delivered',
      'recruit-forgotten': 'delivered',
      'recruit-doubled': 'delivered',
      'recruit-500': 'parked',
      'recruit-500-after': 'parked',
    };
    const ids = new Map<string | undefined, string>();
    for (const [word, state] of Object.entries(states)) {
      const [firstName, email] = [word.replaceAll(/[^a-z]/g, ''), `p+${word}@example.org`];
      const { body } = await post(
        '/api/recruit/send-to-recruit',
        { ...base, firstName, lastName: 'Ray', email },
        { prefer: 'respond-async' },
      );
      await until(async () => (await get(`/api/leads/${body.leadId}`)).body.state === state, `${word} is ${state}`);
      ids.set(body.leadId, word);
    }
    const [ours, theirs] = await Promise.all(
      [`${run.gateway().url}/api/leads.csv?clear=true&flow=recruit`, `${sandboxUrl}/__exports/recruitment.csv`].map(async (url) =>
        (await fetch(url)).text(),
      ),
    );
    const head = theirs?.split('\n')[0]?.split(',') ?? [];
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * minuteMs).toISOString();
    const later: Record<string, string> = { patientId: 'later', email: 'later@example.org', createdAt: inMinutes(10) };
    const found = await compareExport(await readOurLeads(ours ?? ''), theirs + csvLine(head.map((name) => later[name] ?? '')), {
      since: inMinutes(-60),
      until: inMinutes(60),
    });
    const said = found.map(({ leadId, finding, proposal }) => [ids.get(leadId) ?? 'none', [finding, proposal]] as const);
    expect(Object.fromEntries(said)).toEqual({
      ok: ['matched', undefined],
      'recruit-forgotten': ['missing', undefined],
      'recruit-doubled': ['twice', undefined],
      'recruit-500': ['missing', 'resend'],
      'recruit-500-after': ['matched', 'confirm'],
      none: ['unknown-here', undefined],
    });
    const confirm = found.find(({ proposal }) => proposal === 'confirm');
    const confirmed = await post(`/api/leads/${confirm?.leadId ?? ''}/confirm`, {
      upstreamId: confirm?.upstreamId,
      reason: 'it is in the export',
    });
    expect(confirmed.status).toBe(200);
  });
});
