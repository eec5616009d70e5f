/**
 * The alerting of one installation: one run for all its workers. An activity looks for trouble; this run compares it with the open
 * alerts, opens and closes them, and remembers what it has told, so that a restart tells nothing twice.
 */
import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { subjectOf, triedKeys, turned, type AlertState, type AlertTest, type Watched } from '../domain/alerts';
import { Outbox } from './alert-outbox';
import { tellTest } from './alert-test';
import { unlessCancelled } from './failures';
import { watching } from './proxies';

/** Tells a test alert. Undefined if no worker has alerts set. */
const testAlertUpdate = defineUpdate<AlertTest | undefined>('testAlert');

/** From an API process: somebody tries gateway keys, and for how long the alert stays. */
const wrongKeysSignal = defineSignal<[number]>('wrongKeys');

const watchMs = 60_000;
const laterMs = 5_000;
/** Alerts are switched off when workers have answered so for this long. */
const offMs = 600_000;

const nothingYet: AlertState = { open: [], seen: [], saying: [], cards: {} };

export async function alerts(before: AlertState = nothingYet): Promise<void> {
  let { open, seen, rules, keysTriedUntil = 0 } = before;
  let offForMs = 0;
  let last: Watched | undefined;
  const outbox = new Outbox(before);

  // A look at once has the settings as they are now.
  setHandler(testAlertUpdate, async () => {
    const watched = await watch(0);
    return watched && !('off' in watched) ? tellTest(watched.rules) : undefined;
  });

  setHandler(wrongKeysSignal, (forMs) => {
    keysTriedUntil = Date.now() + forMs;
    if (last) follow(last);
  });

  for (;;) {
    setCurrentDetails(`Looks for trouble; open alerts: ${open.length}, messages to tell: ${outbox.saying().length}`);
    const watched = await watch(Math.min(watchMs, ...open.flatMap(closesInMs)));
    if (watched && !('off' in watched)) {
      offForMs = 0;
      follow(watched);
    } else {
      // Time without an answer does not count: perhaps no worker was there.
      if (watched) offForMs += laterMs;
      if (offForMs > offMs) return;
      await sleep(laterMs);
    }
    if (workflowInfo().continueAsNewSuggested) await goOn();
  }

  function follow(watched: Watched): void {
    const { troubles, rules: newest } = watched;
    const nowMs = Date.now();
    last = watched;
    rules = newest;
    const now = turned(open, { ...newest, troubles: nowMs < keysTriedUntil ? [...troubles, triedKeys] : troubles, nowMs }, uuid4);
    open = now.open;
    seen = troubles.map(subjectOf);
    outbox.follow(newest);
    for (const alert of now.opened) outbox.say('opened', alert);
    for (const alert of now.closed) outbox.say('closed', alert);
  }

  /** Undefined if no worker answered, or if it could not look. */
  function watch(forMs: number): Promise<Watched | { readonly off: true } | undefined> {
    return watching('looks for what is not well', forMs).watchForAlerts(seen, forMs).catch(unlessCancelled);
  }

  function closesInMs({ clearSince }: AlertState['open'][number]): number[] {
    return clearSince === undefined || !rules ? [] : [Math.max(0, clearSince + rules.clearMs - Date.now())];
  }

  /** Marks the next run with the key that encrypts it. */
  async function goOn(): Promise<void> {
    await condition(allHandlersFinished);
    await outbox.rest();
    const searchAttributes = rules && { LeadKeyId: [rules.keyFingerprint] };
    const next = makeContinueAsNewFunc<typeof alerts>({ searchAttributes });
    await next({ open, seen, rules, keysTriedUntil, saying: outbox.saying(), cards: outbox.cards() });
  }
}
