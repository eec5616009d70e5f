/** Which room may know which (ARCHITECTURE.md's table of rooms is the rule), and what of the Temporal SDK is public. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const project = resolve(__dirname, '..');
/** The service, and what stands around it. */
const roots = ['src', 'tools'];

type Grant = 'all' | 'types';

/** A row: | `room/` | what it is | `other/`, types of `third/` | what it never does |. What is not named is forbidden. */
function readRooms(page: string): ReadonlyMap<string, ReadonlyMap<string, Grant>> {
  const rows = [...page.matchAll(/^\| `([\w-]+)\/` *\|[^|]*\|([^|]*)\|[^|]*\|$/gm)];
  return new Map(
    rows.map(([, room = '', imports = '']) => {
      const granted = [...imports.matchAll(/(types of )?`([\w-]+)\/`/g)];
      return [room, new Map(granted.map(([, types, name = '']): [string, Grant] => [name, types ? 'types' : 'all']))];
    }),
  );
}

const architecture = readFileSync(join(project, 'ARCHITECTURE.md'), 'utf8');
const rooms = readRooms(architecture);

/** They join the rooms, so they may import any of them; nothing imports an entry. */
const entries = [
  'src/main',
  'src/worker',
  'src/api/server',
  'src/engine/main',
  'src/temporal-ui/main',
  'tools/cli/main',
  'tools/sandbox/main',
];

/** Of these rooms nothing reaches the world outside: neither Node nor a package. */
const pure = ['domain', 'workflows'];
const impure = /^(node:|zod|express|undici|@temporalio\/(?!workflow|common)|graphql)/;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(/^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'([^']+)'/gm)].map(([, type, to]) => ({
    from: relative(project, file).replace(/\.ts$/, ''),
    to: to?.startsWith('.') ? relative(project, resolve(file, '..', to)).replace(/\.ts$/, '') : (to ?? ''),
    isType: Boolean(type),
  }));
}

const room = (path: string) => path.split('/')[1] ?? '';

function breachOf({ from, to, isType }: Import): string | undefined {
  if (entries.includes(to)) return 'nothing imports an entry';
  if (entries.includes(from)) return undefined;
  if (!isOurs(to)) return pure.includes(room(from)) && !isType && impure.test(to) ? 'this room is pure' : undefined;
  if (room(from) === room(to)) return undefined;
  const grant = rooms.get(room(from))?.get(room(to));
  if (grant === 'all' || (grant === 'types' && isType)) return undefined;
  return grant ? 'types only' : 'not this way';
}

/** The files that import each other in a circle, or lie between two circles. A folder stands for its index. */
function circlesIn(imports: readonly Import[]): string[] {
  const named = (path: string) => path.replace(/\/index$/, '');
  const importing = new Set(imports.map(({ from }) => named(from)));
  const imported = new Set(imports.map(({ to }) => named(to)));
  const left = imports.filter(({ from, to }) => imported.has(named(from)) && importing.has(named(to)));
  return left.length === imports.length ? [...importing].toSorted() : circlesIn(left);
}

const breaches = (imports: readonly Import[]): string[] =>
  imports.flatMap((each) => {
    const breach = breachOf(each);
    return breach === undefined ? [] : [`${each.from} → ${each.to}: ${breach}`];
  });

const files = roots.flatMap((root) =>
  readdirSync(join(project, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(?:n8n-nodes-leadgate|client\/dist)\//.test(file))
    .map((file) => join(root, file)),
);
const isOurs = (path: string) => files.some((file) => file === `${path}.ts` || file === `${path}/index.ts`);
const all = files.flatMap((file) => importsOf(join(project, file), readFileSync(join(project, file), 'utf8')));

/** The modules of a workflow are loaded once for all runs, so what changes must belong to a run. */
const statesOf = (text: string): string[] => text.match(/^(?:(?:export )?(?:let|var) |.*\bglobalThis\b).*$/gm) ?? [];

describe('what all runs share', () => {
  it('does not change', () => {
    const shared = files.filter((file) => pure.includes(room(file)));
    expect(shared.flatMap((file) => statesOf(readFileSync(join(project, file), 'utf8')))).toEqual([]);
  });

  it.each(['export let runs = 0;', '  globalThis.runs = 0;'])('is seen to change by %s', (line) =>
    expect(statesOf(`const a = 1;\n${line}\n`)).toEqual([line]),
  );
});

describe('the rooms', () => {
  it('are the folders of src and tools, each with a row in ARCHITECTURE.md; beside them lie the entries', () => {
    const found = roots.flatMap((root) => readdirSync(join(project, root), { withFileTypes: true }));
    const folders = found.filter((each) => each.isDirectory()).map(({ name }) => name);
    expect([...rooms.keys()].toSorted()).toEqual(folders.toSorted());
    expect(found.filter((each) => each.isFile()).map(({ name }) => name)).toEqual(['main.ts', 'worker.ts']);
  });

  it('of the service import nothing that stands around it, but for the entries', () => {
    const outward = all.filter(({ from, to }) => from.startsWith('src/') && to.startsWith('tools/') && !entries.includes(from));
    expect(outward).toEqual([]);
  });

  it('import only what their rows name', () => {
    expect(all.length).toBeGreaterThan(1_000);
    expect(breaches(all)).toEqual([]);
  });

  it('name no room that they do not import', () => {
    const used = new Set(all.map(({ from, to }) => `${room(from)} → ${room(to)}`));
    const named = [...rooms].flatMap(([name, grants]) => [...grants.keys()].map((other) => `${name} → ${other}`));
    expect(named.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  it('have no arrow that runs back', () => {
    const below = (name: string, seen: ReadonlySet<string> = new Set()): string[] =>
      [...(rooms.get(name)?.keys() ?? [])].flatMap((other) =>
        seen.has(other) ? [other] : [other, ...below(other, new Set([...seen, other]))],
      );
    expect([...rooms.keys()].filter((name) => below(name).includes(name))).toEqual([]);
  });

  it.each([
    ['src/domain/formats.ts', "import { z } from 'zod';", 'this room is pure'],
    ['src/domain/formats.ts', "import { endpoints } from '../contract';", 'not this way'],
    ['src/workflows/lead.ts', "import { read } from '../activities/http';", 'types only'],
    ['src/workflows/lead.ts', "import { log } from '../lib/log';", 'not this way'],
    ['src/activities/http.ts', "import { LeadRun } from '../workflows/lead';", 'not this way'],
    ['src/api/app.ts', "import './x';\nimport { stop } from '../main';", 'nothing imports an entry'],
  ])('are seen to break their rows: %s with %s', (file, text, why) =>
    expect(breaches(importsOf(join(project, file), text)).join()).toContain(why),
  );
});

describe('the files', () => {
  it('import each other in no circle, not even for a type', () => expect(circlesIn(all)).toEqual([]));

  it('are seen to import each other in a circle', () => {
    const imports = [
      ['domain/lead.ts', "import type { Order } from './order';"],
      ['domain/order.ts', "import { endpoints } from '../contract';"],
      ['contract/index.ts', "export { states } from '../domain/lead';\nimport { text } from '../domain/formats';"],
      ['domain/formats.ts', "import { log } from '../lib/log';"],
      ['api/app.ts', "import { states } from '../domain/lead';"],
    ].flatMap(([file = '', text = '']) => importsOf(join(project, 'src', file), text));
    expect(circlesIn(imports)).toEqual(['src/contract', 'src/domain/lead', 'src/domain/order']);
  });
});

/** The bad lines below name these in two pieces, so that this file breaks no rule. */
const scope = '@temporalio';
const inside = '__TEMPORAL_';
const keywords = ['as', 'await', 'from', 'import', 'require', 'type'];

/** The names under which a file knows what it imports from the SDK. */
const namesFromSdk = (text: string): string[] =>
  [...text.matchAll(new RegExp(String.raw`\b(?:import|const)\s([^;'"]*)['"]${scope}/`, 'g'))]
    .flatMap(([, clause = '']) => clause.match(/[\w$]+/g) ?? [])
    .filter((name) => !keywords.includes(name));

/** A rule of text is enough: the code is formatted. */
function sdkBreachesOf(text: string): string[] {
  const names = namesFromSdk(text).map((name) => name.replaceAll('$', String.raw`\$`));
  const theirs = names.length > 0 ? String.raw`(?<![\w$.]|: )(?:${names.join('|')})\b` : '(?!)';
  const rules = [
    ['uses what no package exports', String.raw`${scope}/[\w-]+/|${inside}[A-Z_]`],
    ['changes what is theirs', String.raw`\bObject\.(?:assign|define\w+|setPrototypeOf)\(\s*${theirs}`],
    ['changes what is theirs', String.raw`${theirs}(?:\.[\w$]+|\[[^\]]+\])+ (?:[-+*/]|\?\?|\|\||&&)?=\s`],
    // Errors are made to be extended.
    ['extends what is theirs', String.raw`\bclass(?: [\w$]+)?(?:<[^{]*?>)? extends (?![\w$.]*(?:Error|Failure)\b)${theirs}`],
  ] as const;
  return [...new Set(rules.filter(([, rule]) => new RegExp(rule).test(text)).map(([why]) => why))];
}

describe('of the Temporal SDK', () => {
  const sources = ['src', 'tools', 'test', 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !/\b(?:node_modules|dist)\b/.test(name))
      .map((name) => join(folder, name)),
  );
  const textOf = (file: string) => readFileSync(join(project, file), 'utf8');

  it('only the public API is used', () => {
    expect(sources.filter((file) => namesFromSdk(textOf(file)).length > 0).length).toBeGreaterThan(50);
    expect(sources.flatMap((file) => sdkBreachesOf(textOf(file)).map((breach) => `${file} ${breach}`))).toEqual([]);
  });

  it.each([
    [`import { msToTs } from '${scope}/common/lib/time';`, 'uses what no package exports'],
    [`import type {\n  Workflow,\n} from '${scope}/worker/lib/workflow/interface';`, 'uses what no package exports'],
    [`export * from '${scope}/common/lib/time';`, 'uses what no package exports'],
    [`const { msToTs } = require("${scope}/common/lib/time");`, 'uses what no package exports'],
    [`const time = await import('${scope}/common/lib/time.js');`, 'uses what no package exports'],
    [`type Time = typeof import('${scope}/common/lib/time');`, 'uses what no package exports'],
    [`const { info } = globalThis.${inside}ACTIVATOR__;`, 'uses what no package exports'],
    [`import { Runtime, Worker as W } from '${scope}/worker';\nObject.assign(W, { create });`, 'changes what is theirs'],
    [`import * as sdk from '${scope}/worker';\nObject.assign(sdk.Worker.prototype, { run });`, 'changes what is theirs'],
    [`import { Worker } from '${scope}/worker';\nObject.defineProperty(\n  Worker, 'create', {});`, 'changes what is theirs'],
    [`import { Worker } from '${scope}/worker';\nWorker.prototype.run = async () => undefined;`, 'changes what is theirs'],
    [`const { Worker } = require('${scope}/worker');\nWorker['create'] ??= create;`, 'changes what is theirs'],
    [`import { Worker } from '${scope}/worker';\nexport class Ours extends Worker {}`, 'extends what is theirs'],
    [`import * as sdk from '${scope}/worker';\nconst ours = class<T> extends sdk.Worker {};`, 'extends what is theirs'],
  ])('%j is seen to be not for us', (text, why) => expect(sdkBreachesOf(text)).toEqual([why]));

  it.each([
    `import { Worker, type WorkerOptions } from '${scope}/worker';\nconst options: WorkerOptions = { ...given };\nif (Worker.name === name) run();`,
    `import type { temporal } from '${scope}/proto';\nconst event: temporal.api.history.v1.IHistoryEvent = {};`,
    `import { ApplicationFailure } from '${scope}/common';\nclass Ours extends ApplicationFailure {}`,
    `import type { Client } from '${scope}/client';\ninterface Ours extends Client {}\nObject.assign(ours, { client });`,
  ])('%j is seen to be for us', (text) => expect(sdkBreachesOf(text)).toEqual([]));
});

it('every file that ARCHITECTURE.md names is there', () => {
  const named = [...architecture.matchAll(/`([\w-]+\/[\w/.-]+\.\w+)`/g)].map(([, path = '']) => path);
  const isThere = (path: string) => ['.', ...roots].some((root) => existsSync(join(project, root, path)));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});
