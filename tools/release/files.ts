/** Names the files of a release, and reads and writes their list of digests in the format of `sha256sum`. */
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

export const fileNames = {
  sums: 'SHA256SUMS',
  signature: 'SHA256SUMS.sig',
  publicKey: 'public-key.pem',
  provenance: 'provenance.json',
  /** The provenance in a signed envelope. */
  envelope: 'provenance.intoto.jsonl',
  image: 'image',
  packagesBom: 'sbom/npm.cdx.json',
  engineBom: 'sbom/temporal.cdx.json',
  imageBom: 'sbom/image-base.cdx.json',
} as const;

export const tarballName = (version: string): string => `leadgate-${version}.tar.gz`;

/** The list cannot have the digests of these. */
const unlisted: readonly string[] = [fileNames.sums, fileNames.signature, fileNames.publicKey];

/** The files that the list must have: every one below the directory, in the order of their names. */
export async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .filter((name) => !unlisted.includes(name))
    .toSorted();
}

export type Digests = ReadonlyMap<string, string>;

export const writeSums = (digests: Digests): string => [...digests].map(([name, sha256]) => `${sha256}  ${name}\n`).join('');

/** Undefined if a line is no digest with a name, or if a name comes twice. */
export function readSums(text: string): Digests | undefined {
  const lines = text.split('\n').slice(0, -1);
  const read = lines.flatMap((line) => [...(/^([0-9a-f]{64}) {2}(.+)$/g.exec(line)?.slice(1) ?? [])]);
  const digests = new Map(lines.map((_, at) => [read[2 * at + 1] ?? '', read[2 * at] ?? '']));
  const isWhole = text.endsWith('\n') && read.length === 2 * lines.length && digests.size === lines.length;
  return isWhole ? digests : undefined;
}
