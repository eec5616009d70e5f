/**
 * The alerting of one installation: one run for all its workers. An activity looks for trouble; this run compares it with the open alerts,
 * and starts a run for each alert that opens and tells it when the alert closes.
 */
import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  makeContinueAsNewFunc,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  alertIdOf,
  subjectOf,
  triedKeys,
  turned,
  type Alert,
  type AlertRules,
  type AlertState,
  type AlertTest,
  type Looked,
} from '../domain/alerts';
import { unlessCancelled } from './failures';
import { polling } from './proxies';
import { closedSignal, tellTest, type tellAlert } from './tell-alert';

/** Tells a test alert. Undefined if no worker has alerts set. */
const testAlertUpdate = defineUpdate<AlertTest | undefined>('testAlert');

/** From an API process: somebody tries gateway keys, and for how long the alert stays. */
const wrongKeysSignal = defineSignal<[number]>('wrongKeys');

const lookEveryMs = 3_000;
const lookTimeoutMs = 30_000;
/** A look without news is answered after this time. */
const quietMs = 60_000;
const pauseMs = 5_000;
/** Alerts are switched off when workers have answered so this often in a row: for ten minutes. */
const mostAnswersOff = 120;

const nothingYet: AlertState = { open: [], keysTriedUntil: 0 };

export async function alerts(before: AlertState = nothingYet): Promise<void> {
  let { open, last, keysTriedUntil } = before;

  // A look at once has the settings as they are now.
  setHandler(testAlertUpdate, async () => {
    const looked = await look(0);
    return looked && tellTest(looked.rules);
  });

  setHandler(wrongKeysSignal, async (forMs) => {
    keysTriedUntil = Date.now() + forMs;
    if (last) await follow(last);
  });

  for (let off = 0; off <= mostAnswersOff;) {
    setCurrentDetails(`Looks for trouble; open alerts: ${open.length}`);
    const looked = await look(Math.min(quietMs, ...open.flatMap(closesInMs)));
    off = looked ? 0 : off + 1;
    await (looked ? follow(looked) : sleep(pauseMs));
    if (workflowInfo().continueAsNewSuggested) await goOn();
  }

  /** Looks until there is news or the time is up. Undefined if no alert is set where the worker runs. */
  function look(forMs: number): Promise<Looked | undefined> {
    const known = last?.troubles.map(subjectOf) ?? [];
    const looks = 1 + Math.ceil(forMs / lookEveryMs);
    return polling('looks for what is not well', lookTimeoutMs, lookEveryMs).lookForTrouble(known, looks).catch(unlessCancelled);
  }

  async function follow(looked: Looked): Promise<void> {
    const { rules, troubles } = looked;
    const nowMs = Date.now();
    last = looked;
    const now = turned(open, { ...rules, troubles: nowMs < keysTriedUntil ? [...troubles, triedKeys] : troubles, nowMs }, uuid4);
    open = now.open;
    await Promise.all([...now.opened.map((alert) => begin(alert, rules)), ...now.closed.map(end)]);
  }

  function closesInMs({ clearSince }: AlertState['open'][number]): number[] {
    return clearSince === undefined || !last ? [] : [Math.max(0, clearSince + last.rules.clearMs - Date.now())];
  }

  /** Marks the next run with the key that encrypts it. */
  async function goOn(): Promise<void> {
    await condition(allHandlersFinished);
    const next = makeContinueAsNewFunc<typeof alerts>({ searchAttributes: last && keyMark(last.rules) });
    await next({ open, last, keysTriedUntil });
  }
}

const keyMark = ({ keyFingerprint }: AlertRules) => ({ LeadKeyId: [keyFingerprint] });

/** The run of an alert goes on by itself, whatever becomes of this one. */
const begin = (alert: Alert, rules: AlertRules) =>
  startChild<typeof tellAlert>('tellAlert', {
    workflowId: alertIdOf(alert),
    args: [alert, rules.channels],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    searchAttributes: keyMark(rules),
    staticSummary: 'tells an alert',
  });

/** If somebody has ended the run of the alert, nothing is left to tell. */
const end = (alert: Alert) => getExternalWorkflowHandle(alertIdOf(alert)).signal(closedSignal, alert).catch(unlessCancelled);
