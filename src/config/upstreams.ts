/**
 * Names the settings that a request needs, by its flow and account, and finds their values: the set ones, or the sandbox's if it stands in.
 * Also gives the sites, maps and deadlines, and checks the sandbox binding.
 */
import { join } from 'node:path';
import type { Account } from '../domain/clinicsys';
import type { SandboxBinding } from '../domain/execution-context';
import { pick } from '../domain/formats';
import type { ForwardFlow } from '../domain/forward';
import type { UpstreamName } from '../domain/upstreams';
import type { JsonObject } from '../domain/lead';
import type { ScreeningMaps } from '../domain/screening';
import { projectDir, type Config } from './config';
import { noMaps, parseMaps } from './maps';
import { sandboxBoard, sandboxSecrets, sandboxUrls } from './sandbox-urls';
import { parseSites, type Sites } from './sites';
import { watchedFile } from './watched-file';

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

export const boardAddress: Need = ['TASKBOARD_URL'];

export interface Upstreams {
  /** The value of a need: the set one, or the sandbox's if none is set. Undefined if there is neither. */
  find(need: Need): { readonly value: string; readonly sandbox: boolean } | undefined;
  /** The sites that a lead for this address may name; the demonstration sites if the sandbox stands in. */
  sites(address: Need): Sites | undefined;
  maps(): ScreeningMaps;
}

const demonstrationSites = join(projectDir, 'config', 'sites.json');

/** With `sandboxPort`, the simulators on that port stand in for upstreams without a URL. */
export function upstreamsOf(config: Config, sandboxPort?: number): Upstreams {
  const simulated: Readonly<Record<string, string>> =
    sandboxPort === undefined ? {} : { ...sandboxUrls(sandboxPort), ...sandboxSecrets((url) => config[url] === undefined) };
  const { LEADFORMS_SITES_FILE: sitesFile, SCREENING_MAPS_FILE: mapsFile } = config;
  const ownSites = sitesFile === undefined ? undefined : watchedFile('LEADFORMS_SITES_FILE', sitesFile, parseSites);
  const standInSites = sandboxPort === undefined ? undefined : watchedFile('LEADFORMS_SITES_FILE', demonstrationSites, parseSites);
  const maps = mapsFile === undefined ? () => noMaps : watchedFile('SCREENING_MAPS_FILE', mapsFile, parseMaps);
  const board = sandboxPort !== undefined && config.TASKBOARD_URL === undefined ? sandboxBoard : {};
  const find: Upstreams['find'] = (need) => {
    const demonstrated = pick<string>(board, need[0]);
    if (demonstrated !== undefined) return { value: demonstrated, sandbox: true };
    const own = need.map((name) => config[name]).find((value) => value !== undefined);
    if (own !== undefined) return { value: own, sandbox: false };
    const [standIn] = need.flatMap((name) => simulated[name] ?? []).slice(-1);
    return standIn === undefined ? undefined : { value: standIn, sandbox: true };
  };
  return { find, maps, sites: (address) => (ownSites ?? (find(address)?.sandbox ? standInSites : undefined))?.() };
}

/** True if the sandbox stood in for any upstream. */
export const isSandboxed = (binding: SandboxBinding): boolean => Object.values(binding).includes(true);

/** The kind of system that a lead came in for, and the reason why it goes to no other kind. */
export interface Breach {
  readonly cameForSandbox: boolean;
  readonly message: string;
}

/**
 * Checks the sandbox binding, at a redrive and before each request: a lead accepted for the sandbox never reaches a real upstream, nor the
 * reverse. Undefined if the request may go out now. `unbound` tells how to treat a setting that the lead did not need when it came in.
 */
export function breachOf(binding: SandboxBinding, setting: string, isSandbox: boolean, unbound = isSandbox): Breach | undefined {
  const cameForSandbox = new Map(Object.entries(binding)).get(setting) ?? unbound;
  if (cameForSandbox === isSandbox) return undefined;
  const message = cameForSandbox
    ? `The sandbox stood in for ${setting} when this lead came in: it goes to no real system. Send it as a new lead`
    : `${setting} is not set. This lead came in for a real system, and the sandbox is none`;
  return { cameForSandbox, message };
}

type Timeout = Extract<keyof Config, `${string}_TIMEOUT_MS`>;

const timeouts: Readonly<Record<ForwardFlow, Timeout>> = {
  recruit: 'RECRUIT_TIMEOUT_MS',
  leadforms: 'LEADFORMS_TIMEOUT_MS',
  'leadforms-sandbox': 'LEADFORMS_TIMEOUT_MS',
  screening: 'SCREENING_TIMEOUT_MS',
};

/** The deadline of one request of a flow. The flows of group E share one. */
export const timeoutMs = (config: Config, flow = ''): number => config[pick<Timeout>(timeouts, flow) ?? 'CLINICSYS_TIMEOUT_MS'];

export const longestTimeoutMs = (config: Config): number =>
  Math.max(
    config.KEY_SERVICE_TIMEOUT_MS,
    config.TASKBOARD_TIMEOUT_MS,
    timeoutMs(config),
    ...Object.values(timeouts).map((name) => config[name]),
  );

/** The sandbox's port if it is on. `auto` is the caller's meaning of SANDBOX=auto. */
export function sandboxPort({ SANDBOX, SANDBOX_PORT }: Config, auto: 'on' | 'off'): number | undefined {
  return (SANDBOX === 'auto' ? auto : SANDBOX) === 'on' ? SANDBOX_PORT : undefined;
}
