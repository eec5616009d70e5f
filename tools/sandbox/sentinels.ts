/**
 * Parses sentinels: words in a request that make a call fail on purpose. A sentinel is `<call>-<effect>`, as in
 * `v1-reset-after`, optionally followed by `-once`, `-x3` (the first three times) or `-from2` (from the second time on).
 */
import { effects, type Effect } from './effects';

export type Sentinel = { word: string; effect: Effect; ms: number; isDue(time: number): boolean };

export const repeats = [
  { name: '-once', about: 'the first time only' },
  { name: '-x<N>', about: 'the first N times' },
  { name: '-from<N>', about: 'from the N-th time on' },
] as const;

const patterns = effects.map((effect) => ({ effect, pattern: new RegExp(`^${effect.name.replace('<ms>', '(\\d{1,6})')}$`) }));
const repeatPattern = /-(?:(once)|x(\d{1,4})|from(\d{1,4}))$/;

export function parseSentinel(word: string, callName: string): Sentinel | undefined {
  if (!word.startsWith(`${callName}-`)) return undefined;
  const effectAndRepeat = word.slice(callName.length + 1);
  const repeat = repeatPattern.exec(effectAndRepeat);
  const effectName = repeat ? effectAndRepeat.slice(0, repeat.index) : effectAndRepeat;
  for (const { effect, pattern } of patterns) {
    const match = pattern.exec(effectName);
    if (match && (effect.calls?.includes(callName) ?? true))
      return { word, effect, ms: Number(match[1] ?? 0), isDue: dueWhen(repeat, effect.times) };
  }
  return undefined;
}

function dueWhen(repeat: RegExpExecArray | null, times = Infinity): Sentinel['isDue'] {
  if (!repeat) return (time) => time <= times;
  const [, once, first, from] = repeat;
  if (from) return (time) => time >= Number(from);
  return (time) => time <= (once ? 1 : Number(first));
}

/** Counts each text per call, so that `-once` means once for this e-mail, not once for all. */
export function createSentinels() {
  const times = new Map<string, number>();

  function count(key: string): number {
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return time;
  }

  /** Returns the first due sentinel. Every sentinel in the texts counts the call, so that several can follow each other. */
  function take(callName: string, texts: string[]): Sentinel | undefined {
    const due = texts.flatMap((text) => {
      const words = text.toLowerCase().split(/[^a-z0-9-]+/);
      const sentinels = words.map((word) => parseSentinel(word, callName)).filter((sentinel) => sentinel !== undefined);
      return sentinels.filter(({ word, isDue }) => isDue(count(`${callName} ${word} ${text}`)));
    });
    return due[0];
  }

  return { take, reset: () => times.clear() };
}
