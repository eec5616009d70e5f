/**
 * Writes and verifies the manifest of a copy: its time and build, and the size and digest of each file. It is written last, so a copy
 * without a manifest is unfinished. It is sealed with the key ring, because a changed time or a missing file could make a restored lead go
 * out twice.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../config/config';
import type { KeyRing } from '../keys/ring';
import { ignoreFileNotFound } from '../lib/disk';
import { codeOf } from '../lib/errors';
import { fileDigest } from '../lib/file-digest';

const manifestName = 'manifest.json';

/** The only paths in a copy; none points outside of it. */
const path = z.string().regex(/^(engine\.db(-wal)?|data-version|audit\/(evidence\/)?\w[\w.-]*)$/);
const file = z.object({ path, bytes: z.int(), sha256: z.string() });

const shape = z.object({
  format: z.literal(1),
  /** No run of the copy started after this moment, by the engine's clock. */
  copiedAt: z.iso.datetime(),
  build: z.string(),
  /** The fingerprints of the encryption keys, which are not in the copy. */
  keys: z.array(z.string()),
  files: z.array(file),
  seal: z.string(),
});

export type Manifest = z.infer<typeof shape>;
type CopiedFile = z.infer<typeof file>;

export const describeFile = async (dir: string, path: string): Promise<CopiedFile> => ({ path, ...(await fileDigest(join(dir, path))) });

type Unsealed = Omit<Manifest, 'seal'>;

function sealOf({ format, copiedAt, build, keys, files }: Unsealed, ring: KeyRing): string {
  const listed = files.map(({ path: name, bytes, sha256 }) => [name, bytes, sha256]);
  return ring.hash('manifest of a copy', JSON.stringify([format, copiedAt, build, keys, listed]));
}

export async function writeManifest(dir: string, unsealed: Unsealed, ring: KeyRing): Promise<Manifest> {
  const stranger = unsealed.files.find((one) => !file.safeParse(one).success);
  if (stranger) throw new ConfigError(`${stranger.path} is not a file of Leadgate, so it cannot be copied: move it away and copy again`);
  const manifest = { ...unsealed, seal: sealOf(unsealed, ring) };
  await writeFile(join(dir, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return manifest;
}

export function assertSealed(manifest: Manifest, ring: KeyRing): void {
  if (manifest.seal !== sealOf(manifest, ring))
    throw new ConfigError('The manifest was changed after it was written; nothing was restored');
}

async function readManifest(dir: string): Promise<Manifest | undefined> {
  try {
    return shape.parse(JSON.parse(await readFile(join(dir, manifestName), 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw new ConfigError(`${join(dir, manifestName)} cannot be read, so the copy is not complete`);
  }
}

/** Checks every file of the copy against its manifest. */
export async function verifiedManifest(dir: string): Promise<Manifest> {
  const manifest = await readManifest(dir);
  if (!manifest) {
    const newest = await newestCopy(dir);
    throw new ConfigError(
      newest
        ? `${dir} holds several copies; name one of them, such as ${join(dir, newest.name)}`
        : `${dir} holds no copy: it has no manifest`,
    );
  }
  for (const { path, bytes, sha256 } of manifest.files) {
    const found = await describeFile(dir, path).catch(() => undefined);
    if (found?.bytes !== bytes || found.sha256 !== sha256)
      throw new ConfigError(`${join(dir, path)} is ${found ? 'not as it was copied' : 'missing'}; nothing was restored`);
  }
  return manifest;
}

export interface KeptCopy {
  readonly name: string;
  readonly copiedAt: number;
}

/** Returns the complete copies in a directory, oldest first. */
export async function copiesIn(dir: string): Promise<KeptCopy[]> {
  const names = (await readdir(dir).catch(ignoreFileNotFound)) ?? [];
  const found = names.map(async (name) => {
    const manifest = await readManifest(join(dir, name)).catch(() => undefined);
    return manifest ? [{ name, copiedAt: Date.parse(manifest.copiedAt) }] : [];
  });
  return (await Promise.all(found)).flat().toSorted((one, other) => one.copiedAt - other.copiedAt);
}

export const newestCopy = async (dir: string): Promise<KeptCopy | undefined> => (await copiesIn(dir)).at(-1);
