/** Declares the leads that exist when the service is stopped for an upgrade, and how each ends. */
import type { TestLeadOptions } from '../faults/lead';
import type { End } from '../faults/oracle';

export interface UpgradeCase {
  readonly name: string;
  readonly leads: readonly Omit<TestLeadOptions, 'group'>[];
  /** Their state when the service is stopped. */
  readonly state: string;
  readonly end: End;
  /** The decision about them under the new build. */
  readonly verb?: 'resend' | 'confirm';
  /** They are in this state for some seconds only. */
  readonly isBrief?: true;
  /** They share an instance, and so its hold. */
  readonly isHeld?: true;
}

const site = ['no-prescreen', 'with-prescreen'] as const;
const others = ['recruit', 'leadforms', 'screening'] as const;

const ofSite = (word: string) => site.map((flow) => ({ flow, sentinels: [word] }));
/** The sentinel applies to the send of each flow. */
const ofOthers = (effect: string) => others.map((flow) => ({ flow, sentinels: [`${flow}-${effect}`] }));

export const cases: readonly UpgradeCase[] = [
  { name: 'delivered', leads: [...site, ...others].map((flow) => ({ flow })), state: 'delivered', end: 'delivered' },
  { name: 'refused', leads: [...ofSite('v1-refused'), ...ofOthers('refused')], state: 'failed', end: 'failed' },
  { name: 'comment refused, then resent', leads: ofSite('comment-422-once'), state: 'parked', end: 'delivered', verb: 'resend' },
  { name: 'outcome unknown', leads: ofOthers('reset-after-once'), state: 'parked', end: 'parked' },
  { name: 'outcome unknown, then confirmed', leads: ofOthers('reset-after-once'), state: 'parked', end: 'delivered', verb: 'confirm' },
  {
    name: 'waiting for a held upstream',
    leads: [...ofSite('lookup-500-x3'), ...ofSite('lookup-500-x3')],
    state: 'waiting',
    end: 'delivered',
    isHeld: true,
  },
  { name: 'being looked up', leads: ofSite('v1-late-5000-once'), state: 'verifying', end: 'delivered', isBrief: true },
  {
    name: 'waiting for the next try',
    leads: [...ofSite('v1-429-x4'), ...ofOthers('429-x4')],
    state: 'waiting',
    end: 'delivered',
    isBrief: true,
  },
  {
    name: 'being sent',
    leads: [...ofSite('v1-slow-1500'), ...ofOthers('slow-1500')],
    state: 'running',
    end: 'delivered',
    isBrief: true,
  },
];
