/** Tests the effects of the sandbox, their sentinels, and their documentation. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxPaths } from '../../src/config/sandbox-urls';
import { effects } from '../../tools/sandbox/effects';
import { createSentinels, parseSentinel, repeats } from '../../tools/sandbox/sentinels';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { json, leadOf, openSandbox, type Json, type OpenSandbox, type Seen } from './open-sandbox';

describe('effects', () => {
  let sandbox: OpenSandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));
  afterAll(() => sandbox.close());

  /** What the client sees of each effect. `right` is whether a healthy answer's heart is in the body. */
  type Sight = { kind?: Seen['kind']; status?: number; right?: boolean; also?(seen: Seen): boolean };

  const isJson = ({ text }: Seen) => {
    try {
      return typeof JSON.parse(text) === 'object';
    } catch {
      return false;
    }
  };
  const isHtml = (seen: Seen) => String(seen.headers['content-type']).startsWith('text/html') && !isJson(seen);

  const secondsOf = (date: unknown) => Date.parse(String(date));

  const sights: Record<string, Sight> = {
    refused: { status: 422, right: false, also: isJson },
    '422': { status: 422, right: false, also: isJson },
    '401': { status: 401, right: false, also: isJson },
    revoked: { status: 401, right: false, also: isJson },
    '404': { status: 404, right: false, also: isJson },
    '405': { status: 405, right: false, also: isJson },
    '429': { status: 429, right: false, also: ({ headers }) => headers['retry-after'] === '1' },
    '429-date': { status: 429, right: false, also: ({ headers }) => secondsOf(headers['retry-after']) > secondsOf(headers.date) },
    '429-bare': { status: 429, right: false, also: ({ headers }) => headers['retry-after'] === undefined },
    '500': { status: 500, right: false, also: isJson },
    '500-after': { status: 500, right: false, also: isJson },
    '503': { status: 503, right: false, also: isJson },
    reset: { kind: 'ended' },
    'reset-after': { kind: 'ended' },
    hang: { kind: 'silent' },
    'hang-after': { kind: 'silent' },
    hold: { kind: 'silent' },
    'hold-after': { kind: 'silent' },
    drip: { kind: 'silent' },
    'slow-<ms>': { right: true },
    'late-<ms>': { kind: 'ended' },
    html: { status: 200, right: false, also: isHtml },
    'html-after': { status: 200, right: false, also: isHtml },
    truncated: { right: false, also: (seen) => seen.text.startsWith('{') && !isJson(seen) },
    cut: { kind: 'ended' },
    oversized: { right: true, also: ({ text }) => text.length > 512 * 1024 },
    incomplete: { right: false, also: isJson },
    bare: { right: true, also: ({ text }) => !/"(created|message|meta)"/.test(text) },
    redirect: { status: 302, right: false, also: ({ headers }) => headers.location === '/__redirected' },
    error: { status: 200, right: false, also: (seen) => json(seen).error?.message !== undefined },
    forgotten: { right: true },
    doubled: { right: true },
  };

  /** Where a call differs from that. */
  const exceptions: Record<string, Sight> = {
    'v1 refused': { status: 200, right: false, also: (seen) => Number(json(seen).status) === 1 },
    'key revoked': { status: 200, right: true },
  };

  type Case = { ask(word: string): Promise<Seen>; heart(body: Json): unknown };

  /** Each call of a lead's way, with the sentinel where that call reads it. */
  const cases: Record<string, Case> = {
    key: { ask: (word) => sandbox.askKey(`erg-oct.${word}`), heart: (body) => body.key },
    lookup: { ask: async (word) => sandbox.lookUp(`ann+${word}@example.org`, await sandbox.getKey()), heart: (body) => body.data },
    v1: { ask: async (word) => sandbox.apply(await sandbox.getKey(), leadOf(`ann+${word}@example.org`)), heart: (body) => body.PatientID },
    comment: {
      ask: async (word) => sandbox.commentsOf(139712, await sandbox.getKey(), `(01/02/2026 - ${word} - AD-301)`),
      heart: (body) => body.data,
    },
    readback: {
      ask: async (word) => {
        const key = await sandbox.getKey();
        const { PatientID } = json(await sandbox.apply(key, leadOf(`ann+${word}@example.org`)));
        return sandbox.commentsOf(PatientID, key);
      },
      heart: (body) => body.data,
    },
    statuses: {
      ask: async (word) => {
        const instanceName = `erg-oct.${word}`;
        const key = await sandbox.getKey(instanceName);
        return sandbox.ask(sandbox.v2('/reports/patient-statuses'), { key, query: { instanceName, subjectID: '139712' } });
      },
      heart: (body) => body.data,
    },
  };

  const effectsOf = (call: string) => effects.filter(({ calls = [call] }) => calls.includes(call));
  const concrete = (name: string) => name.replace('<ms>', '300');

  function hasHeart(seen: Seen, heart: Case['heart']): boolean {
    return isJson(seen) && Boolean(heart(json(seen)));
  }

  it('every effect is tested', () => {
    expect(Object.keys(sights).sort()).toEqual(effects.map(({ name }) => name).sort());
  });

  describe.each(Object.entries(cases))('%s', (call, { ask, heart }) => {
    it.each(effectsOf(call).map(({ name }) => name))('%s gives the client the declared result', async (name) => {
      const { kind = 'answer', status, right, also } = exceptions[`${call} ${name}`] ?? sights[name]!;
      const word = `${call}-${concrete(name)}`;
      const seen = await (kind === 'silent' ? sandbox.giveUp(call, () => ask(word)) : ask(word));
      expect(seen.kind).toBe(kind);
      if (status) expect(seen.status).toBe(status);
      if (kind === 'answer') expect(hasHeart(seen, heart)).toBe(right);
      expect(also?.(seen) ?? true).toBe(true);
    });
  });

  describe('the stored data', () => {
    const sendOf = (call: string, name: string, send: () => Promise<Seen>) =>
      sights[name]?.kind === 'silent' ? sandbox.giveUp(call, send) : send();

    const copiesOf = ({ name, stored }: (typeof effects)[number]) => (name === 'doubled' ? 2 : stored === 'no' ? 0 : 1);

    it.each(effects)('a lead with v1-$name: $stored', async (effect) => {
      const email = `kept+v1-${concrete(effect.name)}@example.org`;
      const copies = async () => Number(json(await sandbox.lookUp(email, await sandbox.getKey())).meta?.totalItems);
      await sendOf('v1', effect.name, async () => sandbox.apply(await sandbox.getKey(), leadOf(email)));
      if (effect.stored === 'later') await until(async () => (await copies()) > 0, 'it is stored');
      expect(await copies()).toBe(copiesOf(effect));
    });

    it.each(effects)('a comment with comment-$name: $stored', async (effect) => {
      const text = `kept comment-${concrete(effect.name)}`;
      const key = () => sandbox.getKey();
      const copies = async () => (await sandbox.commentsOf(139713, await key())).text.split(`"${text}"`).length - 1;
      await sendOf('comment', effect.name, async () => sandbox.commentsOf(139713, await key(), text));
      if (effect.stored === 'later') await until(async () => (await copies()) > 0, 'it is stored');
      expect(await copies()).toBe(copiesOf(effect));
    });

    it('a patient that V1 forgets takes comments, and no read finds it or them', async () => {
      const key = await sandbox.getKey();
      const email = 'taken+v1-forgotten@example.org';
      const { PatientID } = json(await sandbox.apply(key, leadOf(email)));
      expect((await sandbox.commentsOf(PatientID, key, 'text')).status).toBe(201);
      expect((await sandbox.commentsOf(PatientID, key)).status).toBe(404);
      expect(JSON.stringify((await sandbox.state()).clinicsys)).not.toContain(email);
    });

    it('a known patient that V1 forgets keeps its id and gets no application', async () => {
      const key = await sandbox.getKey();
      const lead = leadOf('again+v1-forgotten-from2@example.org');
      const first = json(await sandbox.apply(key, lead));
      expect(json(await sandbox.apply(key, lead)).PatientID).toBe(first.PatientID);
      const subjects: { subjectId: number; applications: unknown[] }[] = JSON.parse(
        JSON.stringify((await sandbox.state()).clinicsys?.[0]?.subjects),
      );
      expect(subjects.filter(({ subjectId }) => subjectId === Number(first.PatientID))).toMatchObject([
        { applications: [expect.anything()] },
      ]);
    });
  });

  describe('revoked', () => {
    it('revokes the used key, and accepts the next one', async () => {
      const lead = leadOf('ann+v1-revoked@revoked.example');
      const [first, second] = [await sandbox.getKey(), await sandbox.getKey()];
      const statuses = [await sandbox.apply(first, lead), await sandbox.apply(first, lead), await sandbox.apply(second, lead)].map(
        ({ status }) => status,
      );
      expect(statuses).toEqual([401, 401, 200]);
    });

    it('at the key service issues a revoked key once', async () => {
      const instanceName = 'erg-tampa.key-revoked';
      const [dead, good] = [await sandbox.getKey(instanceName), await sandbox.getKey(instanceName)];
      expect((await sandbox.lookUp('x@example.org', dead, instanceName)).status).toBe(401);
      expect((await sandbox.lookUp('x@example.org', good, instanceName)).status).toBe(200);
    });
  });

  it('slow takes its time', async () => {
    const { kind } = await sandbox.giveUp('key', () => sandbox.askKey('erg-oct.key-slow-600000'));
    expect(kind).toBe('silent');
  });

  it('late stores nothing before its delay', async () => {
    const email = 'kept+v1-late-600000@example.org';
    await sandbox.apply(await sandbox.getKey(), leadOf(email));
    expect(json(await sandbox.lookUp(email, await sandbox.getKey())).meta?.totalItems).toBe(0);
  });

  it('a followed redirect is in the state', async () => {
    await sandbox.ask('/__redirected');
    const { requests } = await sandbox.state();
    expect(JSON.stringify(requests)).toContain('"url":"/__redirected"');
  });
});

const duringFive = (call: string, text: string) => {
  const sentinels = createSentinels();
  return [1, 2, 3, 4, 5].map(() => sentinels.take(call, [text])?.effect.name ?? '-');
};

describe('a sentinel', () => {
  it('applies only to its call', () => {
    expect(parseSentinel('v1-500', 'v1')?.effect.name).toBe('500');
    expect(parseSentinel('v1-500', 'comment')).toBeUndefined();
    expect(parseSentinel('lookup-doubled', 'lookup')).toBeUndefined();
  });

  it.each(['v1', 'v1-', 'v1-501', 'v1-500-', 'v1-500-often', 'v1-slow', 'v1-slow-', 'v1-slow-ten', 'xv1-500'])('is not %s', (word) => {
    expect(parseSentinel(word, 'v1')).toBeUndefined();
  });

  it('has its milliseconds', () => {
    expect(parseSentinel('v1-slow-1500-once', 'v1')?.ms).toBe(1500);
  });

  it.each([
    'ann+v1-500@example.org',
    'ANN+V1-500@EXAMPLE.ORG',
    'erg-oct.v1-500',
    'a comment with v1-500, among others',
    'a+b+v1-500@example.org',
  ])('is found in %s', (text) => {
    expect(createSentinels().take('v1', [text])?.effect.name).toBe('500');
  });

  it.each(['ann-v1-500@example.org', 'ann@example.org', '', 'v1 500'])('is not found in "%s"', (text) => {
    expect(createSentinels().take('v1', [text])).toBeUndefined();
  });
});

describe('how often', () => {
  it('every time by default', () => {
    expect(duringFive('v1', 'v1-500')).toEqual(['500', '500', '500', '500', '500']);
  });
  it('-once is the first time', () => {
    expect(duringFive('v1', 'v1-500-once')).toEqual(['500', '-', '-', '-', '-']);
  });
  it('-x3 is the first three times', () => {
    expect(duringFive('v1', 'v1-500-x3')).toEqual(['500', '500', '500', '-', '-']);
  });
  it('-from4 is from the fourth time on', () => {
    expect(duringFive('v1', 'v1-500-from4')).toEqual(['-', '-', '-', '500', '500']);
  });
  it('revoked is the first time by default', () => {
    expect(duringFive('v1', 'v1-revoked')).toEqual(['revoked', '-', '-', '-', '-']);
  });
  it('several follow each other', () => {
    expect(duringFive('v1', 'ann+v1-429-x2+v1-reset-after-from4')).toEqual(['429', '429', '-', 'reset-after', 'reset-after']);
  });
  it('is counted per text, and restarts after a reset', () => {
    const sentinels = createSentinels();
    const take = (text: string) => sentinels.take('v1', [text]) !== undefined;
    expect([take('a+v1-500-once'), take('b+v1-500-once'), take('a+v1-500-once')]).toEqual([true, true, false]);
    sentinels.reset();
    expect(take('a+v1-500-once')).toBe(true);
  });
});

const docs = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');

/** The list or the code block after this line. */
const linesBehind = (line: string) =>
  (docs.split(`${line}\n\n`)[1] ?? '')
    .split(/\n(?:\n|```)/)[0]
    ?.replace('```sh\n', '')
    .split('\n');

const item = (name: string, about: string) => `- \`${name}\`: ${about}`;

describe('docs/sandbox.md agrees with the code', () => {
  it.each([
    ['Nothing is stored', 'no'],
    ['It is stored', 'yes'],
    ['It is stored later', 'later'],
  ])('%s', (words, kept) => {
    const named = effects.filter(({ stored }) => stored === kept).map(({ name }) => `\`${name}\``);
    expect(docs).toContain(`- ${words}: ${named.join(', ')}\n`);
  });

  it('for each repeat', () => {
    expect(linesBehind('An effect happens every time, unless the sentinel ends with one of these:')).toEqual(
      repeats.map(({ name, about }) => item(name, about)),
    );
  });

  it('for each setting', () => {
    const lines = Object.entries(sandboxPaths).map(([setting, path]) => `${setting}=${path}`);
    expect(linesBehind('The paths that stand in for unset settings:')).toEqual(lines);
  });
});

/** The first effect of each column, and the state that each row gives it. */
const [effectNames = [], ...stateRows] = [...docs.matchAll(/^\| (?!-)(.+) \|$/gm)].map(([, row = '']) =>
  row.split(' | ').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)),
);

describe('docs/sandbox.md names the state of a lead', () => {
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway.stop());

  const patient = { firstName: 'Bo', lastName: 'Ray', first_name: 'Bo', last_name: 'Ray' };
  const routes: Readonly<Record<string, readonly [path: string, lead: object]>> = {
    recruit: ['/api/recruit/send-to-recruit', { ...patient, siteId: 1, clientId: 'c', environment: 'us', bearerToken: 't', studyId: 12 }],
    leadforms: ['/api/scr/send-to-leadforms', { ...patient, site: 'skin-care-hollywood' }],
    screening: ['/api/screening/send-patient', { ...patient, study_id: 1, site_id: 2 }],
  };

  /** Each lead of the site system has an instance of its own, so that none is held. */
  function requestOf(call: string, word: string) {
    const { email } = newLead(word);
    const [path, lead] = routes[call] ?? [];
    if (path) return [path, { ...lead, email }] as const;
    const instance = randomBytes(4).toString('hex');
    const instanceName = call === 'key' ? `erg-oct.${word}.${instance}` : `erg-oct.${instance}`;
    return ['/api/clinicsys/no-prescreen', newLead(call === 'key' ? '' : word, { instanceName })] as const;
  }

  const cases = stateRows.flatMap(([calls = [], ...cells]) =>
    calls.map((call) => ({
      call,
      effects: cells.flatMap(([state], at) => (state ? [[effectNames[at + 1]?.[0] ?? '', state] as const] : [])),
    })),
  );
  it('for every call', () => expect(cases.map(({ call }) => call)).toEqual(['key', 'lookup', 'v1', 'comment', ...Object.keys(routes)]));

  it.concurrent.each(cases)('after $call-…', async ({ call, effects: each }) => {
    const seen: unknown[] = [];
    for (const [effect, state] of each) {
      const { body } = await gateway.post(...requestOf(call, `${call}-${effect}`), { prefer: 'respond-async' });
      const now = async () => (await gateway.get(`/api/leads/${body.leadId}`)).body.state;
      await until(async () => (await now()) === state, `${call}-${effect} is ${state}`);
      seen.push([effect, await now()]);
    }
    expect(seen).toEqual(each);
  });
});
