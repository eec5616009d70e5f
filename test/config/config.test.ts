/** What may be set, and where each setting is read from. */
import express from 'express';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { callbackProblem } from '../../src/config/callback-url';
import { ConfigError, connectionVariables, environmentValue, loadConfig, parseConfig, projectDir } from '../../src/config/config';
import { claimDataVersion } from '../../src/config/data-version';
import { parseMaps } from '../../src/config/maps';
import { isSecret, variableNames, variables } from '../../src/config/settings';
import { parseSites } from '../../src/config/sites';
import { upstreamsOf } from '../../src/config/upstreams';
import { findExposures } from '../../src/config/exposure';
import { findUnreadSettings } from '../../src/config/unread-settings';
import { FileProblems, watchedFile } from '../../src/config/watched-file';
import { envExample } from '../../tools/reference/written-files';
import { logged } from '../support/logged';

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
  ])('%j is reported with what is allowed, and without a value that may be a secret', (environment, problem) =>
    expect(() => parseConfig(environment)).toThrow(new ConfigError(`Invalid settings:\n  ${problem}`)),
  );

  const oidc = { OIDC_ISSUER: 'https://login.example.org/realms/trials', OIDC_CLIENT_ID: 'leadgate', OIDC_CLIENT_SECRET: 'a secret word' };
  const notIssuer = 'OIDC_ISSUER: must begin with https://, except on this machine, and have no query';
  const notScopes =
    'OIDC_SCOPES: must be role=scope+scope entries, separated by commas, each role once, like recruiter=leads,admin=leads+operator; the scopes are send, leads, board, operator';
  it.each([
    [{ ...oidc, OIDC_SCOPES: 'a=leads', OIDC_ISSUER: 'http://login.example.org' }, notIssuer],
    [{ ...oidc, OIDC_SCOPES: 'a=leads', OIDC_ISSUER: 'https://login.example.org/?a=1' }, notIssuer],
    [{ ...oidc, OIDC_SCOPES: 'a=leads+everything' }, notScopes],
    [{ ...oidc, OIDC_SCOPES: 'a=leads,a=operator' }, notScopes],
    [{ ...oidc, OIDC_SCOPES: 'leads' }, notScopes],
    [oidc, 'OIDC_SCOPES: is needed with OIDC_ISSUER'],
    [{ ...oidc, OIDC_SCOPES: 'a=leads', OIDC_CLIENT_SECRET: '' }, 'OIDC_CLIENT_SECRET: is needed with OIDC_ISSUER'],
    [{ OIDC_CLIENT_ID: 'leadgate' }, 'OIDC_ISSUER: is needed with OIDC_CLIENT_ID'],
    [
      { ...oidc, OIDC_SCOPES: 'a=leads', LEADGATE_URL: 'http://leads.example.org' },
      'LEADGATE_URL: must begin with https:// with OIDC_ISSUER, except on this machine',
    ],
    [{ SESSION_IDLE_MIN: '0' }, 'SESSION_IDLE_MIN: must be a number above 0, and at most 1440, not "0"'],
  ])('for sign-in, %j, is reported with what is allowed', (environment, problem) =>
    expect(() => parseConfig(environment)).toThrow(new ConfigError(`Invalid settings:\n  ${problem}`)),
  );

  it('is none of a whole sign-in, also on this machine, whose roles may have any name', () => {
    const { OIDC_SCOPES, OIDC_ROLES_CLAIM, SESSION_IDLE_MIN } = parseConfig({ ...oidc, OIDC_SCOPES: 'ou=x=leads + operator, b=send' });
    expect([...(OIDC_SCOPES ?? [])]).toEqual([
      ['ou=x', ['leads', 'operator']],
      ['b', ['send']],
    ]);
    expect([OIDC_ROLES_CLAIM, SESSION_IDLE_MIN]).toEqual(['roles', 15]);
    expect(parseConfig({ ...oidc, OIDC_SCOPES: 'a=leads', OIDC_ISSUER: 'http://localhost:9000' }).OIDC_ISSUER).toBe(
      'http://localhost:9000',
    );
  });

  it('is reported together with all others, in readable words', () => {
    const wrong = Object.fromEntries(Object.keys(variables).map((name) => [name, '\u0001']));
    expect(() => parseConfig(wrong)).toThrow(/PORT: .*\n.*HEADERS_TIMEOUT_MS: /s);
    expect(() => parseConfig(wrong)).not.toThrow(/expected|Invalid (?!settings:)|Too (?:big|small)/);
  });
});

describe('SECURITY_CONTACT', () => {
  it('may name several, the preferred one first', () =>
    expect(parseConfig({ SECURITY_CONTACT: 'mailto:a@b.example, https://b.example/report,tel:+1-201-555-0123' }).SECURITY_CONTACT).toEqual([
      'mailto:a@b.example',
      'https://b.example/report',
      'tel:+1-201-555-0123',
    ]));

  it.each(['security@example.org', 'http://a.example', 'tel:112', 'mailto:', 'mailto:a@b.example,', 'mailto:a@b.example\nExpires: never'])(
    '%j is refused at the start',
    (SECURITY_CONTACT) =>
      expect(() => parseConfig({ SECURITY_CONTACT })).toThrow(
        'SECURITY_CONTACT: must begin with mailto:, https:// or tel:+, like mailto:security@example.org, comma-separated, the preferred one first',
      ),
  );
});

describe('TRUST_PROXY', () => {
  it.each([
    ['1', 1],
    ['loopback', ['loopback']],
    ['127.0.0.1, 10.0.0.0/8,2001:db8::/32 ,uniquelocal', ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32', 'uniquelocal']],
  ])('%s is taken as Express takes it', (TRUST_PROXY, parsed) => {
    expect(parseConfig({ TRUST_PROXY }).TRUST_PROXY).toEqual(parsed);
    expect(() => express().set('trust proxy', parsed)).not.toThrow();
  });

  it.each(['true', '0', '11', '10.0.0.0/33', '10.0.0.0/0', '::ffff:10.0.0.0/104', 'proxy.example.org', '10.0.0.1,', 'fe80::1%eth0'])(
    '%s is refused at the start',
    (TRUST_PROXY) => {
      const expected =
        'must be addresses or subnets of proxies, such as 127.0.0.1 or 10.0.0.0/8, or loopback, linklocal or uniquelocal, comma-separated, or a number from 1 to 10';
      expect(() => parseConfig({ TRUST_PROXY })).toThrow(
        new ConfigError(`Invalid settings:\n  TRUST_PROXY: ${expected}, not "${TRUST_PROXY}"`),
      );
    },
  );
});

describe('a name that nothing reads', () => {
  const unread = (inFile: readonly string[], inEnvironment: readonly string[] = [], settings = {}) =>
    findUnreadSettings(parseConfig(settings), { inFile, inEnvironment }).map(({ name, meant }) => [name, meant]);

  it('is found in .env, with the nearest setting', () =>
    expect(unread(['BODY_LIMIT_BYTE', 'port', 'NOBODY_KNOWS_THIS', 'PORT', 'NODE_OPTIONS', 'TEMPORAL_TLS_SERVER_NAME'])).toEqual([
      ['BODY_LIMIT_BYTE', 'BODY_LIMIT_BYTES'],
      ['port', 'PORT'],
      ['NOBODY_KNOWS_THIS', undefined],
    ]));

  it('is found in the environment only if it looks like a setting', () => {
    const foreign = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'LANG',
      'SHELL',
      'PWD',
      'USER',
      'EDITOR',
      'HTTP_PROXY',
      'GITHUB_TOKEN',
      'KUBERNETES_PORT',
      'IS_SANDBOX',
    ];
    expect(unread([], [...foreign, 'LEADGATE_SERVICE_HOST', 'LEADGATE_PORT_8080_TCP_ADDR', 'TEMPORAL_API_KEY'])).toEqual([]);
    expect(unread([], ['RETENTION_HR', 'LEADGATE_KEY', 'TEMPORAL_ADRESS', 'taskboard_nonsense_value']).map(([name]) => name)).toEqual([
      'RETENTION_HR',
      'LEADGATE_KEY',
      'TEMPORAL_ADRESS',
      'taskboard_nonsense_value',
    ]);
  });

  it('does not include a key that the file of sites names', () => {
    const dir = mkdtempSync(join(tmpdir(), 'leadgate-unread-'));
    const file = join(dir, 'sites.json');
    writeFileSync(file, JSON.stringify({ one: { key_env: 'LEADFORMS_KEY_BOCA' } }));
    expect(unread(['LEADFORMS_KEY_BOCA', 'LEADFORMS_KEY_BOCA_FILE'], [], { LEADFORMS_SITES_FILE: file })).toEqual([]);
    expect(unread(['LEADFORMS_KEY_BOCA']).length).toBe(1);
    rmSync(dir, { recursive: true });
  });
});

describe('a gateway key that is easy to guess', () => {
  const found = (key: string) => findExposures(parseConfig({ GATEWAY_API_KEYS: `n8n:${key}` })).map((exposure) => exposure.found);

  it.each([
    ['aaaaaaaaaaaaaaaaaaaaaaaa', 'repeats itself'],
    ['changeme-changeme-changeme', 'repeats itself'],
    ['aabbccaabbddaabbeeaabb', 'has fewer than 8 different characters'],
    ['my-Password-for-n8n-2026', 'contains a common word or sequence'],
  ])('is found by its caller, and not shown: %s', (key, why) => expect(found(key)).toEqual([`the key of n8n is easy to guess: it ${why}`]));

  it('is not a random one', () => {
    for (let at = 0; at < 50; at++) expect(found(randomBytes(24).toString('hex'))).toEqual([]);
  });
});

describe('a family of settings', () => {
  it('has the value of each member, or its default', () => {
    const url = 'https://upstream.example.org';
    const { KEY_SERVICE_URL, TIMEOUT_MS } = parseConfig({
      KEY_SERVICE_URL: url,
      KEY_SERVICE_URL_ERG: `${url}/erg`,
      TASKBOARD_TIMEOUT_MS: '5',
    });
    expect(KEY_SERVICE_URL).toEqual({ both: url, ERG: `${url}/erg`, Futuro: undefined });
    expect(TIMEOUT_MS).toMatchObject({ 'task-board': 5, 'key-service': 35_000, 'site-system': 30_000 });
  });

  it('is refused by the name of the member’s variable', () =>
    expect(() => parseConfig({ RECRUIT_URL_US: 'nowhere', RECRUIT_TIMEOUT_MS: '0' })).toThrow(
      new ConfigError(
        'Invalid settings:\n  RECRUIT_TIMEOUT_MS: must be a whole number from 1 to 600000, not "0"\n  RECRUIT_URL_US: must be a URL that begins with http:// or https://',
      ),
    ));
});

describe('the settings of alerts', () => {
  it('are accepted only together', () =>
    expect(parseConfig({ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET })).toMatchObject({ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET }));

  it.each([
    [{ ALERT_WEBHOOK_URL }, 'ALERT_WEBHOOK_SECRET: must be set together with ALERT_WEBHOOK_URL'],
    [{ ALERT_WEBHOOK_SECRET }, 'ALERT_WEBHOOK_URL: must be set together with ALERT_WEBHOOK_SECRET'],
    [{ ALERT_EMAIL: 'a@example.org:b@example.org' }, 'ALERT_SMTP_URL: must be set together with ALERT_EMAIL'],
    [{ ALERT_SMTP_URL: 'smtp://mail.example.org' }, 'ALERT_EMAIL: must be set together with ALERT_SMTP_URL'],
    [{ ALERT_EMAIL: 'a@example.org' }, 'ALERT_EMAIL: must be the sender and the recipients, like'],
    [{ ALERT_SMTP_URL: 'https://me:c2hvcnQ=@mail.example.org' }, 'ALERT_SMTP_URL: must be a URL such as smtps://'],
    [{ ALERT_SMTP_URL: 'smtp://me:c2hvcnQ=@mail.example.org/?debug=true' }, 'ALERT_SMTP_URL: must be a URL such as smtps://'],
    [{ ALERT_BOARD: 'project' }, 'ALERT_BOARD: must be the ids of a project and of a list in it, like project/list'],
    [{ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }, 'ALERT_WEBHOOK_SECRET: must be whsec_'],
    [{ ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET: ALERT_WEBHOOK_SECRET.slice(6) }, 'ALERT_WEBHOOK_SECRET: must be whsec_'],
  ])('are refused as %j, by name and without a value', (environment, problem) => {
    expect(() => parseConfig(environment)).toThrow(problem);
    expect(() => parseConfig(environment)).not.toThrow(/c2hvcnQ|AQEB/);
  });
});

describe('REPEATS', () => {
  it('has a rule and a window for each flow, and keeps runs as long as the longest window', () =>
    expect(parseConfig({ REPEATS: 'no-prescreen:answer@10s, recruit:ask@30d,screening:send' })).toMatchObject({
      REPEATS: {
        'no-prescreen': { rule: 'answer', windowMs: 10_000 },
        recruit: { rule: 'ask', windowMs: 2_592_000_000 },
        screening: { rule: 'send', windowMs: 0 },
      },
      RETENTION_H: 720,
    }));

  it.each([
    'no-prescreen',
    'recruit:answer',
    'recruit:ask@9s',
    'recruit:ask@31d',
    'nobody:ask@1h',
    'recruit:ask@1h,recruit:send',
    'recruit:maybe@1h',
  ])('is refused as %s', (REPEATS) => expect(() => parseConfig({ REPEATS })).toThrow('REPEATS: must be flow:rule@window entries'));
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
    [{ EVENTS_WEBHOOK_URL, EVENTS_WEBHOOK_SECRET: `${EVENTS_WEBHOOK_SECRET},whsec_c2hvcnQ=` }, 'EVENTS_WEBHOOK_SECRET: must be whsec_'],
    [{ EVENTS_WEBHOOK_URL, EVENTS_WEBHOOK_SECRET: Array(3).fill(EVENTS_WEBHOOK_SECRET).join() }, 'EVENTS_WEBHOOK_SECRET: must be whsec_'],
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
    ['{"Emial":"x"}', 'has "Emial", which is not a field of V1'],
    ['{"zip":"x"}', 'has "zip", which is not a field of V1'],
    ['{"questions":"x"}', 'has "questions", which is not a field of V1'],
    ['{"__proto__":"x"}', 'has "__proto__", which is not a field of V1'],
    ['{"constructor":"x"}', 'has "constructor", which is not a field of V1'],
    ['{"":"x"}', 'has "", which is not a field of V1'],
    ['{"Zip":"__proto__"}', 'gives Zip a name that is not plain'],
    ['{"Zip":"constructor"}', 'gives Zip a name that is not plain'],
    ['{"Zip":""}', 'gives Zip a name that is not plain'],
    ['{"Zip":" "}', 'gives Zip a name that is not plain'],
    ['{"Zip":1}', 'must be a JSON object of names'],
    ['["Zip"]', 'must be a JSON object of names'],
    ['null', 'must be a JSON object of names'],
    ['{', 'must be a JSON object of names'],
  ])('are refused as %s, by the fields', (map, problem) =>
    expect(() => parse(map)).toThrow(`Invalid settings:\n  CLINICSYS_V1_FIELD_MAP: ${problem}`),
  );

  it('are refused all at once', () =>
    expect(() => parse('{"Emial":"x","Zip":"Phone"}')).toThrow(
      'CLINICSYS_V1_FIELD_MAP: has "Emial", which is not a field of V1\n  CLINICSYS_V1_FIELD_MAP: sends Phone and Zip under one name',
    ));
});

const EVENTS_HOSTS = ['hooks.example', 'tools.example:8443', 'other.example:443', '127.0.0.1'];

describe('a URL for the events of a lead', () => {
  it.each([
    'https://hooks.example/in?token=1',
    'https://HOOKS.example:9443',
    'https://tools.example:8443/in',
    'https://other.example/in',
    'http://127.0.0.1:5678/webhook',
  ])('may be %s', (url) => expect(callbackProblem(url, { EVENTS_HOSTS })).toBeUndefined());

  it.each([
    ['http://hooks.example/in', 'must begin with https://'],
    ['https://tools.example/in', 'must be of a host in EVENTS_HOSTS'],
    ['https://hooks.example.evil.example/in', 'must be of a host in EVENTS_HOSTS'],
    ['https://hooks.example./in', 'must be of a host in EVENTS_HOSTS'],
    ['https://evil.example/hooks.example', 'must be of a host in EVENTS_HOSTS'],
    ['https://hooks.example@evil.example/', 'must not hold a user or a password'],
    ['https://ann:word@hooks.example/', 'must not hold a user or a password'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['/in', 'must be a whole URL'],
    ['http:127.0.0.1/in', 'must be a whole URL'],
    ['https:///hooks.example', 'must be a whole URL'],
    ['https://hooks.example/\tin', 'must be a whole URL'],
    ['https://hooks.example/caf\u00e9', 'must be a whole URL'],
    [`https://hooks.example/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ])('is refused as %s', (url, problem) => expect(callbackProblem(url, { EVENTS_HOSTS })).toBe(problem));

  it('is refused if no host is allowed', () =>
    expect(callbackProblem('https://hooks.example/', { EVENTS_HOSTS: undefined })).toBe(
      'is not allowed: EVENTS_HOSTS is not set on the server',
    ));
});

describe('a data directory', () => {
  let LEADGATE_DATA_DIR: string;
  const file = () => join(LEADGATE_DATA_DIR, 'data-version');
  const claim = () => claimDataVersion({ LEADGATE_DATA_DIR });
  const holding = (text: string) => {
    mkdirSync(LEADGATE_DATA_DIR);
    writeFileSync(file(), text);
  };

  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'leadgate-version-'));
    LEADGATE_DATA_DIR = join(parent, 'data');
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  describe('the version of a data directory', () => {
    it('is stored in a directory without one, and leaves no temporary file', () => {
      claim();
      expect([readFileSync(file(), 'utf8'), readdirSync(LEADGATE_DATA_DIR)]).toEqual(['1\n', ['data-version']]);
      expect(claim).not.toThrow();
    });

    it('of a newer build is refused with what to do, and is not changed', () => {
      holding('2\n');
      expect(claim).toThrow(
        /has version 2, and this build \(\d\S+\) knows versions up to 1: a newer build has used it\. Start that build or a newer one, or restore/,
      );
      expect(readFileSync(file(), 'utf8')).toBe('2\n');
    });

    it.each(['', 'one', '0', '1.5', '-1'])('that cannot be read is refused: %j', (text) => {
      holding(text);
      expect(claim).toThrow('does not hold a version: restore');
    });

    it('does not prevent a start if the directory cannot be created', () => {
      LEADGATE_DATA_DIR = join(parent, 'file', 'data');
      writeFileSync(join(parent, 'file'), '');
      expect(claim).not.toThrow();
      expect(existsSync(file())).toBe(false);
    });
  });
});

describe('a secret in a file', () => {
  let dir: string;
  beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-secrets-'))));
  afterAll(() => rmSync(dir, { recursive: true }));
  const holding = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };

  it('is read by <NAME>_FILE, without the line break at its end', () => {
    const read = parseConfig({
      GATEWAY_API_KEYS_FILE: holding('callers', 'a:key-of-a:leads\nb:key-of-b\n'),
      DECODER_TOKEN_FILE: holding('token', 'word\r\n'),
      ALERT_WEBHOOK_URL_FILE: holding('url', ALERT_WEBHOOK_URL),
      ALERT_WEBHOOK_SECRET_FILE: holding('secret', `${ALERT_WEBHOOK_SECRET}\n\n`),
      SCREENING_API_KEY_FILE: ' ',
    });
    expect(read).toMatchObject({
      GATEWAY_API_KEYS: 'a:key-of-a:leads\nb:key-of-b',
      DECODER_TOKEN: 'word',
      ALERT_WEBHOOK_URL,
      ALERT_WEBHOOK_SECRET,
    });
    expect(read.SCREENING_API_KEY).toBeUndefined();
  });

  it('is possible for every secret; the file of the encryption keys may be created later', () => {
    const named = Object.entries(variables).flatMap(([name, form]) => (isSecret(form) ? [`${name}_FILE`] : []));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !written.includes(`\n#${name}=\n`))).toEqual([]);
    const LEADGATE_KEYS_FILE = join(dir, 'not-there-yet');
    expect(parseConfig({ LEADGATE_KEYS_FILE })).toMatchObject({ LEADGATE_KEYS_FILE });
  });

  it('is refused beside the secret itself, when it cannot be read, and when it is empty: all at once, and without a value', () => {
    const start = () =>
      parseConfig({
        DECODER_TOKEN: 'misplaced',
        DECODER_TOKEN_FILE: holding('token', 'misplaced'),
        GATEWAY_API_KEYS_FILE: join(dir, 'misplaced'),
        SCREENING_API_KEY_FILE: dir,
        TASKBOARD_TOKEN_ID_FILE: holding('empty', '\n'),
      });
    expect(start).toThrow(
      new ConfigError(
        [
          'Invalid settings:',
          '  GATEWAY_API_KEYS_FILE: there is no such file',
          '  DECODER_TOKEN and DECODER_TOKEN_FILE are both set: remove one',
          '  TASKBOARD_TOKEN_ID_FILE: the file is empty',
          '  SCREENING_API_KEY_FILE: the file cannot be read (EISDIR)',
        ].join('\n'),
      ),
    );
  });

  it('also works for the keys of sites, of Temporal and of the trace collector', () => {
    const names = ['SITES_TEST_SECRET', 'TEMPORAL_API_KEY'];
    for (const name of names) process.env[`${name}_FILE`] = holding(name, `${name} of the file\n`);
    try {
      loadConfig();
      expect(environmentValue('SITES_TEST_SECRET')).toBe('SITES_TEST_SECRET of the file');
      expect(connectionVariables()).toMatchObject({ TEMPORAL_API_KEY: 'TEMPORAL_API_KEY of the file' });
      process.env.SITES_TEST_SECRET = 'both';
      expect(() => environmentValue('SITES_TEST_SECRET')).toThrow('SITES_TEST_SECRET and SITES_TEST_SECRET_FILE are both set');
    } finally {
      for (const name of names) {
        delete process.env[name];
        delete process.env[`${name}_FILE`];
      }
    }
  });
});

const written = readFileSync(join(projectDir, '.env.example'), 'utf8');
const allOn = parseEnv(written.replaceAll(/^#(?=[A-Z][A-Z0-9_]*=)/gm, ''));

describe('.env.example', () => {
  it('matches the settings; if this fails: npm run reference', () => expect(written).toBe(envExample()));

  it('names every variable but those that Temporal documents', () =>
    expect(variableNames.filter((name) => !new RegExp(`\\b${name}\\b`).test(written))).toEqual([
      'TEMPORAL_PROFILE',
      'TEMPORAL_CONFIG_FILE',
    ]));

  it('names the members of a family with the first of them, and their own defaults', () => {
    expect(written).toContain('\n# also KEY_SERVICE_URL_ERG, KEY_SERVICE_URL_FUTURO\n#KEY_SERVICE_URL=\n');
    expect(written).toMatch(/\n# also RECRUIT_TIMEOUT_MS=30000, .*, KEY_SERVICE_TIMEOUT_MS=35000, .*\n#TASKBOARD_TIMEOUT_MS=30000\n/);
  });

  it('changes nothing, neither as a copy nor with every line uncommented', () => {
    expect(parseEnv(written)).toEqual({});
    expect({ ...parseConfig(allOn), LEADGATE_DATA_DIR: '' }).toEqual({ ...parseConfig({}), LEADGATE_DATA_DIR: '' });
    expect(join(projectDir, allOn.LEADGATE_DATA_DIR ?? '')).toBe(parseConfig({}).LEADGATE_DATA_DIR);
  });

  it('holds no secret', () => {
    const secrets = Object.entries(variables).flatMap(([name, form]) => (isSecret(form) ? [name] : []));
    expect(secrets).toContain('LEADGATE_KEYS');
    expect(secrets.filter((name) => allOn[name] !== '')).toEqual([]);
  });
});

describe('files', () => {
  const site = {
    name: 'Skin & Beauty Center',
    key: 'k1',
    form_code: 'F',
    account_id: 1,
    location_id: 'L',
    source_url: 'https://a.example.org',
  };
  const problemsOf = (parse: () => unknown): readonly string[] => {
    try {
      parse();
      return [];
    } catch (error) {
      if (error instanceof FileProblems) return error.list;
      throw error;
    }
  };

  let dir: string;
  beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-sites-'))));
  afterAll(() => rmSync(dir, { recursive: true }));

  describe('the sites file', () => {
    it('finds a site by name, by slug, and with “and” for the ampersand', () => {
      const sites = parseSites({ 'skin-beauty-center': site });
      for (const name of [
        'Skin & Beauty Center',
        ' skin & BEAUTY center ',
        'skin-beauty-center',
        'skin-and-beauty-center',
        'Skin and Beauty Center',
      ])
        expect(sites.find(name)?.key).toBe('k1');
      for (const name of ['skin', '', '__proto__', 'constructor']) expect(sites.find(name)).toBeUndefined();
    });

    it('reads a key from the environment, and reports a missing one', () => {
      process.env.SITES_TEST_KEY = ' from-env ';
      const { key: _, ...rest } = site;
      const sites = parseSites({
        a: { ...rest, name: 'A', key_env: 'SITES_TEST_KEY' },
        b: { ...rest, name: 'B', key_env: 'SITES_TEST_NONE' },
      });
      delete process.env.SITES_TEST_KEY;
      expect(sites.all.map(({ key }) => key)).toEqual(['from-env', undefined]);
    });

    it('reports all problems at once, each with its path and without a value', () => {
      const secret = 'böse-secret';
      const problems = problemsOf(() =>
        parseSites({
          'Not A Slug': site,
          one: { ...site, name: 'One', account_id: 'x', source_url: 'nowhere', formcode: 1 },
          two: { ...site, name: 'Two', key: secret },
          three: { ...site, name: 'Three', key_env: 'ALSO' },
          four: { ...site, name: 'Skin and Beauty Center' },
          five: 'text',
        }),
      );
      expect(problems).toEqual([
        'Not A Slug: must be a slug: lower case, digits and hyphens',
        'one.account_id: must be a whole number',
        'one.source_url: must be a URL',
        expect.stringMatching(/^one: .*formcode/),
        'two.key: must be visible ASCII',
        'three: needs either key or key_env',
        'four: has the same name "skin-and-beauty-center" as Not A Slug',
        expect.stringMatching(/^five: /),
      ]);
      expect(problems.join()).not.toContain(secret);
    });

    it.each([[[]], ['text'], [null]])('is an object: %j', (json) => expect(problemsOf(() => parseSites(json))).toHaveLength(1));

    it('comes with the five named sites', () => {
      const { all } = parseSites(JSON.parse(readFileSync(join(projectDir, 'config/sites.json'), 'utf8')));
      expect(all.map(({ name }) => name)).toEqual([
        'Skin Care - Boca Raton',
        'Skin Care - Hollywood',
        'Skin & Beauty Center',
        'Dermatology Treatment and Research Center',
        'First OC Dermatology Research',
      ]);
    });
  });

  describe('the maps file', () => {
    it('reads words in any case', () =>
      expect(parseMaps({ race: { ' Latino ': 'White' } })).toEqual({ race: { latino: 'White' }, recruitment_status: {} }));
    it('reports every problem', () => expect(problemsOf(() => parseMaps({ race: { a: 1, b: '' }, races: {} }))).toHaveLength(3));
  });

  describe('a watched file', () => {
    const parse = (json: unknown) => {
      if (typeof json !== 'number') throw new FileProblems(['must be a number']);
      return json;
    };
    const open = (text: string) => {
      const path = join(dir, `${Math.random()}.json`);
      writeFileSync(path, text);
      return { path, look: () => watchedFile('SOME_FILE', path, parse) };
    };

    it('is read again after a write, and after another file is renamed to it', () => {
      const { path, look } = open('1');
      const content = look();
      expect(content()).toBe(1);
      writeFileSync(path, '2');
      expect(content()).toBe(2);
      writeFileSync(`${path}.new`, '3');
      renameSync(`${path}.new`, path);
      expect(content()).toBe(3);
    });

    it('keeps its content if the new file is invalid or missing, and logs this once without the content', () => {
      const { path, look } = open('1');
      const content = look();
      for (const bad of ['"sekret"', '{"sekret', undefined]) {
        logged.length = 0;
        if (bad === undefined) rmSync(path);
        else writeFileSync(path, bad);
        expect([content(), content()]).toEqual([1, 1]);
        expect(logged).toHaveLength(1);
        expect(logged[0]).toContain('invalid configuration file');
        expect(logged[0]).not.toContain('sekret');
      }
      writeFileSync(path, '4');
      expect(content()).toBe(4);
    });

    it.each(['"x"', '{', ''])('that is invalid at the start is refused: %s', (text) => expect(open(text).look).toThrow(ConfigError));
    it('that is not JSON is refused with the line and column', () =>
      expect(open('{\n  "a": 1,\n}').look).toThrow('it is not valid JSON: a name in double quotes is expected in line 3, column 1'));
    it('that does not exist is refused', () =>
      expect(() => watchedFile('SOME_FILE', join(dir, 'none'), parse)).toThrow(/SOME_FILE .*there is no such file/s));
  });

  describe('the demonstration values', () => {
    const url = 'https://real.example.org';
    it('go to the sandbox only', () => {
      const upstreams = upstreamsOf(parseConfig({ LEADFORMS_SANDBOX_URL: url, SCREENING_URL: url }), 8090);
      expect(upstreams.sites(['LEADFORMS_URL'])?.all).toHaveLength(5);
      expect(upstreams.sites(['LEADFORMS_SANDBOX_URL', 'LEADFORMS_URL'])).toBeUndefined();
      expect(upstreams.find(['SCREENING_API_KEY'])).toBeUndefined();
      expect(upstreamsOf(parseConfig({}), 8090).find(['SCREENING_API_KEY'])).toMatchObject({ sandbox: true });
      expect(upstreamsOf(parseConfig({})).sites(['LEADFORMS_URL'])).toBeUndefined();
    });
  });
});
