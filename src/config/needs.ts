/** Names the settings that a request cannot do without, by its flow and account. Their values are found by `upstreams.ts`. */
import type { Account } from '../domain/clinicsys';
import { pick } from '../domain/formats';
import type { ForwardFlow } from '../domain/forward';
import type { UpstreamName } from '../domain/hold';
import type { JsonObject } from '../domain/lead';
import type { Config } from './config';

type TextSetting = { [Name in keyof Config]: Config[Name] extends string | undefined ? Name : never }[keyof Config];

/** Settings that can replace each other, such as `[KEY_SERVICE_URL_ERG, KEY_SERVICE_URL]`. The first that is set counts. */
export type Need = readonly [TextSetting, ...TextSetting[]];

const recruitUrls = {
  sandbox: 'RECRUIT_URL_SANDBOX',
  us: 'RECRUIT_URL_US',
  canada: 'RECRUIT_URL_CANADA',
  australia: 'RECRUIT_URL_AUSTRALIA',
  europe: 'RECRUIT_URL_EUROPE',
} as const;

const forwardUrls: Readonly<Record<ForwardFlow, (body: JsonObject) => Need>> = {
  recruit: ({ environment }) => [pick(recruitUrls, String(environment)) ?? 'RECRUIT_URL_SANDBOX'],
  leadforms: () => ['LEADFORMS_URL'],
  'leadforms-sandbox': () => ['LEADFORMS_SANDBOX_URL', 'LEADFORMS_URL'],
  screening: () => ['SCREENING_URL'],
};

/** The name of a need in messages: its most general setting, the last one. */
export const settingOf = (need: Need): string => need.at(-1) ?? need[0];

/** The URL setting of the upstream that a lead of this flow goes to. */
export const forwardUrl = (flow: ForwardFlow, body: JsonObject): Need => forwardUrls[flow](body);

export type AccountSetting = 'KEY_SERVICE_URL' | 'CLINICSYS_V1_APPLY_URL' | 'CLINICSYS_V2_URL';
const suffixes = { ERG: 'ERG', Futuro: 'FUTURO' } as const;

/** An account's own setting, or else the one for both accounts. */
export const ofAccount = (setting: AccountSetting, account: Account): Need => [`${setting}_${suffixes[account]}`, setting];

const forBoth = (setting: AccountSetting): Need[] => [ofAccount(setting, 'ERG'), ofAccount(setting, 'Futuro')];

/** The URL settings of each upstream. An upstream for which none is set is left out of the list of upstreams. */
export const addresses: Readonly<Record<UpstreamName, readonly Need[]>> = {
  'key-service': forBoth('KEY_SERVICE_URL'),
  V1: forBoth('CLINICSYS_V1_APPLY_URL'),
  V2: forBoth('CLINICSYS_V2_URL'),
  recruitment: Object.values(recruitUrls).map((url): Need => [url]),
  leadforms: [forwardUrls.leadforms({}), forwardUrls['leadforms-sandbox']({})],
  screening: [forwardUrls.screening({})],
};
