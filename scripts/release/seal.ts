/** Writes what others check a release by: the provenance, the digests and, with a key, the signatures. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileDigest } from '../../src/lib/file-digest';
import type { Signer } from '../../tools/copies/signer';
import { fileNames, filesIn, writeSums } from '../../tools/release/files';
import { writeEnvelope, type Dependency, type Statement } from '../../tools/release/provenance';

export interface Origin {
  readonly version: string;
  readonly commit: string;
  readonly npm: string;
  readonly dependencies: readonly Dependency[];
}

async function digestsIn(dir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await filesIn(dir)) found.set(name, (await fileDigest(join(dir, name))).sha256);
  return found;
}

/** It has no time and no machine, so that the same commit has the same statement. */
const statementOf = (digests: ReadonlyMap<string, string>, { version, commit, npm, dependencies }: Origin): Statement => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [...digests].map(([name, sha256]) => ({ name, digest: { sha256 } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'urn:leadgate:npm-run-release:1',
      externalParameters: { version, commit },
      internalParameters: { npm },
      resolvedDependencies: [{ name: 'leadgate', digest: { gitCommit: commit } }, ...dependencies],
    },
    runDetails: { builder: { id: 'urn:leadgate:own-machine' } },
  },
});

/** The list of digests comes last, so that a release which was interrupted cannot be verified. */
export async function sealRelease(dir: string, origin: Origin, signer?: Signer): Promise<void> {
  const put = (name: string, content: string | Uint8Array) => writeFileSync(join(dir, name), content);
  put(fileNames.provenance, `${JSON.stringify(statementOf(await digestsIn(dir), origin), null, 2)}\n`);
  if (signer) put(fileNames.envelope, writeEnvelope(readFileSync(join(dir, fileNames.provenance)), signer));
  const sums = writeSums(await digestsIn(dir));
  if (signer) {
    put(fileNames.publicKey, signer.publicKey);
    put(fileNames.signature, signer.sign(Buffer.from(sums)));
  }
  put(fileNames.sums, sums);
}
