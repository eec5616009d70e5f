/** Finds where a run and the code differ. */
import { parting, type Done, type Happened } from '../../tools/replay/commands';

const did = (...done: Done[]): Happened[] => done.map((each, at) => ({ ...each, eventId: 5 + at }));
const call = (name: string): Done => ({ kind: 'scheduleActivity', name });
const wait: Done = { kind: 'startTimer' };

it.each([
  ['no difference', did(call('a'), wait), [call('a'), wait], undefined],
  ['another activity', did(call('a'), call('b')), [call('a'), call('c')], { did: { ...call('b'), eventId: 6 }, asks: call('c') }],
  [
    'another kind of the same name',
    did(call('a')),
    [{ kind: 'scheduleLocalActivity', name: 'a' }],
    { did: { ...call('a'), eventId: 5 }, asks: { kind: 'scheduleLocalActivity', name: 'a' } },
  ],
  ['fewer commands than the run', did(call('a'), call('b')), [call('a')], { did: { ...call('b'), eventId: 6 }, asks: undefined }],
  ['more commands than the run', did(call('a')), [call('a'), call('b')], { did: undefined, asks: call('b') }],
  ['a withdrawn wait without an event', did(call('a')), [{ ...wait, withdrawn: true as const }, call('a')], undefined],
  ['a withdrawn wait with an event', did(wait, call('a')), [{ ...wait, withdrawn: true as const }, call('a')], undefined],
])('%s', (_what, run, code, expected) => expect(parting(run, code)).toEqual(expected));
