/** Maps each flow of groups B, C and D to its forwarder and its upstream. Both variants of group C have the same. */
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

/** The instance of each upstream that a lead goes to. Each is held separately. */
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
