/** Looks for the person and the comment of a lead in the site system. Each look is one request to V2; its result has ids and counts only. */
import { subjectId } from '../domain/clinicsys';
import { isObject, text } from '../domain/formats';
import { sameName } from '../domain/found-by';
import type { JsonObject } from '../domain/lead';
import type {
  CommentThere,
  ComparableLeads,
  ComparedLead,
  ComparedLeads,
  LeadFacts,
  PersonThere,
  ReconcileWindow,
} from '../domain/reconcile';
import type { CountSamePersonLeads } from '../domain/same-person';
import type { clinicsysActivities, KeyedInstance } from './clinicsys';

export interface ReconcileActivityNeeds {
  readonly countSamePersonLeads: CountSamePersonLeads;
  /** The worker provides it. */
  readonly reconcile: ComparedLeads;
}

type SiteSystem = Pick<ReturnType<typeof clinicsysActivities>, 'checkEmail' | 'readComments'>;

const nameOf = ({ firstName, lastName }: JsonObject): string => sameName([text(firstName), text(lastName)].filter(Boolean).join(' '));

/** A subject without a name may be the person. */
const hasNameOf = (record: JsonObject) => (subject: JsonObject) => nameOf(subject) === '' || nameOf(subject) === nameOf(record);

export function reconcileActivities({ reconcile, countSamePersonLeads }: ReconcileActivityNeeds, siteSystem: SiteSystem) {
  /** Returns those of the ids that another lead may have added. Only the new subject of a parked lead is in doubt. */
  async function ofOtherLeads({ facts, record, runId, startedAt }: ComparedLead, same: readonly number[]): Promise<readonly number[]> {
    const { before, state, instanceName = '' } = facts;
    const added = before ? same.filter((id) => !before.includes(id)) : [];
    const [subject] = added;
    if (state !== 'parked' || subject === undefined || added.length > 1) return [];
    const asking = { email: text(record.email) ?? '', subjectId: subject, instanceName, since: startedAt };
    const { open, arrived } = await countSamePersonLeads(runId, asking);
    return open + arrived > 0 ? [subject] : [];
  }

  return {
    /** Without a window, lists the leads since the last scheduled reconciliation. */
    listCompared: (window?: ReconcileWindow): Promise<ComparableLeads> => reconcile.listCompared(window),
    readFacts: (leadIds: readonly string[]): Promise<readonly LeadFacts[]> => reconcile.factsOf(leadIds),

    /** Returns undefined if the lead was erased. */
    async lookForPerson(keyed: KeyedInstance, leadId: string): Promise<PersonThere | undefined> {
      const lead = await reconcile.readCompared(leadId);
      if (!lead) return undefined;
      const { data } = await siteSystem.checkEmail(keyed, text(lead.record.email) ?? '');
      const subjects = data.filter(isObject);
      const idsOf = (some: readonly JsonObject[]) => some.flatMap((subject) => subjectId(subject) ?? []);
      const same = idsOf(subjects.filter(hasNameOf(lead.record)));
      const others = idsOf(subjects).filter((id) => !same.includes(id));
      return { same, others, ofOtherLeads: await ofOtherLeads(lead, same) };
    },

    async lookForComment(keyed: KeyedInstance, leadId: string, subject: number): Promise<CommentThere | undefined> {
      const lead = await reconcile.readCompared(leadId);
      if (!lead) return undefined;
      const { data } = await siteSystem.readComments(keyed, subject);
      const there = data.filter((entry) => isObject(entry) && text(entry.comment) === lead.comment).length;
      // Most comments are there once, and then no other lead matters but to a parked one.
      const isDoubtful = there > 1 || (there === 1 && lead.facts.state === 'parked');
      return { there, ofOtherLeads: isDoubtful ? await reconcile.countComments(lead, subject) : 0 };
    },
  };
}
