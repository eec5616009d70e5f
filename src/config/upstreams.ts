/** Finds the value of each upstream setting: the set one, or the sandbox's if it stands in. Also gives the sites, maps and deadlines. */
import { join } from 'node:path';
import { pick } from '../domain/formats';
import type { ForwardFlow } from '../domain/forward';
import type { ScreeningMaps } from '../domain/screening';
import { projectDir, type Config } from './config';
import { noMaps, parseMaps } from './maps';
import type { Need } from './needs';
import { sandboxBoard, sandboxSecrets, sandboxUrls } from './sandbox-urls';
import { parseSites, type Sites } from './sites';
import { watchedFile } from './watched-file';

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
