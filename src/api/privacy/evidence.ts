/**
 * Gathers the evidence of an operator's action before it is carried out: its reason, the upstream's id, the values that it changes, and the
 * keyed hashes of the persons, by which an erasure finds the evidence. Shows the evidence of an entry, masked or in clear.
 */
import type { Client } from '@temporalio/client';
import { isDeepStrictEqual } from 'node:util';
import { nobody, type About, type Change, type Evidence, type EvidenceStore } from '../../audit/evidence';
import { readErased, type ListedEntry } from '../../audit/read';
import type { Input } from '../../contract/input';
import { withoutSecrets } from '../../domain/credentials';
import { sameSite, term } from '../../domain/found-by';
import { hidden, masked } from '../../domain/mask';
import { stateAfter, type Decision, type JsonObject } from '../../domain/lead';
import { personHashes } from '../../intake/run-options';
import type { KeyRing } from '../../keys/ring';
import { attemptsOf, newestIn } from '../../leads/attempts';
import { ignoreLeadNotFound, stateOf } from '../../leads/runs';
import { hiddenForm, hiddenSite } from '../../leads/site-term';
import { inGroups } from '../../lib/in-groups';
import { mendedFields } from '../../orders/redrive';
import type { RunDescription } from '../../temporal/ask';
import { attributes } from '../../temporal/engine';

export interface Gathered {
  readonly evidence: Evidence;
  readonly about: About;
}

/** Resolves to undefined for an action that has no reason. Throws if the lead cannot be read; the action must not be carried out then. */
export type GatherEvidence = (action: string, input: Input) => Promise<Gathered | undefined>;

/** The fields of an action that are evidence, or name persons. */
interface ActionBody {
  readonly leadId?: string;
  readonly reason?: string;
  readonly upstreamId?: string;
  readonly fields?: JsonObject;
  readonly filter?: JsonObject & { readonly leadIds?: readonly string[] };
}

const decisions: readonly string[] = ['resend', 'confirm', 'discard'] satisfies Decision['verb'][];
const readInParallel = 16;

export function createGatherEvidence(client: Client, keys: KeyRing): GatherEvidence {
  const valuesOf = ({ searchAttributes }: RunDescription, name: string) => ((searchAttributes[name] ?? []) as unknown[]).map(String);

  /** The persons of a lead: those of all its attempts. */
  const aboutLead = (leadId: string, attempts: readonly RunDescription[]): About => {
    const all = (name: string) => [...new Set(attempts.flatMap((attempt) => valuesOf(attempt, name)))];
    return {
      emails: all(attributes.emails.name),
      phones: all(attributes.phones.name),
      patients: all(attributes.patient.name),
      sites: all(attributes.site.name).map((site) => hiddenForm(keys, site)),
      leadIds: [leadId],
    };
  };

  /** The persons that a body names. */
  function aboutBody(body: JsonObject): About {
    const site = term(body, 'site');
    return { ...nobody, ...personHashes(keys, body), sites: site ? [hiddenSite(keys, sameSite(site))] : [] };
  }

  const patient = (id: unknown): About => ({ ...nobody, patients: id ? [keys.hash('patient', String(id))] : [] });

  async function ofLead(action: string, leadId: string, { upstreamId, fields = {} }: ActionBody): Promise<Gathered> {
    const attempts = await attemptsOf(client, leadId);
    const newest = newestIn(attempts);
    const lead = aboutLead(leadId, attempts);
    const state = stateOf(newest);
    if (action === 'redrive') {
      if (state !== 'failed' && state !== 'waiting') return { evidence: {}, about: lead };
      const { body, changed } = await mendedFields(client, newest, fields);
      return { evidence: { changed }, about: joined(lead, aboutBody(body)) };
    }
    const isDecided = decisions.includes(action) && (state === 'parked' || (action === 'discard' && state === 'waiting'));
    const changed = isDecided && { changed: { state: { before: state, after: stateAfter({ verb: action } as Decision) } } };
    const id = action === 'confirm' ? upstreamId : undefined;
    return { evidence: { upstreamId: id, ...changed }, about: joined(lead, patient(id)) };
  }

  /** A bulk order is about the persons that it names, and about the leads that it names one by one. */
  async function ofOrder({ filter = {}, fields = {} }: ActionBody): Promise<Gathered> {
    const { leadIds = [], reference, patientId } = filter;
    const leads = await inGroups(leadIds, readInParallel, async (leadId) => {
      const attempts = await attemptsOf(client, leadId).catch(ignoreLeadNotFound);
      return attempts ? [aboutLead(leadId, attempts)] : [];
    });
    const about = [aboutBody(filter), aboutBody(fields), aboutBody({ email: reference }), patient(patientId), ...leads.flat()];
    const changed = Object.fromEntries(Object.entries(fields).map(([field, after]): [string, Change] => [field, { after }]));
    return { evidence: { changed }, about: about.reduce(joined, nobody) };
  }

  return async (action, { body }) => {
    const named: ActionBody = body;
    const { reason, leadId, filter } = named;
    if (reason === undefined) return undefined;
    const found = leadId === undefined ? filter && (await ofOrder(named)) : await ofLead(action, leadId, named);
    const { changed = {}, ...values } = found?.evidence ?? {};
    const isChanged = Object.keys(changed).length > 0;
    const evidence = { reason, ...values, ...(isChanged && { changed: withoutSecretChanges(changed) }) };
    return { evidence, about: found?.about ?? nobody };
  };
}

const joined = (one: About, other: About): About => ({
  emails: [...new Set([...one.emails, ...other.emails])],
  phones: [...new Set([...one.phones, ...other.phones])],
  patients: [...new Set([...one.patients, ...other.patients])],
  sites: [...new Set([...one.sites, ...other.sites])],
  leadIds: [...new Set([...one.leadIds, ...other.leadIds])],
});

type Changes = NonNullable<Evidence['changed']>;

const mapChanges = (changes: Changes, as: (field: string, value: unknown) => unknown): Changes =>
  Object.fromEntries(
    Object.entries(changes).map(([field, change]) => [
      field,
      Object.fromEntries(Object.entries(change).flatMap(([when, value]) => (value === undefined ? [] : [[when, as(field, value)]]))),
    ]),
  );

const asField = (show: (object: JsonObject) => unknown) => (field: string, value: unknown) =>
  Object.values(show({ [field]: value }) as JsonObject)[0];

const withoutSecretChanges = (changes: Changes): Changes => mapChanges(changes, asField(withoutSecrets));

/** Masks the values that the action changed, and the upstream's id. The reason is shown to operators. */
const maskedEvidence = ({ reason, upstreamId, changed }: Evidence): Evidence => ({
  ...(reason !== undefined && { reason }),
  ...(upstreamId !== undefined && { upstreamId: hidden }),
  ...(changed && { changed: mapChanges(changed, asField(masked)) }),
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

  return async (entries, clear) => {
    const read = await inGroups(entries, readAtOnce, async ({ evidence }) => evidence && store.read(evidence));
    const isMissing = entries.some(({ evidence }, at) => evidence && !read[at]);
    const erased = isMissing ? await readErased(dir) : new Set<string>();
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
