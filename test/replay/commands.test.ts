/** Where a run and the code part. */
import { parting, type Done, type Happened } from '../../tools/replay/commands';

const did = (...done: Done[]): Happened[] => done.map((each, at) => ({ ...each, eventId: 5 + at }));
const call = (name: string): Done => ({ kind: 'scheduleActivity', name });
const wait: Done = { kind: 'startTimer' };

it.each([
  ['the same is no parting', did(call('a'), wait), [call('a'), wait], undefined],
  ['another activity', did(call('a'), call('b')), [call('a'), call('c')], { did: { ...call('b'), eventId: 6 }, asks: call('c') }],
  [
    'another kind of the same name',
    did(call('a')),
    [{ kind: 'scheduleLocalActivity', name: 'a' }],
    { did: { ...call('a'), eventId: 5 }, asks: { kind: 'scheduleLocalActivity', name: 'a' } },
  ],
  ['less than the run did', did(call('a'), call('b')), [call('a')], { did: { ...call('b'), eventId: 6 }, asks: undefined }],
  ['more than the run did', did(call('a')), [call('a'), call('b')], { did: undefined, asks: call('b') }],
  ['a wait that was given up and left no event', did(call('a')), [{ ...wait, withdrawn: true as const }, call('a')], undefined],
  ['a wait that was given up and left one', did(wait, call('a')), [{ ...wait, withdrawn: true as const }, call('a')], undefined],
])('%s', (_what, run, code, expected) => expect(parting(run, code)).toEqual(expected));
