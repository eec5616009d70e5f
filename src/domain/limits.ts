/**
 * Parses the limits of upstreams. Requests to a limited upstream wait in a separate task queue, which the engine dispatches at the rate of
 * the limit.
 */
import { upstreamNames, type UpstreamName } from './upstreams';

export interface Limit {
  /** Requests a second, over all workers together. */
  readonly perS?: number;
  /** Requests at once, in each worker. */
  readonly atOnce?: number;
}

/** An empty limit was switched off: new runs do not use its queue, but workers still serve it for older runs. */
export type Limits = Readonly<Partial<Record<UpstreamName, Limit>>>;

/** The task queue in which requests to an upstream with a limit wait. */
export const limitedQueue = (taskQueue: string, upstream: UpstreamName): string => `${taskQueue}:${upstream}`;

/** The upstreams whose limit applies to new runs. */
export const limitedUpstreams = (limits: Limits): UpstreamName[] =>
  upstreamNames.filter((name) => Object.keys(limits[name] ?? {}).length > 0);

const off: Limit = {};
const form = /^(?:(\d+(?:\.\d+)?)\/(s|min))?(?:\*(\d+))?$/;
const seconds: Readonly<Record<string, number>> = { s: 1, min: 60 };

export const limitsFormat = `must be name=limit entries, separated by commas, each name once: V1=5/s, V1=30/min, V1=5/s*2 (two at once in each worker), V1=*2 or V1=off; the names are ${upstreamNames.join(', ')}`;

const isUpstream = (name: string): name is UpstreamName => (upstreamNames as readonly string[]).includes(name);

function parseLimit(written: string): Limit | undefined {
  if (written === 'off') return off;
  const [whole, count, unit = 's', atOnce] = form.exec(written) ?? [];
  const limit = { ...(count && { perS: Number(count) / (seconds[unit] ?? 1) }), ...(atOnce && { atOnce: Number(atOnce) }) };
  return whole && Object.values(limit).every((value) => value > 0) ? limit : undefined;
}

/** Undefined if the text is not a valid list of limits. */
export function parseLimits(written: string): Limits | undefined {
  const limits: Partial<Record<UpstreamName, Limit>> = {};
  for (const entry of written.split(',')) {
    const [name = '', value = '', ...rest] = entry.split('=').map((part) => part.trim());
    const limit = parseLimit(value);
    if (!isUpstream(name) || limits[name] || !limit || rest.length > 0) return undefined;
    limits[name] = limit;
  }
  return limits;
}
