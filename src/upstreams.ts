/** Where each group goes: which settings are there, which are missing, and for which the sandbox stands in. */
import type { Config } from './config';
import type { Account } from './domain/clinicsys';
import { sandboxUrls } from './sandbox/urls';

type TextSetting = { [Name in keyof Config]: Config[Name] extends string | undefined ? Name : never }[keyof Config];

/** Settings that can stand for each other, the first that is set counts: `[KEY_SERVICE_URL_ERG, KEY_SERVICE_URL]`. */
export type Need = readonly [TextSetting, ...TextSetting[]];

export interface Upstreams {
  /** The value behind a need, the sandbox's where none is set; undefined when there is none at all. */
  find(need: Need): { readonly value: string; readonly sandbox: boolean } | undefined;
}

/** `sandboxPort` where an upstream without a URL is the simulator there. */
export function upstreamsOf(config: Config, sandboxPort?: number): Upstreams {
  const simulated: Readonly<Record<string, string>> = sandboxPort === undefined ? {} : sandboxUrls(sandboxPort);
  return {
    find(need) {
      const own = need.map((name) => config[name]).find((value) => value !== undefined);
      if (own !== undefined) return { value: own, sandbox: false };
      const [standIn] = need.flatMap((name) => simulated[name] ?? []).slice(-1);
      return standIn === undefined ? undefined : { value: standIn, sandbox: true };
    },
  };
}

type AccountSetting = 'KEY_SERVICE_URL' | 'CLINICSYS_V1_APPLY_URL' | 'CLINICSYS_V2_URL';
const suffixes = { ERG: 'ERG', Futuro: 'FUTURO' } as const;

/** An account's own setting, or the one for both. */
export const ofAccount = (setting: AccountSetting, account: Account): Need => [`${setting}_${suffixes[account]}`, setting];

/** Where the sandbox is, when it is on; `auto` says what `auto` means to the part that asks. */
export function sandboxPort({ SANDBOX, SANDBOX_PORT }: Config, auto: 'on' | 'off'): number | undefined {
  return (SANDBOX === 'auto' ? auto : SANDBOX) === 'on' ? SANDBOX_PORT : undefined;
}
