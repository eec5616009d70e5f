/** Verifies a release with nothing but its own files: digests, signatures, provenance, image and bills of materials. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ignoreFileNotFound } from '../../src/lib/disk';
import { fileDigest, type FileDigest } from '../../src/lib/file-digest';
import { publicKeyOf, type PublicKey } from '../copies/signer';
import { fileNames, filesIn, readSums, tarballName, type Digests } from './files';
import { imageProblems } from './image';
import { isEnvelopeOf, statementShape, type Statement } from './provenance';

export interface ReleaseReport {
  /** Absent if the provenance cannot be read. */
  readonly release?: Statement['predicate']['buildDefinition']['externalParameters'];
  readonly files: number;
  /** False if the release has neither a signature nor a key. */
  readonly isSigned: boolean;
  /** Of the key in the release. */
  readonly fingerprint?: string;
  readonly problems: readonly string[];
}

/** `expected` is the fingerprint of the key that must have signed the release. */
export async function verifyRelease(dir: string, expected?: string): Promise<ReleaseReport> {
  const sums = await readIfThere(dir, fileNames.sums);
  if (!sums) {
    const problem = `${fileNames.sums} is missing: without it, this directory is not a release`;
    return { files: 0, isSigned: false, problems: [problem] };
  }
  const signed = await checkSignature(dir, sums, expected);
  const found = await digestsIn(dir);
  const listed = readSums(sums.toString());
  const files = listed ? fileProblems(listed, found) : [`${fileNames.sums} cannot be read`];
  const provenance = await checkProvenance(dir, found, signed.key);
  const release = provenance.statement?.predicate.buildDefinition.externalParameters;
  const others = [...(await imageProblems(dir, found)), ...(release ? await bomProblems(dir, release.version) : [])];
  return {
    release,
    files: found.size,
    isSigned: signed.isSigned,
    fingerprint: signed.key?.fingerprint,
    problems: [...signed.problems, ...files, ...provenance.problems, ...others],
  };
}

const readIfThere = (dir: string, name: string): Promise<Buffer | undefined> => readFile(join(dir, name)).catch(ignoreFileNotFound);

function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return bytes && JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

async function digestsIn(dir: string): Promise<ReadonlyMap<string, FileDigest>> {
  const digests = new Map<string, FileDigest>();
  for (const name of await filesIn(dir)) digests.set(name, await fileDigest(join(dir, name)));
  return digests;
}

function fileProblems(listed: Digests, found: ReadonlyMap<string, FileDigest>): string[] {
  const wrong = [...listed].flatMap(([name, sha256]) => {
    if (!found.has(name)) return [`${name} is missing`];
    return found.get(name)?.sha256 === sha256 ? [] : [`${name} was changed`];
  });
  const added = [...found.keys()].filter((name) => !listed.has(name)).map((name) => `${name} does not belong to the release`);
  return [...wrong, ...added];
}

interface SignatureCheck {
  readonly isSigned: boolean;
  readonly key?: PublicKey;
  readonly problems: readonly string[];
}

async function checkSignature(dir: string, sums: Buffer, expected: string | undefined): Promise<SignatureCheck> {
  const [pem, signature] = await Promise.all([readIfThere(dir, fileNames.publicKey), readIfThere(dir, fileNames.signature)]);
  if (!pem && !signature) return { isSigned: false, problems: expected === undefined ? [] : ['the release is not signed'] };
  const key = pem && publicKeyOf(pem.toString());
  if (!key) {
    const what = pem ? 'is no Ed25519 key' : 'is missing';
    return { isSigned: true, problems: [`${fileNames.publicKey} ${what}, so the signature cannot be checked`] };
  }
  const isExpected = expected === undefined || key.fingerprint === expected;
  const other = isExpected ? [] : [`the release is signed with another key: ${key.fingerprint}`];
  if (!signature) return { isSigned: true, key, problems: [...other, `${fileNames.signature} is missing`] };
  const forged = key.isSigned(sums, signature) ? [] : [`${fileNames.sums} was changed: the signature does not fit`];
  return { isSigned: true, key, problems: [...other, ...forged] };
}

interface ProvenanceCheck {
  readonly statement?: Statement;
  readonly problems: readonly string[];
}

/** The statement must be about exactly the files that are there, and its envelope must hold it. */
async function checkProvenance(dir: string, found: ReadonlyMap<string, FileDigest>, key: PublicKey | undefined): Promise<ProvenanceCheck> {
  const [bytes, envelope] = await Promise.all([readIfThere(dir, fileNames.provenance), readIfThere(dir, fileNames.envelope)]);
  const { data: statement } = statementShape.safeParse(parseJson(bytes));
  if (!bytes) return { problems: [`without ${fileNames.provenance}, this directory is not a release`] };
  if (!statement) return { problems: [`${fileNames.provenance} is no provenance of a release`] };
  const own: readonly string[] = [fileNames.provenance, fileNames.envelope];
  const lines = (subjects: readonly (readonly [string, string])[]) => subjects.map((subject) => subject.join(' ')).toSorted();
  const there = lines([...found].flatMap(([name, { sha256 }]) => (own.includes(name) ? [] : [[name, sha256] as const])));
  const told = lines(statement.subject.map(({ name, digest }) => [name, digest.sha256]));
  const tarball = tarballName(statement.predicate.buildDefinition.externalParameters.version);
  return {
    statement,
    problems: [
      ...(there.join('\n') === told.join('\n') ? [] : [`${fileNames.provenance} is about other files`]),
      ...(found.has(tarball) ? [] : [`${tarball} is missing`]),
      ...envelopeProblems(envelope, bytes, key),
    ],
  };
}

function envelopeProblems(envelope: Buffer | undefined, statement: Buffer, key: PublicKey | undefined): string[] {
  if (!envelope) return key ? [`${fileNames.envelope} is missing`] : [];
  if (!key) return [`${fileNames.envelope} is there, but no key that signed it`];
  return isEnvelopeOf(parseJson(envelope), statement, key) ? [] : [`${fileNames.envelope}: the signature does not fit`];
}

/** CycloneDX in JSON, as far as a release depends on it. */
const bomShape = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string(),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string() }) }),
  components: z.array(z.object({ name: z.string(), purl: z.string() })).min(1),
});

async function bomProblems(dir: string, version: string): Promise<string[]> {
  const names = [fileNames.packagesBom, fileNames.engineBom, fileNames.imageBom];
  const read = await Promise.all(names.map(async (name) => bomShape.safeParse(parseJson(await readIfThere(dir, name))).data));
  return names.flatMap((name, at) => {
    const component = read[at]?.metadata.component;
    if (!component) return [`${name} is no bill of materials in CycloneDX`];
    const isOther = component.name === 'leadgate' && component.version !== version;
    return isOther ? [`${name} is about version ${component.version}`] : [];
  });
}
