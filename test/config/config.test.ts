import { ConfigError, parseConfig, settings } from '../../src/config/config';

const ALERT_WEBHOOK_URL = 'https://alerts.example.org/in';
const ALERT_WEBHOOK_SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

describe('a wrong setting', () => {
  it.each([
    [{ PORT: 'abc' }, 'PORT: must be a whole number from 0 to 65535, not "abc"'],
    [{ PORT: '99999' }, 'PORT: must be a whole number from 0 to 65535, not "99999"'],
    [{ PORT: '-1.5' }, 'PORT: must be a whole number from 0 to 65535, not "-1.5"'],
    [{ BODY_LIMIT_BYTES: '2mb' }, 'BODY_LIMIT_BYTES: must be a whole number from 1 to 1048576, not "2mb"'],
    [{ LEAD_TTL_H: '0' }, 'LEAD_TTL_H: must be a number above 0, and at most 720, not "0"'],
    [{ RETENTION_H: '1d' }, 'RETENTION_H: must be a number from 24 to 8760, not "1d"'],
    [{ SANDBOX: 'yes' }, 'SANDBOX: must be one of auto, on, off, not "yes"'],
    [{ SCREENING_URL: 'user:word@example.org' }, 'SCREENING_URL: must be a URL that begins with http:// or https://'],
    [{ RECRUIT_PATIENT_PATH: 'api' }, 'RECRUIT_PATIENT_PATH: must begin with /'],
    [{ PORT: 'a'.repeat(21) }, 'PORT: must be a whole number from 0 to 65535'],
  ])('%j is told with what is allowed, and with no value that may be a secret', (environment, problem) =>
    expect(() => parseConfig(environment)).toThrow(new ConfigError(`These settings are not right:\n  ${problem}`)),
  );

  it('is told together with all others, in our own words', () => {
    const forms = Object.values(settings).flatMap((group) => Object.entries(group));
    const wrong = Object.fromEntries(forms.map(([name]) => [name, '\u0001']));
    expect(() => parseConfig(wrong)).toThrow(/PORT: .*\n.*HEADERS_TIMEOUT_MS: /s);
    expect(() => parseConfig(wrong)).not.toThrow(/expected|Invalid|Too (?:big|small)/);
  });
});

describe('the settings of alerts', () => {
  it('are taken together', () =>
    expect(parseConfig({ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET })).toMatchObject({ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET }));

  it.each([
    [{ ALERT_WEBHOOK_URL }, 'ALERT_WEBHOOK_SECRET: must be set together with ALERT_WEBHOOK_URL'],
    [{ ALERT_WEBHOOK_SECRET }, 'ALERT_WEBHOOK_URL: must be set together with ALERT_WEBHOOK_SECRET'],
    [{ ALERT_BOARD_PROJECT: 'p' }, 'ALERT_BOARD_LIST: must be set together with ALERT_BOARD_PROJECT'],
    [{ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }, 'ALERT_WEBHOOK_SECRET: must be whsec_'],
    [{ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET: ALERT_WEBHOOK_SECRET.slice(6) }, 'ALERT_WEBHOOK_SECRET: must be whsec_'],
  ])('are refused as %j, by name and without a value', (environment, problem) => {
    expect(() => parseConfig(environment)).toThrow(problem);
    expect(() => parseConfig(environment)).not.toThrow(/c2hvcnQ|AQEB/);
  });
});

describe('the settings of events', () => {
  const EVENTS_WEBHOOK_SECRET = ALERT_WEBHOOK_SECRET;
  const EVENTS_WEBHOOK_URL = 'https://tools.example.org/in';

  it('are a receiver of the server’s own, hosts of others, or both', () => {
    expect(parseConfig({ EVENTS_WEBHOOK_URL, EVENTS_WEBHOOK_SECRET })).toMatchObject({ EVENTS_WEBHOOK_URL, EVENTS_PERSONAL_DATA: 'off' });
    const EVENTS_HOSTS = 'Hooks.example, hooks.example:8443,[::1]:80';
    const hosts = ['hooks.example', 'hooks.example:8443', '[::1]:80'];
    expect(parseConfig({ EVENTS_HOSTS, EVENTS_WEBHOOK_SECRET })).toMatchObject({ EVENTS_HOSTS: hosts });
  });

  it.each([
    [{ EVENTS_WEBHOOK_URL }, 'EVENTS_WEBHOOK_SECRET: is needed'],
    [{ EVENTS_HOSTS: 'hooks.example' }, 'EVENTS_WEBHOOK_SECRET: is needed'],
    [{ EVENTS_WEBHOOK_SECRET }, 'EVENTS_WEBHOOK_URL: is needed'],
    [{ EVENTS_WEBHOOK_URL, EVENTS_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }, 'EVENTS_WEBHOOK_SECRET: must be whsec_'],
    [{ EVENTS_HOSTS: 'https://hooks.example', EVENTS_WEBHOOK_SECRET }, 'EVENTS_HOSTS: must be names of hosts'],
    [{ EVENTS_HOSTS: '*.example', EVENTS_WEBHOOK_SECRET }, 'EVENTS_HOSTS: must be names of hosts'],
  ])('are refused as %j', (environment, problem) => expect(() => parseConfig(environment)).toThrow(problem));
});

describe('the time zone', () => {
  it.each(['UTC', 'GMT', 'America/New_York', 'US/Eastern', 'Asia/Kolkata', 'Europe/Kyiv', 'Etc/GMT+5'])('may be %s', (CLINICSYS_TIMEZONE) =>
    expect(parseConfig({ CLINICSYS_TIMEZONE })).toMatchObject({ CLINICSYS_TIMEZONE }),
  );

  it.each(['Europe/Nowhere', 'EST+5', '+25:00'])('is refused by name and without a value: %s', (CLINICSYS_TIMEZONE) =>
    expect(() => parseConfig({ CLINICSYS_TIMEZONE })).toThrow(/CLINICSYS_TIMEZONE: must be a time zone name, like America\/New_York$/),
  );
});

describe("the names of V1's fields", () => {
  const parse = (map: string) => parseConfig({ CLINICSYS_V1_FIELD_MAP: map });

  it.each([
    '{}',
    '{"Zip":"PostalCode","questions[101]":"patient[eczema]"}',
    '{"Zip":"Phone","Phone":"Zip"}',
    '{"Zip":"Zip"}',
    '{"questions[1]":"questions[2]","questions[2]":"questions[1]"}',
  ])('may be mapped as %s', (map) => expect(parse(map).CLINICSYS_V1_FIELD_MAP).toEqual(JSON.parse(map)));

  it.each([
    ['{"Zip":"Phone"}', 'sends Phone and Zip under one name'],
    ['{"Zip":"Mobile","Phone":"Mobile"}', 'sends Phone and Zip under one name'],
    ['{"Zip":"questions[5]"}', 'sends Zip and questions[5] under one name'],
    ['{"questions[1]":"questions[2]"}', 'sends questions[1] and questions[2] under one name'],
    ['{"Emial":"x"}', 'has "Emial", which is no field of V1'],
    ['{"zip":"x"}', 'has "zip", which is no field of V1'],
    ['{"questions":"x"}', 'has "questions", which is no field of V1'],
    ['{"__proto__":"x"}', 'has "__proto__", which is no field of V1'],
    ['{"constructor":"x"}', 'has "constructor", which is no field of V1'],
    ['{"":"x"}', 'has "", which is no field of V1'],
    ['{"Zip":"__proto__"}', 'gives Zip a name that is not plain'],
    ['{"Zip":"constructor"}', 'gives Zip a name that is not plain'],
    ['{"Zip":""}', 'gives Zip a name that is not plain'],
    ['{"Zip":" "}', 'gives Zip a name that is not plain'],
    ['{"Zip":1}', 'must be a JSON object of names'],
    ['["Zip"]', 'must be a JSON object of names'],
    ['null', 'must be a JSON object of names'],
    ['{', 'must be a JSON object of names'],
  ])('are refused as %s, by the fields', (map, problem) =>
    expect(() => parse(map)).toThrow(`These settings are not right:\n  CLINICSYS_V1_FIELD_MAP: ${problem}`),
  );

  it('are refused all at once', () =>
    expect(() => parse('{"Emial":"x","Zip":"Phone"}')).toThrow(
      'CLINICSYS_V1_FIELD_MAP: has "Emial", which is no field of V1\n  CLINICSYS_V1_FIELD_MAP: sends Phone and Zip under one name',
    ));
});
