/**
 * Gathers the evidence of an order: its reason, the upstream's id, the values that it changes, and the keyed hashes of the persons, by which
 * an erasure finds the evidence.
 */
import type { Client } from '@temporalio/client';
import { decisionOf, type BulkOrder } from '../domain/bulk';
import { joinAbout, nobody, storableEvidence, type About, type Change, type Evidence, type Gathered } from '../domain/evidence';
import { sameSite, term } from '../domain/found-by';
import { stateAfter, type Decision, type JsonObject } from '../domain/lead';
import { memoOf } from '../domain/memo';
import { personHashes } from '../intake/run-options';
import type { KeyRing } from '../keys/ring';
import { attemptsOf, newestIn } from '../leads/attempts';
import { bodyOf, ignoreLeadNotFound, stateOf } from '../leads/runs';
import { hiddenForm, hiddenSite } from '../leads/site-term';
import { inGroups } from '../lib/in-groups';
import type { RunDescription } from '../temporal/ask';
import { attributes } from '../temporal/engine';
import { changesBetween, mendedBodies } from './redrive';

/** The fields of an action's body that are evidence, or name persons. */
interface ActionBody {
  readonly leadId?: string;
  readonly reason?: string;
  readonly upstreamId?: string;
  readonly fields?: JsonObject;
  readonly filter?: JsonObject & { readonly leadIds?: readonly string[] };
}

export interface EvidenceGatherer {
  /** Resolves to undefined for an action that has no reason. Throws if the lead cannot be read; the action must not be carried out then. */
  ofAction(action: string, body: JsonObject): Promise<Gathered | undefined>;
  /** The reason of a bulk order for one lead, and what the order has changed in the lead. Undefined if the lead is gone. */
  ofBulkLead(leadId: string, order: BulkOrder): Promise<Gathered | undefined>;
}

const decisions: readonly string[] = ['resend', 'confirm', 'discard'] satisfies Decision['verb'][];
const readInParallel = 16;

export function createEvidenceGatherer(client: Client, keys: KeyRing): EvidenceGatherer {
  /** The persons of a lead: those of all its attempts. */
  function aboutLead(leadId: string, attempts: readonly RunDescription[]): About {
    const all = (name: string) => [
      ...new Set(attempts.flatMap(({ searchAttributes }) => ((searchAttributes[name] ?? []) as unknown[]).map(String))),
    ];
    return {
      emails: all(attributes.emails.name),
      phones: all(attributes.phones.name),
      patients: all(attributes.patient.name),
      sites: all(attributes.site.name).map((site) => hiddenForm(keys, site)),
      leadIds: [leadId],
    };
  }

  /** The persons that a body names. */
  function aboutBody(body: JsonObject): About {
    const site = term(body, 'site');
    return { ...nobody, ...personHashes(keys, body), sites: site ? [hiddenSite(keys, sameSite(site))] : [] };
  }

  const aboutPatient = (id: unknown): About => ({ ...nobody, patients: id ? [keys.hash('patient', String(id))] : [] });

  async function ofLead(action: string, leadId: string, { upstreamId, fields = {} }: ActionBody): Promise<Gathered> {
    const attempts = await attemptsOf(client, leadId);
    const newest = newestIn(attempts);
    const lead = aboutLead(leadId, attempts);
    const state = stateOf(newest);
    if (action === 'redrive') {
      if (state !== 'failed' && state !== 'waiting') return { evidence: {}, about: lead };
      const { before, after } = await mendedBodies(client, newest, fields);
      return { evidence: { changed: changesBetween(before, after) }, about: joinAbout(lead, aboutBody(after)) };
    }
    const isDecided = decisions.includes(action) && (state === 'parked' || (action === 'discard' && state === 'waiting'));
    const changed = isDecided ? { state: { before: state, after: stateAfter({ verb: action } as Decision) } } : undefined;
    const id = action === 'confirm' ? upstreamId : undefined;
    return { evidence: { upstreamId: id, changed }, about: joinAbout(lead, aboutPatient(id)) };
  }

  /** A bulk order is about the persons that it names, and about the leads that it names one by one. */
  async function ofOrder({ filter = {}, fields = {} }: ActionBody): Promise<Gathered> {
    const { leadIds = [], reference, patientId } = filter;
    const leads = await inGroups(leadIds, readInParallel, async (leadId) => {
      const attempts = await attemptsOf(client, leadId).catch(ignoreLeadNotFound);
      return attempts ? [aboutLead(leadId, attempts)] : [];
    });
    const persons = [aboutBody(filter), aboutBody(fields), aboutBody({ email: reference }), aboutPatient(patientId), ...leads.flat()];
    const changed = Object.fromEntries(Object.entries(fields).map(([field, after]): [string, Change] => [field, { after }]));
    return { evidence: { changed }, about: persons.reduce(joinAbout, nobody) };
  }

  /** The fields that a redrive of this order has changed. */
  async function changedBy(attempts: readonly RunDescription[], orderId: string | undefined): Promise<Evidence['changed']> {
    const at = attempts.findIndex((attempt) => memoOf(attempt)?.redrive?.orderId === orderId);
    const [before, after] = [attempts[at - 1], attempts[at]];
    return before && after ? changesBetween(await bodyOf(client, before), await bodyOf(client, after)) : undefined;
  }

  const storable = (reason: string | undefined, evidence: Evidence, about: About): Gathered => ({
    evidence: storableEvidence({ ...evidence, reason }),
    about,
  });

  return {
    async ofAction(action, body: ActionBody) {
      const { reason, leadId, filter } = body;
      if (reason === undefined) return undefined;
      const found = leadId === undefined ? filter && (await ofOrder(body)) : await ofLead(action, leadId, body);
      return storable(reason, found?.evidence ?? {}, found?.about ?? nobody);
    },

    async ofBulkLead(leadId, order) {
      const attempts = await attemptsOf(client, leadId).catch(ignoreLeadNotFound);
      if (!attempts) return undefined;
      const { verb, reason, from, orderId } = order;
      const about = aboutLead(leadId, attempts);
      if (verb === 'redrive' || verb === 'resend-events') return storable(reason, { changed: await changedBy(attempts, orderId) }, about);
      const decision = decisionOf(order, leadId);
      const upstreamId = decision.verb === 'confirm' ? decision.upstreamId : undefined;
      const changed = { state: { before: from, after: stateAfter(decision) } };
      return storable(decision.reason, { upstreamId, changed }, joinAbout(about, aboutPatient(upstreamId)));
    },
  };
}
