import { parseConfig, settings } from '../src/config';

const ALERT_WEBHOOK_URL = 'https://alerts.example.org/in';
const ALERT_WEBHOOK_SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

describe('the settings of alerts', () => {
  it('are taken together', () =>
    expect(parseConfig({ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET })).toMatchObject({ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET }));

  it.each([
    [{ ALERT_WEBHOOK_URL }, 'ALERT_WEBHOOK_SECRET: is needed'],
    [{ ALERT_WEBHOOK_SECRET }, 'ALERT_WEBHOOK_URL: is needed'],
    [{ ALERT_BOARD_PROJECT: 'p' }, 'ALERT_BOARD_LIST: is needed'],
    [{ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }, 'ALERT_WEBHOOK_SECRET: must be whsec_'],
    [{ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET: ALERT_WEBHOOK_SECRET.slice(6) }, 'ALERT_WEBHOOK_SECRET: must be whsec_'],
  ])('are refused as %j, by name and without a value', (environment, problem) => {
    expect(() => parseConfig(environment)).toThrow(problem);
    expect(() => parseConfig(environment)).not.toThrow(/c2hvcnQ|AQEB/);
  });
});

describe('where sends are noted', () => {
  it.each(['sends', '/var/lib/leadgate/sends', 'postgres://leadgate:word@db/leadgate', 'postgresql://db:5433/x?sslmode=verify-full'])(
    'may be %s',
    (SEND_JOURNAL) => expect(parseConfig({ SEND_JOURNAL })).toMatchObject({ SEND_JOURNAL }),
  );

  it.each(['mysql://leadgate:word@db/leadgate', 'postgres://leadgate:wo/rd@db/leadgate'])(
    'is refused by name and without a value: %s',
    (SEND_JOURNAL) => {
      expect(() => parseConfig({ SEND_JOURNAL })).toThrow('SEND_JOURNAL: must be a directory, or postgres://');
      expect(() => parseConfig({ SEND_JOURNAL })).not.toThrow(/word|rd@db/);
    },
  );

  it('is a secret, since the URL may hold one', () => expect(settings['The engine'].SEND_JOURNAL.meta()).toMatchObject({ secret: true }));
});

describe('the time zone', () => {
  it.each(['UTC', 'GMT', 'America/New_York', 'US/Eastern', 'Asia/Kolkata', 'Europe/Kyiv', 'Etc/GMT+5'])('may be %s', (CLINICSYS_TIMEZONE) =>
    expect(parseConfig({ CLINICSYS_TIMEZONE })).toMatchObject({ CLINICSYS_TIMEZONE }),
  );

  it.each(['Europe/Nowhere', 'EST+5', '+25:00'])('is refused by name and without a value: %s', (CLINICSYS_TIMEZONE) =>
    expect(() => parseConfig({ CLINICSYS_TIMEZONE })).toThrow(/CLINICSYS_TIMEZONE: must be a time zone name, like America\/New_York$/),
  );
});
