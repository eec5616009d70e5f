/**
 * Verifies a copy with nothing but its own files: the signature, the digest of each file, and the chain over the entries. Names the first
 * entry that was changed, cut, added or moved.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ignoreFileNotFound } from '../../src/lib/disk';
import { fileDigest } from '../../src/lib/file-digest';
import { linesIn } from './lines';
import { fileNames, firstLink, linkOf, manifestShape, type Manifest } from './manifest';
import { publicKeyOf } from './signer';

export interface CopyReport {
  /** Absent if it cannot be read. */
  readonly manifest?: Manifest;
  /** Of the key in the copy. */
  readonly fingerprint?: string;
  readonly problems: readonly string[];
  /** Remarks that are no problem of the copy. */
  readonly notes: readonly string[];
}

/** `expected` is the fingerprint of the key that must have signed the copy. */
export async function verifyCopy(dir: string, expected?: string): Promise<CopyReport> {
  const names = await readdir(dir);
  const bytes = await readIfThere(dir, fileNames.manifest);
  if (!bytes) return { problems: [`${fileNames.manifest} is missing, so nothing in this directory can be verified`], notes: [] };
  const signed = await checkSignature(dir, bytes, expected);
  const manifest = parseManifest(bytes);
  if (!manifest)
    return { fingerprint: signed.fingerprint, problems: [...signed.problems, `${fileNames.manifest} cannot be read`], notes: [] };
  const files = await checkFiles(dir, manifest);
  const entries = names.includes(fileNames.entries) ? await checkEntries(dir, manifest, files) : { problems: [], notes: [] };
  const known = new Set<string>([...manifest.files.map(({ name }) => name), fileNames.manifest, fileNames.signature, fileNames.publicKey]);
  const strangers = names.filter((name) => !known.has(name)).map((name) => `${name} does not belong to the copy`);
  return {
    manifest,
    fingerprint: signed.fingerprint,
    problems: [...signed.problems, ...files.map(({ problem }) => problem), ...entries.problems],
    notes: [...entries.notes, ...strangers],
  };
}

const readIfThere = (dir: string, name: string): Promise<Buffer | undefined> => readFile(join(dir, name)).catch(ignoreFileNotFound);

function parseManifest(bytes: Buffer): Manifest | undefined {
  try {
    return manifestShape.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}

interface SignatureCheck {
  readonly fingerprint?: string;
  readonly problems: readonly string[];
}

async function checkSignature(dir: string, manifest: Buffer, expected: string | undefined): Promise<SignatureCheck> {
  const [pem, signature] = await Promise.all([readIfThere(dir, fileNames.publicKey), readIfThere(dir, fileNames.signature)]);
  const key = pem && publicKeyOf(pem.toString());
  if (!key) return { problems: [`${fileNames.publicKey} ${pem ? 'is no Ed25519 key' : 'is missing'}, so the signature cannot be checked`] };
  const { fingerprint } = key;
  const isExpected = expected === undefined || fingerprint === expected;
  const other = isExpected ? [] : [`the copy is signed with another key: ${fingerprint}`];
  if (!signature) return { fingerprint, problems: [...other, `${fileNames.signature} is missing`] };
  const isSigned = key.isSigned(manifest, signature);
  const forged = isSigned ? [] : [`${fileNames.manifest} was changed: the signature does not fit`];
  return { fingerprint, problems: [...other, ...forged] };
}

interface WrongFile {
  readonly name: string;
  readonly problem: string;
}

async function checkFiles(dir: string, { files }: Manifest): Promise<WrongFile[]> {
  const wrong: WrongFile[] = [];
  for (const { name, sha256 } of files) {
    const found = await fileDigest(join(dir, name)).catch(ignoreFileNotFound);
    if (found?.sha256 !== sha256) wrong.push({ name, problem: `${name} ${found === undefined ? 'is missing' : 'was changed'}` });
  }
  return wrong;
}

interface EntriesCheck {
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

async function checkEntries(dir: string, manifest: Manifest, wrong: readonly WrongFile[]): Promise<EntriesCheck> {
  if (wrong.some(({ name }) => name === fileNames.chain))
    return { problems: [`${fileNames.chain} is not the one that was signed, so no entry can be named`], notes: [] };
  const links = readLinks(await readFile(join(dir, fileNames.chain)));
  const difference = await firstDifference(join(dir, fileNames.entries), links);
  if (difference) return { problems: [difference], notes: [] };
  const isWhole = manifest.what === 'audit trail' && manifest.leadId === undefined;
  return { problems: [], notes: isWhole ? await gapsOf(join(dir, fileNames.entries)) : [] };
}

interface Links {
  readonly length: number;
  /** The link of the entry at this index; that before the first entry is empty. */
  at(index: number): string;
}

const linkLength = 64;

/** All lines have the same length, so the links of a long trail need no more memory than their file. */
const readLinks = (file: Buffer): Links => ({
  length: Math.floor(file.length / (linkLength + 1)),
  at: (index) => (index < 0 ? firstLink : file.toString('latin1', index * (linkLength + 1), index * (linkLength + 1) + linkLength)),
});

/** Compares the lines with the chain, and describes the first difference. */
async function firstDifference(path: string, links: Links): Promise<string | undefined> {
  let at = 0;
  let before = firstLink;
  for await (const line of linesIn(path)) {
    if (at === links.length) return `line ${at + 1} was added: the copy has ${counted(links.length)}`;
    const link = linkOf(before, line);
    if (link !== links.at(at)) return describe(path, links, at, line);
    before = link;
    at += 1;
  }
  if (at < links.length) return `${numbered(at + 1, links.length)} cut off at the end`;
  return undefined;
}

/** The line at this place is not the entry that belongs there: finds out where each of the two is. */
async function describe(path: string, links: Links, at: number, line: Buffer): Promise<string> {
  const isEntry = (text: Buffer, place: number) => linkOf(links.at(place - 1), text) === links.at(place);
  const found = entryFrom(at + 1, links.length, (place) => isEntry(line, place));
  const standsAt = await placeOf(path, (text) => isEntry(text, at));
  if (found === undefined && standsAt === undefined) return `entry ${at + 1} was changed`;
  if (standsAt === undefined) return `${numbered(at + 1, found ?? at + 1)} cut out`;
  if (found === undefined) return `line ${at + 1} was added: entry ${at + 1} stands on line ${standsAt + 1}`;
  return found === at + 1
    ? `entry ${at + 1} was moved: it stands on line ${standsAt + 1}`
    : `entry ${found + 1} was moved: it stands on line ${at + 1}`;
}

function entryFrom(first: number, end: number, isIt: (place: number) => boolean): number | undefined {
  for (let place = first; place < end; place += 1) if (isIt(place)) return place;
  return undefined;
}

async function placeOf(path: string, isIt: (line: Buffer) => boolean): Promise<number | undefined> {
  let at = 0;
  for await (const line of linesIn(path)) {
    if (isIt(line)) return at;
    at += 1;
  }
  return undefined;
}

const numbered = (first: number, last: number): string => (first === last ? `entry ${first} was` : `entries ${first} to ${last} were`);

const counted = (entries: number): string => (entries === 1 ? '1 entry' : `${entries} entries`);

const trailLine = z.object({ file: z.string(), seq: z.int(), prev: z.string(), hash: z.string() });

/** A line of the trail names the hash of the line before it, so a line that the service left out shows. */
async function gapsOf(path: string): Promise<string[]> {
  const notes: string[] = [];
  const last = new Map<string, { readonly seq: number; readonly hash: string }>();
  for await (const line of linesIn(path)) {
    const { data: entry } = trailLine.safeParse(JSON.parse(line.toString()));
    if (!entry) continue;
    const { file, seq, prev, hash } = entry;
    const before = last.get(file);
    if (before && prev !== before.hash)
      notes.push(`what stands between lines ${before.seq + 1} and ${seq + 1} of the trail's file ${file} is not in the copy`);
    last.set(file, { seq, hash });
  }
  return notes;
}
