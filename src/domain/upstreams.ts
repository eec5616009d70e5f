/** Lists the upstreams, and compares destinations: an upstream and its instance. */
export const upstreamNames = ['key-service', 'V1', 'V2', 'recruitment', 'leadforms', 'screening'] as const;
export type UpstreamName = (typeof upstreamNames)[number];

/** Where a request goes: an upstream and its instance, which is held and paused separately. */
export interface Destination {
  readonly upstream: UpstreamName;
  readonly instance: string;
}

export const isAt = (one: Destination) => (other: Destination) => one.upstream === other.upstream && one.instance === other.instance;

export const nameOf = ({ upstream, instance }: Destination): string => [upstream, instance].filter(Boolean).join(' ');

/** True for this destination itself, and for its whole upstream, which has the instance ''. */
export const covers =
  ({ upstream, instance }: Destination) =>
  (one: Destination): boolean =>
    one.upstream === upstream && (one.instance === instance || one.instance === '');

/** True if this destination is among them, or its whole upstream is. */
export const isStoppedAt = (stopped: readonly Destination[], destination: Destination): boolean => stopped.some(covers(destination));
