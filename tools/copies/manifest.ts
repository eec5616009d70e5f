/** Declares the files of a copy, and its manifest: what the copy holds, the digest of each file, and the end of the chain over the entries. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

export const fileNames = {
  entries: 'entries.jsonl',
  table: 'entries.csv',
  page: 'index.html',
  chain: 'chain.txt',
  manifest: 'manifest.json',
  signature: 'signature',
  publicKey: 'public-key.pem',
} as const;

/** The files whose digests the manifest has. */
const digested = [fileNames.entries, fileNames.table, fileNames.page, fileNames.chain] as const;

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const line = z.object({ seq: z.int(), hash: z.string() });

export const kinds = ['audit trail', 'lead dossier'] as const;

const about = z.object({
  what: z.enum(kinds),
  /** Absent: from the beginning of the trail. */
  since: z.iso.datetime().optional(),
  until: z.iso.datetime(),
  leadId: z.string().optional(),
  /** True if the copy shows personal data. */
  clear: z.boolean(),
  /** The API that the entries come from. */
  service: z.string(),
  madeAt: z.iso.datetime(),
  madeBy: z.string(),
  /** The name of the key whose holder made the copy; absent if the service requires no keys. */
  who: z.string().optional(),
});

export const manifestShape = z.object({
  format: z.literal('leadgate copy 1'),
  ...about.shape,
  entries: z.int(),
  /** The first and the last line of each file of the trail that the copy has entries of. */
  trail: z.array(z.object({ file: z.string(), entries: z.int(), first: line, last: line })),
  files: z.array(z.object({ name: z.enum(digested), bytes: z.int(), sha256: digest })),
  /** The last link of the chain; empty if the copy has no entry. */
  chain: z.union([digest, z.literal('')]),
  signer: z.object({ algorithm: z.literal('Ed25519'), fingerprint: digest }),
});

export type About = z.infer<typeof about>;
export type Manifest = z.infer<typeof manifestShape>;
export type TrailPart = Manifest['trail'][number];

/** The link before the first entry. */
export const firstLink = '';

/** The link of an entry: the SHA-256 of the link before, as text, and the entry's line. */
export const linkOf = (before: string, entryLine: string | Uint8Array): string =>
  createHash('sha256').update(before).update(entryLine).digest('hex');
