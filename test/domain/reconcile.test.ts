/** What a reconciliation concludes from what the site system shows, and when it proposes to confirm or resend a parked lead. */
import {
  judgeComment,
  judgeDelivered,
  judgeParkedComment,
  judgeParkedPerson,
  type CommentThere,
  type LeadFacts,
  type PersonThere,
} from '../../src/domain/reconcile';

const there = (same: number[], others: number[] = [], ofOtherLeads: number[] = []): PersonThere => ({ same, others, ofOtherLeads });
const comment = (count: number, ofOtherLeads = 0): CommentThere => ({ there: count, ofOtherLeads });
const parked = (facts: Partial<LeadFacts> = {}): LeadFacts => ({
  ...{ leadId: 'a lead', flow: 'no-prescreen', state: 'parked', step: 'send-to-rt', code: 'OUTCOME_UNKNOWN', before: [] },
  ...facts,
});

describe('the person of a delivered lead', () => {
  it.each([
    ['is there once', there([7]), undefined],
    ['is there once, beside others who share the e-mail', there([7], [8, 9]), undefined],
    ['is there under another name', there([], [7]), undefined],
    ['is missing', there([]), 'missing'],
    ['is missing beside another one of this name', there([8]), 'missing'],
    ['is there twice', there([7, 8]), 'twice'],
  ])('%s', (_, person, finding) => expect(judgeDelivered(7, person)?.finding).toBe(finding));
});

describe('the comment of a delivered lead', () => {
  it.each([
    ['is there once', comment(1), 'matched'],
    ['is missing', comment(0), 'missing'],
    ['is there twice', comment(2), 'twice'],
    ['is there twice, once for another lead', comment(2, 1), 'matched'],
    ['is there twice for three leads', comment(2, 2), 'missing'],
  ])('%s', (_, comments, finding) => expect(judgeComment(7, comments).finding).toBe(finding));
});

describe('a lead that is parked with its person', () => {
  it.each([
    ['is resent if nobody has the e-mail', parked(), there([]), 'missing', 'resend'],
    ['is resent if only others had the e-mail before the send', parked({ before: [8] }), there([], [8]), 'missing', 'resend'],
    ['is confirmed with the one that was added', parked(), there([7]), 'matched', 'confirm'],
    ['is confirmed beside others who share the e-mail', parked({ before: [8] }), there([7], [8]), 'matched', 'confirm'],
    ['is left if another lead may have added the person', parked(), there([7], [], [7]), 'not-comparable', undefined],
    ['is left if the person was added twice', parked(), there([7, 8]), 'twice', undefined],
    ['is left if the person was there before the send', parked({ before: [7] }), there([7]), 'not-comparable', undefined],
    ['is left if somebody of another name was added', parked(), there([], [7]), 'not-comparable', undefined],
    ['is left if no look-up says who was there before', parked({ before: undefined }), there([7]), 'not-comparable', undefined],
    ['is resent without a look-up if nobody has the e-mail', parked({ before: undefined }), there([]), 'missing', 'resend'],
    ['is not confirmed if nothing was sent', parked({ code: 'UPSTREAM_ERROR' }), there([7]), 'unknown-here', undefined],
  ] as const)('%s', (_, facts, person, finding, proposal) =>
    expect(judgeParkedPerson(facts, person)).toMatchObject({ finding, ...(proposal && { proposal }) }),
  );

  it('gets no proposal but with proof', () => {
    const left = [there([7], [], [7]), there([7, 8]), there([], [7])].map((person) => judgeParkedPerson(parked(), person));
    expect(left.map(({ proposal }) => proposal)).toEqual([undefined, undefined, undefined]);
  });
});

describe('a lead that is parked with its comment', () => {
  const facts = parked({ step: 'send-comments', patientId: 7 });
  it.each([
    ['is resent if the comment is not there', facts, comment(0), 'missing', 'resend'],
    ['is confirmed if the comment is there', facts, comment(1), 'matched', 'confirm'],
    ['is left if another lead may have written it', facts, comment(1, 1), 'not-comparable', undefined],
    ['is left if the upstream refused it', { ...facts, code: 'UPSTREAM_REJECTED' }, comment(0), 'missing', undefined],
  ] as const)('%s', (_, lead, comments, finding, proposal) => {
    const found = judgeParkedComment(lead, comments);
    expect([found.finding, found.proposal, found.upstreamId]).toEqual([finding, proposal, '7']);
  });
});
