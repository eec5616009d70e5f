/**
 * Stores the evidence of entries: the reason of an action, and the values that it changed. Each piece is a file of its own, encrypted, and
 * named by the digest of its bytes. Its entry has the digest, so the chain seals the piece, and an erasure can remove it without a change of
 * the chain. The keyed hashes of the persons stand beside the encrypted part, so that an erasure finds a piece
 * without its encryption key.
 */
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { About, Evidence } from '../domain/evidence';
import type { ErasedPerson } from '../domain/erase';
import type { Requester } from '../domain/requester';
import type { KeyRing } from '../keys/ring';
import { decrypt, encrypt } from '../lib/aes-gcm';
import { closing, ignoreFileNotFound, syncDirectory } from '../lib/disk';
import { inGroups } from '../lib/in-groups';
import { filesAtOnce, makeDir } from './lines';
import { bySystem, type Trail } from './trail';

const hashes = z.array(z.string()).readonly();

const pieceShape = z.object({
  at: z.iso.datetime(),
  /** The id and the fingerprints of the key, as they are stored with a run. */
  key: z.string(),
  about: z.object({ emails: hashes, phones: hashes, patients: hashes, sites: hashes, leadIds: hashes }),
  sealed: z.base64(),
});
type Piece = z.infer<typeof pieceShape>;

/** The person of an erasure. With `sites`, only a piece about one of these sites matches the person. */
export interface ErasedEvidence extends ErasedPerson {
  /** The leads that were erased. A piece about one of them always matches. */
  readonly leadIds: readonly string[];
  /** The time of the erasure. A later piece matches only by its lead. */
  readonly until: string;
}

export interface EvidenceStore {
  /** Resolves to the digest once the piece is on disk. */
  keep(evidence: Evidence, about: About): Promise<string>;
  /** Undefined if there is no such piece. */
  read(digest: string): Promise<Evidence | { readonly unreadable: string } | undefined>;
  isEmpty(): Promise<boolean>;
  /** Returns the digests of the pieces about this person. */
  find(person: ErasedEvidence): Promise<string[]>;
  remove(digests: readonly string[]): Promise<void>;
}

const digestForm = /^[0-9a-f]{64}$/;

const digestOf = (bytes: string): string => createHash('sha256').update(bytes).digest('hex');

const evidenceDir = (dir: string): string => join(dir, 'evidence');

/** Returns the digests of the stored pieces. */
async function listEvidence(dir: string): Promise<string[]> {
  const names = (await readdir(evidenceDir(dir)).catch(ignoreFileNotFound)) ?? [];
  return names.filter((name) => digestForm.test(name));
}

/** Reads the bytes of a piece. Undefined if there is no such piece. */
async function bytesOf(dir: string, digest: string): Promise<string | undefined> {
  return digestForm.test(digest) ? readFile(join(evidenceDir(dir), digest), 'utf8').catch(ignoreFileNotFound) : undefined;
}

export type PieceState = 'whole' | 'changed' | 'missing';

/** Checks a piece against its digest. */
export async function checkPiece(dir: string, digest: string): Promise<PieceState> {
  const bytes = await bytesOf(dir, digest);
  if (bytes === undefined) return 'missing';
  return digestOf(bytes) === digest ? 'whole' : 'changed';
}

function parsePiece(bytes: string): Piece | undefined {
  try {
    return pieceShape.safeParse(JSON.parse(bytes)).data;
  } catch {
    return undefined;
  }
}

/** Returns the digests of the pieces for which `isWanted` is true. It skips a file that is no piece. */
export async function findPieces(dir: string, isWanted: (piece: Piece) => boolean): Promise<string[]> {
  const found = await inGroups(await listEvidence(dir), filesAtOnce, async (digest) => {
    const bytes = await bytesOf(dir, digest);
    const piece = bytes === undefined ? undefined : parsePiece(bytes);
    return piece && isWanted(piece) ? [digest] : [];
  });
  return found.flat();
}

/** Counts the pieces of each key. Its name here is the text that a run of the key stores. */
export async function countByKey(dir: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  await findPieces(dir, ({ key }) => Boolean(counts.set(key, (counts.get(key) ?? 0) + 1)));
  return counts;
}

export async function removePieces(dir: string, digests: readonly string[]): Promise<void> {
  if (digests.length === 0) return;
  for (const digest of digests) await rm(join(evidenceDir(dir), digest), { force: true });
  await syncDirectory(evidenceDir(dir));
}

const keyIdOf = ({ key }: Piece): string => key.split(':')[0] ?? '';

function opened(bytes: string, digest: string, { byId }: KeyRing): Evidence | { readonly unreadable: string } {
  const piece = digestOf(bytes) === digest ? parsePiece(bytes) : undefined;
  if (!piece) return { unreadable: 'Its file was changed' };
  const id = keyIdOf(piece);
  const key = byId.get(id);
  if (!key) return { unreadable: `It needs the encryption key "${id}", which is not in LEADGATE_KEYS` };
  const plain = decrypt(Buffer.from(piece.sealed, 'base64'), { id, key });
  if (!plain) return { unreadable: `It was encrypted with another key "${id}" than that of LEADGATE_KEYS` };
  return JSON.parse(plain.toString()) as Evidence;
}

const isOfPerson = ({ at, about: has }: Piece, person: ErasedEvidence): boolean => {
  const meets = (ours: readonly string[], theirs: readonly string[]) => ours.some((one) => theirs.includes(one));
  if (meets(has.leadIds, person.leadIds)) return true;
  const isNamed = meets(has.emails, person.emails) || meets(has.phones, person.phones) || meets(has.patients, person.patients);
  return isNamed && at <= person.until && (!person.sites || meets(has.sites, person.sites));
};

export function createEvidenceStore(dir: string, keys: KeyRing): EvidenceStore {
  return {
    async keep(evidence, person) {
      const piece: Piece = {
        at: new Date().toISOString(),
        key: keys.fingerprints.get(keys.current.id) ?? keys.current.id,
        about: person,
        sealed: encrypt(Buffer.from(JSON.stringify(evidence)), keys.current).toString('base64'),
      };
      const bytes = JSON.stringify(piece);
      const digest = digestOf(bytes);
      await makeDir(evidenceDir(dir));
      try {
        const file = await open(join(evidenceDir(dir), digest), 'wx', 0o600);
        await closing(file, async () => {
          await file.writeFile(bytes);
          await file.datasync();
        });
        for (const each of [evidenceDir(dir), dir]) await syncDirectory(each);
        return digest;
      } catch (error) {
        await removePieces(dir, [digest]).catch(() => undefined);
        throw error;
      }
    },

    async read(digest) {
      const bytes = await bytesOf(dir, digest);
      return bytes === undefined ? undefined : opened(bytes, digest, keys);
    },

    isEmpty: async () => (await listEvidence(dir)).length === 0,
    find: (person) => findPieces(dir, (piece) => isOfPerson(piece, person)),
    remove: (digests) => removePieces(dir, digests),
  };
}

/** Removes pieces. It writes an entry that names them first: if the process dies midway, verification does not report them as missing. */
export async function eraseEvidence(
  trail: Pick<Trail, 'write'>,
  store: EvidenceStore,
  evidenceErased: readonly string[],
  requester: Requester = { who: bySystem },
): Promise<void> {
  if (evidenceErased.length === 0) return;
  await trail.write({ ...requester, action: 'erase evidence', outcome: 'done', evidenceErased });
  await store.remove(evidenceErased);
}

/** Removes the evidence about a person on this machine. An entry of the trail names what was removed. */
export const eraseEvidenceOf = async (
  trail: Pick<Trail, 'write'>,
  store: EvidenceStore,
  person: ErasedEvidence,
  requester?: Requester,
): Promise<void> => eraseEvidence(trail, store, await store.find(person), requester);
