import type { ApplicationFailure } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withContext } from '../../src/activities/execution-context';
import { firstTimeOnly, isCarriedOn, isFirstTime } from '../../src/activities/first-time';
import { attemptFailure, send } from '../../src/activities/http';
import { isQuickSend, type SendJournal, type TaskNote } from '../../src/domain/sends';

const { TIMEOUT_TYPE_SCHEDULE_TO_START: nobodyTookIt, TIMEOUT_TYPE_START_TO_CLOSE: diedWithIt } = temporal.api.enums.v1.TimeoutType;

const { PENDING_WORKFLOW_TASK_STATE_STARTED: taskStarted, PENDING_WORKFLOW_TASK_STATE_SCHEDULED: taskScheduled } =
  temporal.api.enums.v1.PendingWorkflowTaskState;

const began = { workflowExecutionStartedEventAttributes: {} };
const decided = { workflowExecutionUpdateAcceptedEventAttributes: {} };
const toldToTry = { workflowExecutionUpdateAcceptedEventAttributes: { acceptedRequest: { input: { name: 'try' } } } };
const activityEnded = { activityTaskCompletedEventAttributes: {} };
const scheduled = { workflowTaskScheduledEventAttributes: {} };
const started = { workflowTaskStartedEventAttributes: {} };
const completed = { workflowTaskCompletedEventAttributes: {} };
const failed = { workflowTaskFailedEventAttributes: {} };
const timedOut = (timeoutType: number) => ({ workflowTaskTimedOutEventAttributes: { timeoutType } });

/** As the engine tells them: the newest first. */
const told = (events: readonly object[]) => events.map((event, at) => ({ ...event, eventId: at + 1 }) as never).toReversed();

describe('whether a send inside a workflow task is the first', () => {
  it.each([
    ['the first task of a run', [began, scheduled, started], 3, true],
    ['the task after an activity', [began, scheduled, started, completed, activityEnded, scheduled, started], 7, true],
    ['a task that nobody took up in time', [began, activityEnded, scheduled, timedOut(nobodyTookIt), scheduled, started], 6, true],
    ['a task whose worker died', [began, activityEnded, scheduled, started, timedOut(diedWithIt), scheduled, started], 7, false],
    ['a first task whose worker died', [began, scheduled, started, timedOut(diedWithIt)], 6, false],
    [
      'a task after one whose worker died, though the run has come further',
      [began, scheduled, started, timedOut(diedWithIt), scheduled, started, completed, activityEnded, scheduled, started],
      10,
      false,
    ],
    [
      'a task after a decision that was made since',
      [began, scheduled, started, timedOut(diedWithIt), scheduled, started, completed, decided, scheduled, started],
      10,
      true,
    ],
    [
      'a task after somebody said to try a waiting lead now, which proves nothing',
      [began, scheduled, started, timedOut(diedWithIt), scheduled, started, completed, toldToTry, scheduled, started],
      10,
      false,
    ],
    ['a history that is longer than what was read', [activityEnded, scheduled, started], 3, false],
    [
      'one that nobody took up after one whose worker died',
      [began, scheduled, started, timedOut(diedWithIt), scheduled, timedOut(nobodyTookIt), scheduled, started],
      8,
      false,
    ],
    ['a task that failed', [began, scheduled, started, failed, scheduled, started], 6, false],
    ['a task that was prolonged after the send was asked for', [began, scheduled, started, completed, scheduled, started], 3, false],
    ['a send asked for in a task that was prolonged before', [began, scheduled, started, completed, scheduled, started], 6, true],
    ['nothing is known', [], 3, false],
  ])('%s', (_, events, length, expected) => expect(isFirstTime(told(events), length)).toBe(expected));
});

describe("whether a task is still this process's own", () => {
  it.each([
    ['the task of the send', [began, scheduled, started], 3, true],
    ['one that was prolonged since', [began, scheduled, started, completed, activityEnded, scheduled, started], 3, true],
    ['one that timed out', [began, scheduled, started, timedOut(diedWithIt)], 3, false],
    ['one that somebody else has got', [began, scheduled, started, timedOut(diedWithIt), scheduled, started], 3, false],
    ['one that failed', [began, scheduled, started, failed, scheduled, started], 3, false],
    ['one that has ended', [began, scheduled, started, completed], 3, false],
    ['nothing is known', [], 3, false],
  ])('%s', (_, events, length, expected) => expect(isCarriedOn(told(events), length)).toBe(expected));

  it('not when what came since is more than was read', () => {
    const newest = told([began, scheduled, started, completed, scheduled, started]).slice(0, 3);
    expect(isCarriedOn(newest, 3)).toBe(false);
  });
});

/** A send's connection stands: what is to be noted before is noted. */
async function asOnTheWire(): Promise<void> {
  const server = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await send({ method: 'POST', url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}', timeoutMs: 20_000 });
  } finally {
    server.close();
  }
}

type Pending = temporal.api.workflow.v1.IPendingWorkflowTaskInfo | 'unanswered';

/** An engine that tells these events, and which task is under way. */
function engineOf(events: readonly object[], pending?: Pending) {
  let asked = 0;
  return {
    options: { namespace: 'test' },
    workflowService: {
      getWorkflowExecutionHistoryReverse: async () => {
        asked++;
        return { history: { events: told(events) } };
      },
      describeWorkflowExecution: async () => (pending === 'unanswered' ? away() : { pendingWorkflowTask: pending }),
    },
    asked: () => asked,
  };
}

/** One send or read inside a task: what became of it, and whether it went out. */
async function tried({
  activity = 'sendToRt',
  note = {},
  journal = {},
  events = [began, scheduled, started],
  pending,
  answers = 'sent',
  restored,
}: Trying) {
  const noted: unknown[] = [];
  const ours = emptyJournal({
    begin: async ({ place }) => noted.push(['begin', place]) > 0,
    end: async ({ place }, told) => void noted.push(['end', place, told]),
    ...journal,
  });
  const client = engineOf(events, pending);
  let ran = 0;
  const next = async () => {
    if (isQuickSend(activity)) await asOnTheWire();
    ran++;
    if (answers instanceof Error) throw answers;
    return answers;
  };
  const info = { activityType: activity, isLocal: !restored?.isRegular, workflowExecution: { workflowId: 'w', runId: 'r' } };
  const execute = firstTimeOnly(client as never, ours, restored?.copiedAt)({ info } as never).inbound?.execute;
  const task: TaskNote = { ...justBegun(), ...note };
  const result = await withContext({ task, sentSince: restored?.sentSince }, async () =>
    execute?.({ args: [], headers: {} }, next).catch((error: ApplicationFailure) => error.type ?? error.message),
  );
  return { result, ran, noted, asked: client.asked() };
}

interface Trying {
  readonly activity?: string;
  readonly note?: Partial<TaskNote>;
  readonly journal?: Partial<SendJournal>;
  readonly events?: readonly object[];
  /** The task that the engine says is under way, in its history or not. */
  readonly pending?: Pending;
  readonly answers?: unknown;
  readonly restored?: { readonly copiedAt: number; readonly sentSince: number; readonly isRegular?: true };
}

const taskStartedAt = Date.now() - 2_000;
const again = { length: 6, startedAt: Date.now() - 8_000, taskStartedAt };
/** A task that is tried again is not in the history before it ends. */
const lost = [began, scheduled, started, timedOut(diedWithIt)];
const under = (startedAt: number) => ({ state: taskStarted, startedTime: msToTs(startedAt) });
const away = () => Promise.reject(new Error('no disk'));

const justBegun = (): TaskNote => ({ length: 3, startedAt: Date.now(), taskStartedAt: Date.now(), nth: 1, journal: 'ours' });

const emptyJournal = (more: Partial<SendJournal>): SendJournal => ({
  id: 'ours',
  find: async () => undefined,
  begin: async () => true,
  isStopped: async () => false,
  end: async () => undefined,
  ...more,
});

/** Tries an activity inside a task, and tells what became of it. */
function trying(activity: string, journal: Partial<SendJournal>, next: () => Promise<unknown>, client: unknown = {}) {
  const interceptor = firstTimeOnly(client as never, emptyJournal(journal));
  const info = { activityType: activity, isLocal: true, workflowExecution: { workflowId: 'w', runId: 'r' } };
  return (task: TaskNote) =>
    withContext({ task }, async () =>
      interceptor({ info } as never)
        .inbound?.execute?.({ args: [], headers: {} }, next)
        .catch(({ type }: ApplicationFailure) => type),
    );
}

/** A task that runs again in this process while the first try is still under way there: what each was told, and how often it went out. */
async function triedTwice(activity: string, found: 'begun' | { answer: string } | undefined, end?: SendJournal['end']) {
  const first = justBegun();
  let ran = 0;
  let goOut = () => {};
  const isOut = new Promise<void>((done) => (goOut = done));
  let answer = () => {};
  const answered = new Promise<void>((done) => (answer = done));
  const next = async () => {
    ran++;
    if (isQuickSend(activity)) await asOnTheWire();
    goOut();
    await answered;
    return 'sent';
  };
  const tryIt = trying(activity, { find: async () => found, ...(end && { end }) }, next);
  const early = tryIt(first);
  await isOut;
  const during = tryIt({ ...first, ...again });
  answer();
  const results = await Promise.all([early, during]);
  return { results: [...results, await tryIt({ ...first, ...again })], ran };
}

describe('with a journal, a task that runs again in the same process', () => {
  it('waits for a send that is still under way there, also until it is noted how that ended', async () => {
    const isNeverNoted = () => new Promise<void>(() => undefined);
    expect(await triedTwice('sendToRt', 'begun', isNeverNoted)).toEqual({ results: ['sent', 'sent', 'sent'], ran: 1 });
  });

  it('asks its journal once that is noted', async () => {
    expect(await triedTwice('sendToRt', 'begun')).toEqual({ results: ['sent', 'sent', 'UNKNOWN'], ran: 1 });
  });

  it('waits for a read that is still under way there, whose late answer would replace its own', async () => {
    const { results, ran } = await triedTwice('checkEmail', undefined);
    expect([results.slice(0, 2), ran]).toEqual([['sent', 'sent'], 2]);
  });

  it('sends by itself, once, if the first try lost its task before its connection stood', async () => {
    const client = engineOf(lost, under(taskStartedAt));
    const begun: string[] = [];
    let connect = () => {};
    const connectable = new Promise<void>((done) => (connect = done));
    const next = async () => {
      await connectable;
      await asOnTheWire();
      return 'sent';
    };
    const tryIt = trying('sendToRt', { begin: async ({ place }) => begun.push(place) > 0 }, next, client);
    const early = tryIt({ ...justBegun(), startedAt: again.startedAt, taskStartedAt: again.startedAt });
    const during = tryIt({ ...justBegun(), ...again });
    connect();
    expect(await Promise.all([early, during])).toEqual(['TASK_AGAIN', 'sent']);
    expect(begun).toEqual(['sendToRt:1']);
  });

  it('takes what another process has noted since, and not the late answer', async () => {
    const { results, ran } = await triedTwice('checkEmail', { answer: 'noted elsewhere' });
    expect([results[1], ran]).toEqual(['noted elsewhere', 1]);
  });
});

describe('with a journal, a send', () => {
  it('of a task that just began is noted and goes out, and nobody is asked', async () => {
    expect(await tried({})).toEqual({
      result: 'sent',
      ran: 1,
      noted: [
        ['begin', 'sendToRt:1'],
        ['end', 'sendToRt:1', { answer: 'sent' }],
      ],
      asked: 0,
    });
  });

  it('that had been answered is told as it was, and does not go out again', async () => {
    const find = async () => ({ answer: 'as before' });
    expect(await tried({ note: again, journal: { find }, events: lost })).toMatchObject({ result: 'as before', ran: 0, noted: [] });
  });

  it('that had been refused is refused as before', async () => {
    const find = async () => ({ failed: 'REFUSED' as const, note: { message: 'no' } });
    expect(await tried({ note: again, journal: { find }, events: lost })).toMatchObject({ result: 'REFUSED', ran: 0 });
  });

  it('that had begun is not sent again', async () => {
    const find = async () => 'begun' as const;
    expect(await tried({ note: again, journal: { find }, events: lost })).toMatchObject({ result: 'UNKNOWN', ran: 0, noted: [] });
  });

  it('that had not begun goes out when the task runs again', async () => {
    expect(await tried({ note: again, events: lost, pending: under(taskStartedAt) })).toMatchObject({ result: 'sent', ran: 1, asked: 2 });
  });

  it('goes out in a task that a decision has begun, which is in no history yet', async () => {
    const events = [began, scheduled, started, completed];
    expect(await tried({ note: again, events, pending: under(taskStartedAt) })).toMatchObject({ result: 'sent', ran: 1 });
  });

  it.each([
    ['belongs to another', under(taskStartedAt + 5_000)],
    ['waits for a worker', { state: taskScheduled }],
    ['is over', undefined],
  ])('leaves the send to the next task, and notes nothing, if its process stood still and its task %s', async (_, pending) => {
    expect(await tried({ note: { ...again, length: 3 }, events: lost, pending })).toMatchObject({
      result: 'TASK_AGAIN',
      ran: 0,
      noted: [],
    });
  });

  describe('of a process that stood still while it noted the beginning', () => {
    const stoodStill = (isFirst: boolean) => {
      const pending = under(taskStartedAt);
      const begin = async () => {
        pending.state = taskScheduled;
        return isFirst;
      };
      return tried({ note: again, journal: { begin }, events: lost, pending });
    };

    it('does not go out, and is noted as not sent', async () => {
      const note = { message: 'Another worker may have its task, so this was not sent' };
      expect(await stoodStill(true)).toMatchObject({
        result: 'NOT_SENT',
        ran: 0,
        noted: [['end', 'sendToRt:1', { failed: 'NOT_SENT', note }]],
      });
    });

    it('does not go out, and is unknown if another process has begun it', async () => {
      expect(await stoodStill(false)).toMatchObject({ result: 'UNKNOWN', ran: 0, noted: [] });
    });
  });

  it('is left to the next task while the engine cannot say whose task it is', async () => {
    expect(await tried({ note: again, events: lost, pending: 'unanswered' })).toMatchObject({ result: 'TASK_AGAIN', ran: 0, noted: [] });
  });

  it('waits for another task while the journal cannot be read', async () => {
    expect(await tried({ note: again, journal: { find: away }, events: lost })).toMatchObject({ result: 'TASK_AGAIN', ran: 0 });
  });

  it('is not sent when somebody else has begun it', async () => {
    expect(await tried({ journal: { begin: async () => false } })).toMatchObject({ result: 'UNKNOWN', ran: 0 });
  });

  it('is left to an activity when it cannot be noted', async () => {
    expect(await tried({ journal: { begin: away } })).toMatchObject({ result: 'NOT_HERE', ran: 0 });
  });

  it('is noted with its failure', async () => {
    const answers = attemptFailure('REFUSED', { message: 'no', status: 422 });
    const { result, noted } = await tried({ answers });
    expect([result, noted.at(-1)]).toEqual(['REFUSED', ['end', 'sendToRt:1', { failed: 'REFUSED', note: { message: 'no', status: 422 } }]]);
  });

  it('has begun and no more when it ends with what we did not foresee', async () => {
    expect(await tried({ answers: new Error('cut') })).toMatchObject({ noted: [['begin', 'sendToRt:1']] });
  });

  it('whose journal is another one is left to an activity, and is unknown when the task runs again', async () => {
    const note = { journal: 'of another machine' };
    expect(await tried({ note })).toMatchObject({ result: 'NOT_HERE', ran: 0, noted: [] });
    expect(await tried({ note: { ...again, ...note }, events: lost })).toMatchObject({ result: 'UNKNOWN', ran: 0, noted: [] });
  });
});

describe('on a worker whose clock is behind, so that a lost first task seems to have just begun', () => {
  const startedAt = Date.now();
  const note = { startedAt, taskStartedAt: startedAt + 6_000 };

  it('a send under another journal is unknown', async () => {
    const elsewhere = { ...note, journal: 'of another machine' };
    expect(await tried({ note: elsewhere, events: lost })).toMatchObject({ result: 'UNKNOWN', ran: 0 });
  });

  it('what was read before is not read again', async () => {
    const find = async () => ({ answer: { data: [] } });
    expect(await tried({ activity: 'checkEmail', note, journal: { find }, events: lost })).toMatchObject({ result: { data: [] }, ran: 0 });
  });
});

describe.each(['getApiKey', 'checkEmail'])('with a journal, what %s reads before a send', (activity) => {
  it('is noted before anything follows', async () => {
    expect(await tried({ activity, answers: { data: [] } })).toMatchObject({ noted: [['end', `${activity}:1`, { answer: { data: [] } }]] });
  });

  it('is not read again after a crash', async () => {
    const find = async () => ({ answer: { data: [] } });
    expect(await tried({ activity, note: again, journal: { find }, events: lost })).toMatchObject({ result: { data: [] }, ran: 0 });
  });

  it('is not read while it cannot be known whether it was', async () => {
    expect(await tried({ activity, note: again, journal: { find: away }, events: lost })).toMatchObject({ result: 'TASK_AGAIN', ran: 0 });
  });

  it('counts as failed when it cannot be noted', async () => {
    expect(await tried({ activity, journal: { end: away } })).toMatchObject({ result: 'no disk' });
  });
});

describe('after a restore, a send', () => {
  const copiedAt = Date.now();
  const before = { copiedAt, sentSince: copiedAt - 1 };
  const after = { copiedAt, sentSince: copiedAt + 1 };

  it.each(['sendToRt', 'forwardLead', 'sendComments', 'makeTodo', 'changeTodo'])(
    'of a run in the copy is unknown: %s',
    async (activity) => {
      expect(await tried({ activity, restored: { ...before, isRegular: true } })).toMatchObject({ result: 'UNKNOWN', ran: 0 });
      expect(await tried({ activity, restored: before })).toMatchObject({ result: 'UNKNOWN', ran: 0, noted: [] });
    },
  );

  it('whose result the copy has is told as it was', async () => {
    const find = async () => ({ answer: 'as before' });
    expect(await tried({ note: again, journal: { find }, restored: before })).toMatchObject({ result: 'as before', ran: 0 });
  });

  it('is unknown with another journal, too', async () => {
    expect(await tried({ note: { journal: 'another' }, restored: before })).toMatchObject({ result: 'UNKNOWN', ran: 0 });
  });

  it.each([undefined, true] as const)('of a later run, or that a person decided on later, goes out', async (isRegular) => {
    expect(await tried({ restored: { ...after, isRegular } })).toMatchObject({ result: 'sent', ran: 1 });
  });

  it('leaves reads free', async () => {
    expect(await tried({ activity: 'checkEmail', answers: 'read', restored: before })).toMatchObject({ result: 'read', ran: 1 });
  });
});
