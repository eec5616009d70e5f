/** The 202 for a lead that is not over yet. */
import { answerOf } from '../../src/api/answer';
import { waitAtPause, waitFor, type LeadReport } from '../../src/domain/lead';

const said = (report: Pick<LeadReport, 'state' | 'step' | 'waitsFor'>) =>
  String(answerOf({ leadId: 'p1', flow: 'no-prescreen', steps: [], ...report }).body.message);

const standing: Pick<LeadReport, 'state' | 'waitsFor'>[] = [
  { state: 'waiting', waitsFor: waitFor('retry') },
  { state: 'waiting', waitsFor: waitAtPause({ upstream: 'V2', instance: '', since: '2026-11-21T10:00:00.000Z', reason: 'it moves' }) },
  { state: 'verifying' },
  { state: 'parked' },
];

it.each(standing)('a lead whose comment is %j must not be sent again', (report) => {
  const message = said({ ...report, step: 'send-comments' });
  expect(message).toMatch(/^The lead itself is in the site system and must not be sent again\. .*comment/);
  expect(message).not.toMatch(/The lead is not sent yet|whether the lead arrived/);
});

it.each(standing)('a lead that is %j before that is told of as a lead', (report) =>
  expect(said({ ...report, step: 'send-to-rt' })).not.toMatch(/site system|comment/),
);
