/** Shows the evidence of entries of the audit trail, masked or in clear. */
import { isDeepStrictEqual } from 'node:util';
import type { EvidenceStore } from '../../audit/evidence';
import { readErased, type ListedEntry } from '../../audit/read';
import { mapChanges, type Evidence } from '../../domain/evidence';
import { hidden, maskedFields } from '../../domain/mask';
import { inGroups } from '../../lib/in-groups';

/** Masks the values that the action changed, and the upstream's id. The reason is shown to operators. */
const maskedEvidence = ({ reason, upstreamId, changed }: Evidence): Evidence => ({
  ...(reason !== undefined && { reason }),
  ...(upstreamId !== undefined && { upstreamId: hidden }),
  ...(changed && { changed: mapChanges(changed, maskedFields) }),
});

type ShownEvidence = Evidence | { readonly erased: true } | { readonly unreadable: string };

/** The evidence of an entry as the list shows it. */
export interface Shown {
  readonly evidence?: ShownEvidence;
  /** True if it shows values that are otherwise masked. */
  readonly isClear: boolean;
}

export type ShowEvidence = (entries: readonly ListedEntry[], clear: boolean) => Promise<readonly Shown[]>;

const readAtOnce = 16;

/** Reads the evidence of each entry. `dir` is the directory of the trail. */
export function createShowEvidence(dir: string, store: Pick<EvidenceStore, 'read'>): ShowEvidence {
  const missing = (isErased: boolean): ShownEvidence =>
    isErased ? { erased: true } : { unreadable: 'Its file is missing, and no erasure has removed it' };

  /** What was erased stays erased, so the trail is read again only for evidence that is missing and not in it. */
  let erased: ReadonlySet<string> = new Set();

  return async (entries, clear) => {
    const read = await inGroups(entries, readAtOnce, async ({ evidence }) => evidence && store.read(evidence));
    const isUnknown = entries.some(({ evidence }, at) => evidence && !read[at] && !erased.has(evidence));
    if (isUnknown) erased = await readErased(dir);
    return entries.map(({ evidence: digest }, at): Shown => {
      if (digest === undefined) return { isClear: false };
      const evidence = read[at] || missing(erased.has(digest));
      if ('unreadable' in evidence || 'erased' in evidence) return { evidence, isClear: false };
      const whenMasked = maskedEvidence(evidence);
      const isClear = clear && !isDeepStrictEqual(whenMasked, evidence);
      return { evidence: isClear ? evidence : whenMasked, isClear };
    });
  };
}
