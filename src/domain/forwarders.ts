/**
 * The forwarder of each flow of groups B, C and D, and the upstream that it sends to. Both variants of group C use one kind of upstream.
 */
import type { Forwarder, ForwardFlow } from './forward';
import type { Destination, UpstreamName } from './upstreams';
import type { JsonObject } from './lead';
import { leadforms } from './leadforms';
import { recruit } from './recruit';
import { screening } from './screening';

export const forwarders: Readonly<Record<ForwardFlow, Forwarder>> = { recruit, leadforms, 'leadforms-sandbox': leadforms, screening };

export const upstreamOf = {
  recruit: 'recruitment',
  leadforms: 'leadforms',
  'leadforms-sandbox': 'leadforms',
  screening: 'screening',
} as const satisfies Readonly<Record<ForwardFlow, UpstreamName>>;

/** The instances of each upstream. Each fails and is held by itself. */
const instances: Readonly<Record<ForwardFlow, (body: JsonObject) => Destination['instance']>> = {
  recruit: ({ environment }) => String(environment),
  leadforms: () => 'production',
  'leadforms-sandbox': () => 'sandbox',
  screening: () => '',
};

export const destinationOf = (flow: ForwardFlow, body: JsonObject): Destination => ({
  upstream: upstreamOf[flow],
  instance: instances[flow](body),
});
