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
  wrongKeysTrouble,
  updateAlerts,
  type Alert,
  type AlertRules,
  type AlertState,
  type AlertTest,
  type HealthCheck,
} from '../domain/alerts';
import { unlessCancelled } from './failures';
import { polling } from './proxies';
import { closedSignal, sendTestAlert, type tellAlert } from './tell-alert';

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
const maxAnswersOff = 120;

const initialState: AlertState = { open: [], keysTriedUntil: 0 };

export async function alerts(before: AlertState = initialState): Promise<void> {
  let { open, last, keysTriedUntil } = before;

  // A new check reads the current settings.
  setHandler(testAlertUpdate, async () => {
    const checked = await check(0);
    return checked && sendTestAlert(checked.rules);
  });

  setHandler(wrongKeysSignal, async (forMs) => {
    keysTriedUntil = Date.now() + forMs;
    if (last) await applyCheck(last);
  });

  for (let off = 0; off <= maxAnswersOff;) {
    setCurrentDetails(`Checks for problems; open alerts: ${open.length}`);
    // The first check returns at once, so that a signal finds one to compare with.
    const checked = await check(last ? Math.min(quietMs, ...open.flatMap(closesInMs)) : 0);
    off = checked ? 0 : off + 1;
    await (checked ? applyCheck(checked) : sleep(pauseMs));
    if (workflowInfo().continueAsNewSuggested) await continueRun();
  }

  /** Checks until there is news or the time is up. Returns undefined if no alerts are configured on the worker. */
  function check(forMs: number): Promise<HealthCheck | undefined> {
    const known = last?.troubles.map(subjectOf) ?? [];
    const looks = 1 + Math.ceil(forMs / lookEveryMs);
    return polling('check for problems', lookTimeoutMs, lookEveryMs).lookForTrouble(known, looks).catch(unlessCancelled);
  }

  async function applyCheck(checked: HealthCheck): Promise<void> {
    const { rules, troubles } = checked;
    const nowMs = Date.now();
    last = checked;
    const now = updateAlerts(
      open,
      { ...rules, troubles: nowMs < keysTriedUntil ? [...troubles, wrongKeysTrouble] : troubles, nowMs },
      uuid4,
    );
    open = now.open;
    await Promise.all([...now.opened.map((alert) => startAlertRun(alert, rules)), ...now.closed.map(signalClosed)]);
  }

  function closesInMs({ clearSince }: AlertState['open'][number]): number[] {
    return clearSince === undefined || !last ? [] : [Math.max(0, clearSince + last.rules.clearMs - Date.now())];
  }

  /** Continues as new. The search attribute names the key that encrypts the next run. */
  async function continueRun(): Promise<void> {
    await condition(allHandlersFinished);
    const next = makeContinueAsNewFunc<typeof alerts>({ searchAttributes: last && keyMark(last.rules) });
    await next({ open, last, keysTriedUntil });
  }
}

const keyMark = ({ keyFingerprint }: AlertRules) => ({ LeadKeyId: [keyFingerprint] });

/** Starts the run of an alert. It outlives this run. */
const startAlertRun = (alert: Alert, rules: AlertRules) =>
  startChild<typeof tellAlert>('tellAlert', {
    workflowId: alertIdOf(alert),
    args: [alert, rules.channels],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    searchAttributes: keyMark(rules),
    staticSummary: 'sends an alert',
  });

/** Ignores a run of an alert that an operator has ended. */
const signalClosed = (alert: Alert) => getExternalWorkflowHandle(alertIdOf(alert)).signal(closedSignal, alert).catch(unlessCancelled);
