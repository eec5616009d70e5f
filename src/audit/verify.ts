/** Verifies the audit trail, and describes every line, file or piece of evidence that was changed. */
import type { KeyRing } from '../keys/ring';
import { inGroups } from '../lib/in-groups';
import { checkPiece, type PieceState } from './evidence';
import { filesAtOnce, isIntact, parseEntry, readTrailFiles, type Entry, type Head, type TrailFile } from './lines';

export interface TrailReport {
  readonly files: number;
  readonly entries: number;
  readonly problems: readonly string[];
  /** Remarks that are no problem. */
  readonly notes: readonly string[];
  /** The last line of each file, to be compared with copies and collected logs. */
  readonly heads: readonly Head[];
}

interface CheckedFile {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly problems: readonly string[];
}

function problemOf(line: string, at: number, before: Entry | undefined, keys: KeyRing): string | undefined {
  const entry = parseEntry(line);
  if (!entry) return `line ${at} cannot be read`;
  if (!isIntact(line, keys)) return `line ${at} was changed`;
  const expected = before ? before.seq + 1 : at - 1;
  if (entry.seq > expected) return `${counted(entry.seq - expected, 'line')} missing before line ${at}`;
  if (entry.seq < expected) return `line ${at} is in the wrong place`;
  if (before && entry.prev !== before.hash) return `line ${at} does not follow line ${at - 1}`;
  return undefined;
}

const counted = (count: number, what: string) => (count === 1 ? `1 ${what} is` : `${count} ${what}s are`);

function checkFile({ name, lines }: TrailFile, keys: KeyRing): CheckedFile {
  const entries: Entry[] = [];
  const problems: string[] = [];
  let before: Entry | undefined;
  for (const [index, line] of lines.entries()) {
    const problem = problemOf(line, index + 1, before, keys);
    if (problem) problems.push(`${name}: ${problem}`);
    const entry = parseEntry(line);
    // Ignore the content of a changed line, but keep its position.
    if (entry && isIntact(line, keys)) entries.push(entry);
    before = entry ?? before;
  }
  const [first] = entries;
  if (first?.seq === 0 && first.file !== name) problems.push(`${name}: was ${first.file ?? 'another file'} when it was written`);
  return { name, entries, problems };
}

/** Checks the last line of another file that this file has recorded. */
function problemOfHead(claim: Head, by: string, files: ReadonlyMap<string, CheckedFile>, removed: ReadonlySet<string>): string | undefined {
  const file = files.get(claim.file);
  if (!file) return removed.has(claim.file) ? undefined : `${claim.file}: the file is missing; ${by} names ${claim.seq + 1} lines of it`;
  const last = file.entries.at(-1)?.seq ?? -1;
  if (last < claim.seq) return `${claim.file}: was truncated; it ends with line ${last + 1}, but ${by} names line ${claim.seq + 1}`;
  const there = file.entries.find(({ seq }) => seq === claim.seq);
  return there && there.hash !== claim.hash
    ? `${claim.file}: was rewritten; line ${claim.seq + 1} is not the one that ${by} names`
    : undefined;
}

/** Describes the problem of a piece of evidence; undefined if there is none, or if an erasure has removed the piece. */
const evidenceProblem = (state: PieceState, isErased: boolean): string | undefined => {
  if (isErased) return state === 'missing' ? undefined : 'is there, but was erased';
  return state === 'whole' ? undefined : state === 'changed' ? 'was changed' : 'is missing';
};

async function problemsOfEvidence(dir: string, { name, entries }: CheckedFile, erased: ReadonlySet<string>): Promise<string[]> {
  const problems = await inGroups(entries, filesAtOnce, async ({ evidence, seq }) => {
    const problem = evidence && evidenceProblem(await checkPiece(dir, evidence), erased.has(evidence));
    return problem ? [`${name}: the evidence of line ${seq + 1} ${problem}`] : [];
  });
  return problems.flat();
}

export async function verifyTrail(dir: string, keys: KeyRing): Promise<TrailReport> {
  const found = await readTrailFiles(dir);
  const files = new Map(found.map((file) => [file.name, checkFile(file, keys)]));
  const all = [...files.values()];
  const removed = new Set(all.flatMap(({ entries }) => entries.flatMap((entry) => (entry.removed ?? []).map(({ file }) => file))));
  const claims = all.flatMap(({ name, entries }) =>
    entries.flatMap(({ heads = [] }) => heads.flatMap((head) => problemOfHead(head, name, files, removed) ?? [])),
  );
  const erased = new Set(all.flatMap(({ entries }) => entries.flatMap(({ evidenceErased = [] }) => evidenceErased)));
  const evidence: string[] = [];
  for (const file of all) evidence.push(...(await problemsOfEvidence(dir, file, erased)));
  return {
    files: all.length,
    entries: all.reduce((sum, { entries }) => sum + entries.length, 0),
    heads: all.flatMap(({ name: file, entries }) => entries.slice(-1).map(({ seq, hash }) => ({ file, seq, hash }))),
    problems: [...all.flatMap(({ problems }) => problems), ...new Set(claims), ...evidence],
    notes: found.filter(({ torn }) => torn).map(({ name }) => `${name}: the last line is incomplete; its action was not answered`),
  };
}
