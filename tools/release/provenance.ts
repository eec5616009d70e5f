/** The provenance of a release: an in-toto statement with SLSA's predicate, and the DSSE envelope that signs it. */
import { z } from 'zod';
import type { PublicKey, Signer } from '../copies/signer';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const dependency = z.object({
  name: z.string().optional(),
  uri: z.string().optional(),
  digest: z.record(z.string(), z.string()),
});

export const statementShape = z.object({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256 }) })),
  predicateType: z.literal('https://slsa.dev/provenance/v1'),
  predicate: z.object({
    buildDefinition: z.object({
      buildType: z.string(),
      externalParameters: z.object({ version: z.string(), commit: z.string().regex(/^[0-9a-f]{40}$/) }),
      internalParameters: z.record(z.string(), z.string()),
      resolvedDependencies: z.array(dependency),
    }),
    runDetails: z.object({ builder: z.object({ id: z.string() }) }),
  }),
});

export type Statement = z.infer<typeof statementShape>;
export type Dependency = z.infer<typeof dependency>;

const payloadType = 'application/vnd.in-toto+json';

const envelopeShape = z.object({
  payloadType: z.literal(payloadType),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.base64() })).length(1),
});

/** The bytes that a DSSE signature covers. */
const signedBytes = (payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload]);

export function writeEnvelope(statement: Buffer, signer: Signer): string {
  const signature = { keyid: signer.fingerprint, sig: signer.sign(signedBytes(statement)).toString('base64') };
  return `${JSON.stringify({ payloadType, payload: statement.toString('base64'), signatures: [signature] })}\n`;
}

/** True if the envelope holds exactly this statement, signed with this key. */
export function isEnvelopeOf(envelope: unknown, statement: Buffer, key: PublicKey): boolean {
  const { data } = envelopeShape.safeParse(envelope);
  const [signature] = data?.signatures ?? [];
  if (!data || !signature || !statement.equals(Buffer.from(data.payload, 'base64'))) return false;
  return key.isSigned(signedBytes(statement), Buffer.from(signature.sig, 'base64'));
}
