/**
 * `npm run changelog`: prints what is new since the last release, from the commits' subjects. `-- 1.1.0` makes that the section of version
 * 1.1.0 in CHANGELOG.md and sets the version everywhere; commit the result as `chore(release): 1.1.0`. `-- --check` checks the file: its
 * form (keepachangelog.com), the versions, and that each section has a line for each change between its release and the one before, and no
 * other line. The first section was written by hand.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';

const file = 'CHANGELOG.md';
const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
const kindOfType = { feat: 'Added', perf: 'Changed', revert: 'Changed', fix: 'Fixed' };

/** Where else the version stands, as text around it. */
const copies = [
  ['package.json', /^( {2}"version": ")[^"]+/gm],
  ['package-lock.json', /^( {2}"version": ")[^"]+/gm],
  ['package-lock.json', /^( {6}"name": "leadgate",\n {6}"version": ")[^"]+/gm],
  ['tools/client/package.json', /^( {2}"version": ")[^"]+/gm],
  ['tools/n8n-nodes-leadgate/package.json', /^( {2}"version": ")[^"]+/gm],
  ['tools/client/README.md', /(leadgate-client-)\d\S*(?=\.tgz)/g],
  ['docker-compose.yml', /^( +image: leadgate:)\S+/gm],
  ['deploy/helm/leadgate/Chart.yaml', /^((?:appV|v)ersion: )\S+/gm],
].filter(([path]) => existsSync(path));

const read = (path) => readFileSync(path, 'utf8');
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26 }).trim();

/** False in an archive of the sources, and in a clone without all commits. */
function hasHistory() {
  try {
    return (
      realpathSync(git('rev-parse', '--show-toplevel')) === realpathSync('.') && git('rev-parse', '--is-shallow-repository') === 'false'
    );
  } catch {
    return false;
  }
}

const subjects = (range) => git('log', '--no-merges', '--format=%s', range).split('\n').filter(Boolean);

/** The newest commit that released the version. */
const releaseOf = (version) => {
  const pattern = `^chore(release): ${version.replaceAll('.', String.raw`\.`)}$`;
  return git('log', '-1', '--format=%H', '--grep', pattern);
};

/** Lists the changes that a user notices as [kind, line], each once. */
function changesIn(range) {
  const found = subjects(range).flatMap((subject) => {
    const [, type, scope, breaking, text] = /^(\w+)(?:\(([a-z0-9-]+)\))?(!?): (.+)$/.exec(subject) ?? [];
    const kind = breaking ? 'Changed' : scope === 'security' && type === 'fix' ? 'Security' : kindOfType[type];
    return kind ? [[kind, `- ${breaking ? '**Breaking.** ' : ''}${scope ? `${scope}: ` : ''}${text}`]] : [];
  });
  return [...new Map(found.map((change) => [change.join(), change])).values()];
}

const linesOf = (changes, kind) => changes.flatMap(([of, line]) => (of === kind ? [line] : []));

function bodyOf(changes) {
  const parts = kinds
    .filter((kind) => linesOf(changes, kind).length > 0)
    .map((kind) => `### ${kind}\n\n${linesOf(changes, kind).join('\n')}\n`);
  return parts.length > 0 ? parts.join('\n') : 'Nothing that a user notices.\n';
}

/** Splits the file into its head and its sections, newest first. */
function parsed(text) {
  const [head, ...rest] = text.split(/^(?=## )/m);
  const sections = rest.map((section) => {
    const [heading, ...body] = section.split('\n');
    const [, version, date] = /^## \[(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\] - (\d{4}-\d\d-\d\d)$/.exec(heading) ?? [];
    return { heading, version, date, body: body.join('\n').trim() };
  });
  return { head, sections };
}

/** `new Date` takes 30 February for 2 March. */
const isDate = (date) => (new Date(date).toJSON() ?? '').startsWith(date);

/** The changes of a section, as [kind, line]. */
function changesOf({ body }) {
  const parts = body.split(/^### /m).slice(1);
  return parts.flatMap((part) => {
    const [kind, ...lines] = part.split('\n');
    return lines.filter((line) => line.startsWith('- ')).map((line) => [kind, line]);
  });
}

function formProblems({ heading, version, date, body }) {
  if (!version || !isDate(date)) return [`"${heading}" is not like "## [1.0.0] - 2026-11-28"`];
  const parts = body.split(/^### /m).slice(1);
  const named = parts.map((part) => part.split('\n')[0]);
  return [
    ...(body === '' ? [`${version}: it says nothing`] : []),
    ...named.filter((kind) => !kinds.includes(kind)).map((kind) => `${version}: "${kind}" is none of ${kinds.join(', ')}`),
    ...named.filter((kind, at) => named.indexOf(kind) !== at).map((kind) => `${version}: "${kind}" comes twice`),
    ...parts.filter((part) => !/^- /m.test(part)).map((part) => `${version}: "${part.split('\n')[0]}" has no line`),
  ];
}

function orderProblems(sections) {
  const versions = sections.map(({ version }) => version);
  const dates = sections.map(({ date }) => date);
  return [
    ...(versions.length === 0 ? ['it has no version'] : []),
    ...versions.filter((version, at) => versions.indexOf(version) !== at).map((version) => `${version} comes twice`),
    ...(dates.some((date, at) => at > 0 && date > dates[at - 1]) ? ['the newest version must come first'] : []),
  ];
}

const versionProblems = (version) =>
  copies.flatMap(([path, pattern]) => {
    const found = [...read(path).matchAll(pattern)].map(([whole, before]) => whole.slice(before.length));
    if (found.length > 0 && found.every((one) => one === version)) return [];
    return [`${path} has the version ${[...new Set(found)].join(', ') || 'nowhere'}, and the newest of ${file} is ${version}`];
  });

/** Compares a section with the commits after the release before. The commit of the newest release may still be missing. */
function historyProblems(section, before, isNewest) {
  const from = releaseOf(before.version);
  const to = releaseOf(section.version) || (isNewest ? 'HEAD' : undefined);
  const missing = [from ? undefined : before.version, to ? undefined : section.version].filter(Boolean);
  if (missing.length > 0) return missing.map((version) => `no commit is "chore(release): ${version}"`);
  const [told, made] = [changesOf(section), changesIn(`${from}..${to}`)].map((changes) =>
    changes.map(([kind, line]) => `${kind}: ${line}`),
  );
  return [
    ...made.filter((line) => !told.includes(line)).map((line) => `${section.version} lacks ${line}`),
    ...told.filter((line) => !made.includes(line)).map((line) => `${section.version} has what no commit says: ${line}`),
  ];
}

function check() {
  const { head, sections } = parsed(read(file));
  const isCompared = hasHistory();
  const form = [...(head.startsWith('# Changelog\n') ? [] : ['it does not begin with "# Changelog"']), ...sections.flatMap(formProblems)];
  const problems =
    form.length > 0
      ? form
      : [
          ...orderProblems(sections),
          ...versionProblems(sections[0]?.version),
          ...(isCompared ? sections.slice(0, -1).flatMap((section, at) => historyProblems(section, sections[at + 1], at === 0)) : []),
        ];
  for (const problem of problems) console.error(`${file}: ${problem}`);
  if (problems.length === 0) console.log(`${file} fits${isCompared ? '' : ', but there are no commits here to compare it with'}`);
  return problems.length === 0;
}

/** The changes since the newest release. */
function unreleased({ sections: [newest] }) {
  if (!hasHistory()) throw new Error('This needs a clone with all commits');
  const from = newest && releaseOf(newest.version);
  if (!from) throw new Error(`No commit is "chore(release): ${newest?.version}" yet`);
  return bodyOf(changesIn(`${from}..HEAD`));
}

function release(version) {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) throw new Error(`${version} is no version like 1.1.0 or 1.1.0-rc.1`);
  const { head, sections } = parsed(read(file));
  if (sections.some((section) => section.version === version)) throw new Error(`${version} was released`);
  const rest = read(file).slice(head.length);
  const section = `## [${version}] - ${new Date().toISOString().slice(0, 10)}\n\n${unreleased({ sections })}\n`;
  writeFileSync(file, `${head}${section}${rest}`);
  for (const [path, pattern] of copies) writeFileSync(path, read(path).replace(pattern, `$1${version}`));
  console.log(`${section}Now: npm run reference, then commit all as "chore(release): ${version}".`);
}

const [given] = process.argv.slice(2);
try {
  if (!existsSync(file)) throw new Error('This runs where package.json is');
  if (given === '--check') process.exitCode = check() ? 0 : 1;
  else if (given === undefined) console.log(unreleased(parsed(read(file))));
  else release(given);
} catch (error) {
  console.error(`changelog: ${error.message}`);
  process.exitCode = 1;
}
