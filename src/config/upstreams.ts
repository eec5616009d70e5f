/**
 * Names the settings that a request needs, by flow and account, and finds their values: the configured ones, else the sandbox's. Also
 * provides sites, maps and deadlines, and checks the sandbox binding.
 */
import { join } from 'node:path';
import type { Account } from '../domain/clinicsys';
import type { SandboxBinding } from '../domain/execution-context';
import { pick } from '../domain/formats';
import type { ForwardFlow } from '../domain/forward';
import { upstreamOf } from '../domain/forwarders';
import type { UpstreamName } from '../domain/upstreams';
import type { JsonObject } from '../domain/lead';
import type { ScreeningMaps } from '../domain/screening';
import { projectDir, valuesOf, type Config, type Values } from './config';
import { noMaps, parseMaps } from './maps';
import { sandboxBoard, sandboxSecrets, sandboxUrls } from './sandbox-urls';
import { settings } from './settings';
import { parseSites, type Sites } from './sites';
import { watchedFile } from './watched-file';

type TextVariable = { [Name in keyof Values]: Values[Name] extends string | undefined ? Name : never }[keyof Values];

/** Settings in order of precedence, such as `[KEY_SERVICE_URL_ERG, KEY_SERVICE_URL]`. */
export type Need = readonly [TextVariable, ...TextVariable[]];

const recruitUrls = settings['Group B: recruitment'].RECRUIT_URL.variables;
const leadformsUrls = settings['Group C: lead forms'].LEADFORMS_URL.variables;
const siteSystem = settings['Group E: site system'];

const forwardUrls: Readonly<Record<ForwardFlow, (body: JsonObject) => Need>> = {
  recruit: ({ environment }) => [pick<TextVariable>(recruitUrls, String(environment)) ?? recruitUrls.sandbox],
  leadforms: () => [leadformsUrls.both],
  'leadforms-sandbox': () => [leadformsUrls.sandbox, leadformsUrls.both],
  screening: () => ['SCREENING_URL'],
};

/** The name of a need in messages: its last, most general setting. */
export const settingOf = (need: Need): string => need.at(-1) ?? need[0];

/** The URL setting of the upstream that a lead of this flow is sent to. */
export const forwardUrl = (flow: ForwardFlow, body: JsonObject): Need => forwardUrls[flow](body);

export type AccountSetting = 'KEY_SERVICE_URL' | 'CLINICSYS_V1_APPLY_URL' | 'CLINICSYS_V2_URL';

/** The account's own setting, else the setting of both accounts. */
export function ofAccount(setting: AccountSetting, account: Account): Need {
  const { variables } = siteSystem[setting];
  return [variables[account], variables.both];
}

const forBoth = (setting: AccountSetting): Need[] => [ofAccount(setting, 'ERG'), ofAccount(setting, 'Futuro')];

/** The URL settings of each upstream. The list of upstreams leaves out an upstream without any. */
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
  /** Finds the value of a need: the configured one, else the sandbox's. Undefined if there is neither. */
  find(need: Need): { readonly value: string; readonly sandbox: boolean } | undefined;
  /** Returns the sites that a lead for this address may name; the demonstration sites for the sandbox. */
  sites(address: Need): Sites | undefined;
  maps(): ScreeningMaps;
}

const demonstrationSites = join(projectDir, 'config', 'sites.json');

/** With `sandboxPort`, the simulators on that port replace upstreams without a URL. */
export function upstreamsOf(config: Config, sandboxPort?: number): Upstreams {
  const values = valuesOf(config);
  const simulated: Readonly<Record<string, string>> =
    sandboxPort === undefined ? {} : { ...sandboxUrls(sandboxPort), ...sandboxSecrets((url) => values[url] === undefined) };
  const { LEADFORMS_SITES_FILE: sitesFile, SCREENING_MAPS_FILE: mapsFile } = config;
  const ownSites = sitesFile === undefined ? undefined : watchedFile('LEADFORMS_SITES_FILE', sitesFile, parseSites);
  const standInSites = sandboxPort === undefined ? undefined : watchedFile('LEADFORMS_SITES_FILE', demonstrationSites, parseSites);
  const maps = mapsFile === undefined ? () => noMaps : watchedFile('SCREENING_MAPS_FILE', mapsFile, parseMaps);
  const board = sandboxPort !== undefined && config.TASKBOARD_URL === undefined ? sandboxBoard : {};
  const find: Upstreams['find'] = (need) => {
    const demonstrated = pick<string>(board, need[0]);
    if (demonstrated !== undefined) return { value: demonstrated, sandbox: true };
    const own = need.map((name) => values[name]).find((value) => value !== undefined);
    if (own !== undefined) return { value: own, sandbox: false };
    const [standIn] = need.flatMap((name) => simulated[name] ?? []).slice(-1);
    return standIn === undefined ? undefined : { value: standIn, sandbox: true };
  };
  return { find, maps, sites: (address) => (ownSites ?? (find(address)?.sandbox ? standInSites : undefined))?.() };
}

/** True if the sandbox stood in for any upstream. */
export const isSandboxed = (binding: SandboxBinding): boolean => Object.values(binding).includes(true);

/** A violation of the sandbox binding. */
export interface BindingBreach {
  readonly cameForSandbox: boolean;
  readonly message: string;
}

/**
 * Checks the sandbox binding, at a redrive and before each request: a lead that was accepted for the sandbox never reaches a real upstream,
 * nor the reverse. Undefined if the request is allowed. `unbound` applies to a setting that the lead did not need when it was accepted.
 */
export function breachOf(binding: SandboxBinding, setting: string, isSandbox: boolean, unbound = isSandbox): BindingBreach | undefined {
  const cameForSandbox = new Map(Object.entries(binding)).get(setting) ?? unbound;
  if (cameForSandbox === isSandbox) return undefined;
  const message = cameForSandbox
    ? `The sandbox stood in for ${setting} when this lead was accepted, so it is not sent to a real system. Send it as a new lead`
    : `${setting} is not set. This lead was accepted for a real system, so it is not sent to the sandbox`;
  return { cameForSandbox, message };
}

/** Returns the deadline of one request of a flow. The flows of group E share one. */
export const timeoutMs = ({ TIMEOUT_MS }: Config, flow = ''): number =>
  TIMEOUT_MS[pick<keyof typeof TIMEOUT_MS>(upstreamOf, flow) ?? 'site-system'];

export const longestTimeoutMs = ({ TIMEOUT_MS }: Config): number => Math.max(...Object.values(TIMEOUT_MS));

/** Returns the sandbox's port if it is on. `auto` is what SANDBOX=auto means in this process. */
export function sandboxPort({ SANDBOX, SANDBOX_PORT }: Config, auto: 'on' | 'off'): number | undefined {
  return (SANDBOX === 'auto' ? auto : SANDBOX) === 'on' ? SANDBOX_PORT : undefined;
}
