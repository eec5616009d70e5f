import { skippedSendResult, callerFields, comment, commentDay, formatFields, rtRequestPayload } from '../../src/domain/clinicsys';

const today = '2026-11-21';
const lead = {
  StudyID: 12,
  ReferrerID: '7',
  firstName: ' Ann ',
  lastName: 'Lee',
  email: 'ann@example.org',
  phone: '(555) 201-3344',
  dob: '03/05/1980',
  sex: 'Male',
  zipCode: 33432,
  weight: '',
  race: null,
  condition: 'Eczema',
  protocol: 'AD-301',
  recruitmentStatus: 'Qualified',
  photoUpload: 'https://photos.example.org/1.jpg',
  q101: 'Yes',
  q102: 'No',
  q103: null,
  qx: 'Yes',
};

describe('format-data', () => {
  it('formats phone, date of birth, sex and the answers of with-prescreen, and nothing else', () =>
    expect(formatFields(lead, 'with-prescreen', today)).toEqual({
      phone: '555-201-3344',
      dob: '1980-03-05',
      sex: 'M',
      q101: 1,
      q102: 0,
      q103: 2,
    }));

  it('does not format the answers of no-prescreen', () =>
    expect(formatFields(lead, 'no-prescreen', today)).toEqual({ phone: '555-201-3344', dob: '1980-03-05', sex: 'M' }));

  it('changes nothing the second time', () => {
    const once = { ...lead, ...formatFields(lead, 'with-prescreen', today) };
    expect({ ...once, ...formatFields(once, 'with-prescreen', today) }).toEqual(once);
  });

  it('leaves an unreadable value unchanged', () => expect(formatFields({ sex: 'other', phone: null }, 'no-prescreen', today)).toEqual({}));
});

describe('rtRequestPayload', () => {
  it('has the fields of V1, without absent ones, and the answers in brackets', () =>
    expect(rtRequestPayload(lead, 'with-prescreen', today)).toEqual({
      StudyID: 12,
      ReferrerID: 7,
      FirstName: 'Ann',
      LastName: 'Lee',
      Email: 'ann@example.org',
      Phone: '555-201-3344',
      DOB: '1980-03-05',
      Sex: 'M',
      Zip: '33432',
      'questions[101]': 1,
      'questions[102]': 0,
      'questions[103]': 2,
    }));

  it('sends no sex that is neither M nor F, and no questions in no-prescreen', () => {
    const payload = rtRequestPayload({ ...lead, sex: 'other' }, 'no-prescreen', today);
    expect(Object.keys(payload)).not.toContain('Sex');
    expect(Object.keys(payload).filter((name) => name.startsWith('questions'))).toEqual([]);
  });
});

describe('comment', () => {
  it('starts with day, condition and protocol, and leaves out empty parts and unanswered questions', () =>
    expect(comment(lead, 'with-prescreen', '11/21/2026')).toBe(
      '(11/21/2026 - Eczema - AD-301) Recruitment Status: Qualified | Photo: https://photos.example.org/1.jpg | Q101: Yes | Q102: No',
    ));
  it('says N/A for what is missing', () => expect(comment({}, 'no-prescreen', '11/21/2026')).toBe('(11/21/2026 - N/A - N/A)'));
  it('is one line', () => expect(comment({ condition: 'a\n b\r\n\tc' }, 'no-prescreen', 'd')).toBe('(d - a b c - N/A)'));
  it('is at most 2,000 characters, and never half a character', () => {
    const long = comment({ condition: '😀'.repeat(2000) }, 'no-prescreen', '11/21/2026');
    expect(long.length).toBeLessThanOrEqual(2000);
    expect(long.isWellFormed()).toBe(true);
  });
  it('does not end with a space, because the look-up compares it without one', () => {
    const cut = comment({ condition: `${'x'.repeat(1_985)} yes` }, 'no-prescreen', '11/21/2026');
    expect(cut).toMatch(/x$/);
  });
  it("has the date in the site's time zone", () => {
    const night = new Date('2026-11-21T03:00:00Z');
    expect([commentDay(night, 'UTC'), commentDay(night, 'America/New_York')]).toEqual(['11/21/2026', '11/20/2026']);
    const evening = new Date('2026-11-20T19:00:00Z');
    const zones = ['Asia/Kolkata', 'Europe/Kyiv', 'US/Eastern', 'GMT'];
    expect(zones.map((zone) => commentDay(evening, zone))).toEqual(['11/21/2026', '11/20/2026', '11/20/2026', '11/20/2026']);
  });
});

describe('the record', () => {
  it('drops the fields that only steps may set, and keeps all others', () =>
    expect(callerFields({ key: 'x', emailExists: true, rtResponse: {}, extra: [1], created: 'y' })).toEqual({ extra: [1] }));
  it('names the existing subject', () =>
    expect(skippedSendResult({ data: [{ subjectId: '139712' }] })).toMatchObject({
      rtRequestPayload: null,
      rtResponse: { status: 0, PatientID: 139712, skipped: true },
    }));
});
