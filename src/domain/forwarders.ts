/**
 * The forwarder of each flow of groups B, C and D, and the upstream that it sends to. Both variants of group C use one kind of upstream.
 */
import type { Forwarder, ForwardFlow } from './forward';
import type { UpstreamName } from './hold';
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
