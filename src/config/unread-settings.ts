/** Finds the names in `.env` and in the environment that look like settings and that nothing reads. Shows no value. */
import { readFileSync } from 'node:fs';
import { didYouMean, isTypo, nearest } from '../domain/nearest';
import { isObject } from '../domain/formats';
import type { Config, GivenNames } from './config';
import { fileOf } from './secrets';
import { variableNames } from './settings';

export interface UnreadSetting {
  readonly name: string;
  /** The setting that was probably meant. */
  readonly meant?: string;
  readonly message: string;
}

/** Names that Node, libraries, Docker Compose, the scripts and the tests read. */
const othersRead = [
  /^(NODE|OTEL|COMPOSE|DOCKER|LEADGATE_TEST)_/,
  /^(npm_.*|TZ|PATH|PORT_LAST|CHROMIUM_PATH|(https?|no|all)_proxy)$/i,
  /^TEMPORAL_(GRPC_META_.*|CODEC_(AUTH|ENDPOINT)|API_KEY(_FILE)?|TEST_SERVER_PATH)$/,
  /^TEMPORAL_TLS(_(CLIENT_CERT|CLIENT_KEY|SERVER_CA_CERT)_(DATA|PATH)|_SERVER_NAME|_DISABLE_HOST_VERIFICATION)?$/,
];

/** The beginnings that no other program's variables have. */
const ownPrefix = /^(LEADGATE|TASKBOARD|RECRUIT|LEADFORMS|SCREENING|CLINICSYS|KEY_SERVICE|SCR_SANDBOX|GATEWAY_API)_/i;
/** Variables that Kubernetes and Docker set for a service of that name. */
const serviceVariable = /_(SERVICE_(HOST|PORT)(_.*)?|PORT(_\d+_(TCP|UDP).*)?)$/;

const looksOwn = (name: string): boolean =>
  (ownPrefix.test(name) && !serviceVariable.test(name)) || variableNames.some((known) => isTypo(name, known));

/** Returns the variables that the file of sites names for their keys. `sites.ts` reports the faults of the file. */
function keysOfSites({ LEADFORMS_SITES_FILE: file }: Config): readonly string[] {
  try {
    const sites: unknown = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'));
    return Object.values(isObject(sites) ? sites : {}).flatMap((site) =>
      isObject(site) && typeof site.key_env === 'string' ? [site.key_env, fileOf(site.key_env)] : [],
    );
  } catch {
    return [];
  }
}

/** In `.env`, every unknown name counts; in the environment, only one that looks like a setting. */
export function findUnreadSettings(config: Config, { inFile, inEnvironment }: GivenNames): readonly UnreadSetting[] {
  const read = new Set([...variableNames, ...keysOfSites(config)]);
  const isUnread = (name: string) => !read.has(name) && !othersRead.some((form) => form.test(name));
  const names = new Set([...inFile, ...inEnvironment.filter(looksOwn)].filter(isUnread));
  return [...names].map((name) => {
    const meant = nearest(name, variableNames);
    return { name, meant, message: didYouMean(`nothing reads ${name}`, meant) };
  });
}
