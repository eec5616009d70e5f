import * as fc from 'fast-check';
import { addressOf, attemptIdOf, attemptIn, leadIdForm, leadIdOf, nonceIn, unconfirmedIdOf } from '../../src/domain/ids';

const hash = fc.tuple(fc.constantFrom('k', 'b'), fc.stringMatching(/^[0-9a-z]{20}$/)).map((parts) => parts.join(''));
const run = fc.record({ workflowId: hash.map((id) => `lead-${id}`), runId: fc.uuid() });

it('a lead id leads back to its first run', () => {
  fc.assert(
    fc.property(run, (first) => {
      const leadId = leadIdOf(first);
      expect(leadId).toMatch(leadIdForm);
      expect(addressOf(leadId)).toEqual(first);
    }),
  );
});

it('every attempt carries the same lead, under a number of its own', () => {
  fc.assert(
    fc.property(run, fc.integer({ min: 2, max: 999 }), fc.uuid(), (first, attempt, runId) => {
      const leadId = leadIdOf(first);
      const workflowId = attemptIdOf(leadId, attempt);
      expect(leadIdOf({ workflowId, runId })).toBe(leadId);
      expect([attemptIn(first.workflowId), attemptIn(workflowId)]).toEqual([1, attempt]);
    }),
  );
});

it('the id of an unconfirmed start has the form of a lead id, and no address', () => {
  fc.assert(
    fc.property(hash, fc.stringMatching(/^[0-9a-z]{10}$/), (id, nonce) => {
      const leadId = unconfirmedIdOf(`lead-${id}`, nonce);
      expect(leadId).toMatch(leadIdForm);
      expect([addressOf(leadId), nonceIn(leadId)]).toEqual([undefined, nonce]);
    }),
  );
});

it.each(['call-kx', 'board-copy-x', 'hold:leadgate:V1:', `lead-b${'0'.repeat(20)}.2`, 'erase-x'])('%s carries no lead', (workflowId) =>
  expect(leadIdOf({ workflowId, runId: '01a20619-61dc-7339-9936-5248f5c11709' })).toBe(''),
);
