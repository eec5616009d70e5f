/**
 * Delivers the messages about alerts. Each message is retried by itself, with growing pauses, for up to a day; the messages of one alert
 * keep their order.
 */
import { condition, isCancellation, log, sleep } from '@temporalio/workflow';
import { channelsOf, type Alert, type AlertRules, type AlertState, type Said } from '../domain/alerts';
import { tell } from './alert-channels';
import type { Tried } from './alert-card';

/** The pause after each failed try; later tries wait `longestPauseMs`. */
const pausesMs = [1_000, 4_000, 15_000, 60_000, 120_000, 300_000] as const;
const longestPauseMs = 900_000;
const giveUpMs = 86_400_000;

const idOf = ({ channel, what, alert }: Pick<Said, 'channel' | 'what' | 'alert'>) => `${channel}:${alert.alertId}.${what}`;

export class Outbox {
  private readonly waiting = new Map<string, Said>();
  private readonly cardOf: Map<string, string>;
  private rules: AlertRules | undefined;
  private underWay = 0;
  private isResting = false;

  constructor({ saying, cards, rules }: AlertState) {
    this.cardOf = new Map(Object.entries(cards));
    this.rules = rules;
    for (const said of saying) this.add(said);
  }

  follow(rules: AlertRules): void {
    this.rules = rules;
  }

  say(what: Said['what'], alert: Alert): void {
    for (const channel of this.rules ? channelsOf(this.rules) : [])
      this.add({ channel, what, alert, tries: 0, dueAt: Date.now(), giveUpAt: Date.now() + giveUpMs });
  }

  /** Starts nothing more and waits for the requests under way, so that the next run can take over the rest. */
  async rest(): Promise<void> {
    this.isResting = true;
    await condition(() => this.underWay === 0);
  }

  saying(): readonly Said[] {
    return [...this.waiting.values()];
  }

  cards(): AlertState['cards'] {
    return Object.fromEntries(this.cardOf);
  }

  private add(said: Said): void {
    this.waiting.set(idOf(said), said);
    // A cancelled run ends in its own loop. A bug fails the workflow task: it is seen, and nothing is lost.
    this.carry(said).catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  }

  private async carry(given: Said): Promise<void> {
    await condition(() => this.isNext(given));
    for (let said = given; said.dueAt < said.giveUpAt; said = this.after(said)) {
      if (said.dueAt > Date.now()) await sleep(said.dueAt - Date.now());
      while (this.isResting) await condition(() => !this.isResting);
      const tried = await this.attempt(said);
      if (tried.done) return this.settle(said, tried.cardId);
      if (tried.unknown) said = { ...said, unknown: true };
    }
    log.warn('an alert could not be told', { channel: given.channel, alertId: given.alert.alertId });
    this.settle(given);
  }

  /** The message that an alert closed follows the one that it opened. */
  private isNext({ channel, alert, what }: Said): boolean {
    return what === 'opened' || !this.waiting.has(idOf({ channel, alert, what: 'opened' }));
  }

  private after(said: Said): Said {
    const next = { ...said, tries: said.tries + 1, dueAt: Date.now() + (pausesMs[said.tries] ?? longestPauseMs) };
    this.waiting.set(idOf(said), next);
    return next;
  }

  private settle(said: Said, cardId?: string): void {
    const { alertId } = said.alert;
    this.waiting.delete(idOf(said));
    if (cardId) this.cardOf.set(alertId, cardId);
    if (said.channel === 'card' && said.what === 'closed') this.cardOf.delete(alertId);
  }

  private async attempt(said: Said): Promise<Tried> {
    this.underWay++;
    try {
      return await tell(said, this.rules, this.cardOf.get(said.alert.alertId));
    } finally {
      this.underWay--;
    }
  }
}
