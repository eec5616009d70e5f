/** Which room may know which: data flows one way. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const src = resolve(__dirname, '../src');

/** A room → the rooms that it may import; `type` allows types only. What is not named is forbidden. */
const rooms: Readonly<Record<string, Readonly<Record<string, 'all' | 'type' | 'none'>>>> = {
  domain: { domain: 'all', outside: 'none' },
  contract: { contract: 'all', domain: 'all', needs: 'all', config: 'type' },
  workflows: { workflows: 'all', domain: 'all', activities: 'type', outside: 'none' },
  activities: {
    activities: 'all',
    domain: 'all',
    config: 'type',
    keys: 'type',
    upstreams: 'all',
    needs: 'all',
    packing: 'all',
    errors: 'all',
    tracing: 'type',
  },
  sends: {
    sends: 'all',
    domain: 'all',
    codec: 'all',
    config: 'all',
    disk: 'all',
    errors: 'all',
    grpc: 'all',
    keys: 'type',
    log: 'all',
    replay: 'all',
  },
  cli: Object.fromEntries(
    [
      'cli',
      'replay',
      'api',
      'codec',
      'csv',
      'domain',
      'contract',
      'engine',
      'leads',
      'config',
      'errors',
      'log',
      'version',
      'keys',
      'key-change',
      'key-file',
      'key-use',
      'audit',
      'sends',
      'temporal',
      'part',
      'sites',
      'maps',
      'needs',
      'upstreams',
      'watched-file',
      'failure-converter',
    ].map((name) => [name, 'all'] as const),
  ),
  audit: { audit: 'all', config: 'type', disk: 'all', errors: 'all', keys: 'all', log: 'all' },
  tools: { tools: 'all', api: 'all', contract: 'all', domain: 'all' },
  sandbox: { sandbox: 'all', config: 'all', log: 'all', part: 'all', domain: 'all' },
};
const entries = ['main', 'worker', 'cli', 'api/server', 'sandbox/server', 'engine/main', 'engine/decoder-part'];
const pure = /^(node:|zod|express|undici|@temporalio\/(?!workflow|common)|graphql)/;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(/^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'([^']+)'/gm)].map(([, type, to]) => ({
    from: relative(src, file).replace(/\.ts$/, ''),
    to: to?.startsWith('.') ? relative(src, resolve(file, '..', to)) : (to ?? ''),
    isType: Boolean(type),
  }));
}

const room = (path: string) => path.split('/')[0] ?? '';

function breaches(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to, isType }) => {
    const said = `${from} → ${to}`;
    if (entries.includes(to)) return [`${said}: nothing imports an entry`];
    const allowed = rooms[room(from)];
    if (!allowed) return [];
    if (!isOurs(to)) return allowed.outside === 'none' && !isType && pure.test(to) ? [`${said}: this room is pure`] : [];
    const grant = allowed[room(to)];
    if (grant === 'all' || (grant === 'type' && isType)) return [];
    return [`${said}: ${grant ? 'types only' : 'not this way'}`];
  });
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const isOurs = (path: string) => files.some((file) => file === `${path}.ts` || file === `${path}/index.ts`);

/** The modules of a workflow are loaded once for all runs, so what changes must belong to a run. */
const statesOf = (text: string): string[] => text.match(/^(?:export )?(?:let|var) .*$/gm) ?? [];

describe('what all runs share', () => {
  it('does not change', () => {
    const shared = files.filter((file) => ['workflows', 'domain'].includes(room(file)));
    expect(shared.flatMap((file) => statesOf(readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });

  it('is seen to change', () => expect(statesOf('const a = 1;\nexport let runs = 0;\n')).toEqual(['export let runs = 0;']));
});

describe('the arrows between the rooms', () => {
  it('hold', () => {
    const all = files.flatMap((file) => importsOf(join(src, file), readFileSync(join(src, file), 'utf8')));
    expect(all.length).toBeGreaterThan(100);
    expect(breaches(all)).toEqual([]);
  });

  it.each([
    ['domain/formats.ts', "import { z } from 'zod';", 'this room is pure'],
    ['domain/formats.ts', "import { endpoints } from '../contract';", 'not this way'],
    ['workflows/lead.ts', "import { read } from '../activities/http';", 'types only'],
    ['workflows/lead.ts', "import { log } from '../log';", 'not this way'],
    ['activities/http.ts', "import { LeadRun } from '../workflows/lead';", 'not this way'],
    ['api/app.ts', "import './x';\nimport { stop } from '../main';", 'nothing imports an entry'],
  ])('are seen to break: %s with %s', (file, text, why) => expect(breaches(importsOf(join(src, file), text)).join()).toContain(why));
});
