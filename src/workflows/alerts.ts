/**
 * Opens and closes the alerts of one installation: one run for all its workers. An activity checks for problems; this run compares them
 * with the open alerts, starts a run for each alert that opens, and signals that run when the alert closes.
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

/** Sends a test alert. Returns undefined if no alerts are configured on the workers. */
const testAlertUpdate = defineUpdate<AlertTest | undefined>('testAlert');

/** Sent by an API process when somebody tries wrong gateway keys, with the time that the alert stays open. */
const wrongKeysSignal = defineSignal<[number]>('wrongKeys');

const lookEveryMs = 3_000;
const lookTimeoutMs = 30_000;
/** Without news, a check returns after this time. */
const quietMs = 60_000;
const pauseMs = 5_000;
/** The run ends after this many answers in a row that no alerts are configured: after ten minutes. */
const mostAnswersOff = 120;

const nothingYet: AlertState = { open: [], keysTriedUntil: 0 };

export async function alerts(before: AlertState = nothingYet): Promise<void> {
  let { open, last, keysTriedUntil } = before;

  // A new check reads the current settings.
  setHandler(testAlertUpdate, async () => {
    const looked = await look(0);
    return looked && tellTest(looked.rules);
  });

  setHandler(wrongKeysSignal, async (forMs) => {
    keysTriedUntil = Date.now() + forMs;
    if (last) await follow(last);
  });

  for (let off = 0; off <= mostAnswersOff;) {
    setCurrentDetails(`Checks for problems; open alerts: ${open.length}`);
    const looked = await look(Math.min(quietMs, ...open.flatMap(closesInMs)));
    off = looked ? 0 : off + 1;
    await (looked ? follow(looked) : sleep(pauseMs));
    if (workflowInfo().continueAsNewSuggested) await goOn();
  }

  /** Checks until there is news or the time is up. Returns undefined if no alerts are configured on the worker. */
  function look(forMs: number): Promise<Looked | undefined> {
    const known = last?.troubles.map(subjectOf) ?? [];
    const looks = 1 + Math.ceil(forMs / lookEveryMs);
    return polling('check for problems', lookTimeoutMs, lookEveryMs).lookForTrouble(known, looks).catch(unlessCancelled);
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

  /** Continues as new. The search attribute names the key that encrypts the next run. */
  async function goOn(): Promise<void> {
    await condition(allHandlersFinished);
    const next = makeContinueAsNewFunc<typeof alerts>({ searchAttributes: last && keyMark(last.rules) });
    await next({ open, last, keysTriedUntil });
  }
}

const keyMark = ({ keyFingerprint }: AlertRules) => ({ LeadKeyId: [keyFingerprint] });

/** Starts the run of an alert. It outlives this run. */
const begin = (alert: Alert, rules: AlertRules) =>
  startChild<typeof tellAlert>('tellAlert', {
    workflowId: alertIdOf(alert),
    args: [alert, rules.channels],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    searchAttributes: keyMark(rules),
    staticSummary: 'sends an alert',
  });

/** Ignores a run of an alert that an operator has ended. */
const end = (alert: Alert) => getExternalWorkflowHandle(alertIdOf(alert)).signal(closedSignal, alert).catch(unlessCancelled);
