/**
 * The alerting of one installation: one run for all its workers. An activity looks for trouble; this run compares it with the open
 * alerts, opens and closes them, and remembers what it has told, so that a restart tells nothing twice.
 */
import {
  allHandlersFinished,
  condition,
  defineUpdate,
  makeContinueAsNewFunc,
  setHandler,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { subjectOf, turned, type AlertRules, type AlertState, type AlertTest, type Watched } from '../domain/alerts';
import { Outbox } from './alert-outbox';
import { tellTest } from './alert-test';
import { unlessCancelled, watching } from './proxies';
import { tellCallStack } from './timeline';

/** Tells a test alert. Undefined if no worker has alerts set. */
const testAlertUpdate = defineUpdate<AlertTest | undefined>('testAlert');

const watchMs = 60_000;
const laterMs = 5_000;
/** Alerts count as switched off when no worker has had them set for this long. */
const offMs = 600_000;

const nothingYet: AlertState = { open: [], seen: [], saying: [], cards: {} };

export async function alerts(before: AlertState = nothingYet): Promise<void> {
  let { open, seen, rules } = before;
  let watchedAt = Date.now();
  const outbox = new Outbox(before);
  tellCallStack(() => `Looks for trouble; open alerts: ${open.length}, messages to tell: ${outbox.saying().length}`);

  // A look at once has the settings as they are now.
  setHandler(testAlertUpdate, async () => {
    const watched = await watch(0);
    return watched && tellTest(watched.rules);
  });

  for (;;) {
    const watched = await watch(Math.min(watchMs, ...open.flatMap(closesInMs)));
    if (watched === undefined) {
      if (Date.now() - watchedAt > offMs) return;
      await sleep(laterMs);
      continue;
    }
    watchedAt = Date.now();
    ({ rules } = watched);
    const now = turned(open, { ...rules, troubles: watched.troubles, nowMs: Date.now() }, uuid4);
    open = now.open;
    seen = watched.troubles.map(subjectOf);
    outbox.follow(rules);
    for (const alert of now.opened) outbox.say('opened', alert);
    for (const alert of now.closed) outbox.say('closed', alert);
    if (workflowInfo().continueAsNewSuggested) await goOn(rules);
  }

  /** Undefined if no worker with alerts set could look. */
  async function watch(forMs: number): Promise<Watched | undefined> {
    const watched = await watching('looks for what is not well', forMs).watchForAlerts(seen, forMs).catch(unlessCancelled);
    return watched && 'off' in watched ? undefined : watched;
  }

  function closesInMs({ clearSince }: AlertState['open'][number]): number[] {
    return clearSince === undefined || !rules ? [] : [Math.max(0, clearSince + rules.clearMs - Date.now())];
  }

  /** Marks the next run with the key that encrypts it. */
  async function goOn({ keyFingerprint }: AlertRules): Promise<void> {
    await condition(allHandlersFinished);
    await outbox.rest();
    const next = makeContinueAsNewFunc<typeof alerts>({ searchAttributes: { LeadKeyId: [keyFingerprint] } });
    await next({ open, seen, rules, saying: outbox.saying(), cards: outbox.cards() });
  }
}
