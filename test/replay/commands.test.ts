/** Tests the first difference between a run and the code. */
import { firstDifference, type Command, type RecordedCommand } from '../../tools/replay/commands';

const history = (...done: Command[]): RecordedCommand[] => done.map((each, at) => ({ ...each, eventId: 5 + at }));
const call = (name: string): Command => ({ kind: 'scheduleActivity', name });
const wait: Command = { kind: 'startTimer' };

it.each([
  ['no difference between equal commands', history(call('a'), wait), [call('a'), wait], undefined],
  [
    'another activity',
    history(call('a'), call('b')),
    [call('a'), call('c')],
    { recorded: { ...call('b'), eventId: 6 }, issued: call('c') },
  ],
  [
    'another kind of command with the same name',
    history(call('a')),
    [{ kind: 'scheduleLocalActivity', name: 'a' }],
    { recorded: { ...call('a'), eventId: 5 }, issued: { kind: 'scheduleLocalActivity', name: 'a' } },
  ],
  [
    'fewer commands than in the history',
    history(call('a'), call('b')),
    [call('a')],
    { recorded: { ...call('b'), eventId: 6 }, issued: undefined },
  ],
  ['more commands than in the history', history(call('a')), [call('a'), call('b')], { recorded: undefined, issued: call('b') }],
  ['a cancelled timer without an event', history(call('a')), [{ ...wait, cancelled: true as const }, call('a')], undefined],
  ['a cancelled timer with an event', history(wait, call('a')), [{ ...wait, cancelled: true as const }, call('a')], undefined],
])('%s', (_what, run, code, expected) => expect(firstDifference(run, code)).toEqual(expected));
