/** Finds programs that proofs need besides Node, and installs their Debian packages. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const debianPostgres = '/usr/lib/postgresql';

function isOnPath(...names) {
  const postgres = existsSync(debianPostgres) ? readdirSync(debianPostgres).map((version) => join(debianPostgres, version, 'bin')) : [];
  const dirs = [...(process.env.PATH ?? '').split(delimiter), ...postgres];
  return names.some((name) => dirs.some((dir) => existsSync(join(dir, name))));
}

/** Looks in the library directory of each architecture. */
const hasLibrary = (path) => readdirSync('/usr/lib').some((dir) => existsSync(join('/usr/lib', dir, path)));

const needs = {
  Chromium: {
    isThere: () => Boolean(process.env.CHROMIUM_PATH) || isOnPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'),
    debian: 'chromium',
  },
  'a Postgres server': { isThere: () => isOnPath('initdb'), debian: 'postgresql' },
  Go: { isThere: () => isOnPath('go'), debian: undefined },
  Python: { isThere: () => isOnPath('python3'), debian: 'python3-venv' },
  curl: { isThere: () => isOnPath('curl'), debian: 'curl' },
  libfaketime: { isThere: () => hasLibrary('faketime/libfaketime.so.1'), debian: 'libfaketime' },
  OpenSSL: { isThere: () => isOnPath('openssl'), debian: 'openssl' },
  nginx: { isThere: () => isOnPath('nginx') || existsSync('/usr/sbin/nginx'), debian: 'nginx-light' },
  Caddy: { isThere: () => isOnPath('caddy'), debian: 'caddy' },
};

const quietly = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
const apt = (log, ...args) => execFileSync('apt-get', ['-qq', ...args], { env: quietly, stdio: ['ignore', log, log] });

/** Returns undefined if all programs exist or could be installed; otherwise the reason. `log` is an open file for the output of apt. */
export function missing(names, { mayInstall, log }) {
  for (const name of names) {
    const { isThere, debian } = needs[name];
    if (isThere()) continue;
    if (!debian || !mayInstall) return `${name} is not on this machine${debian ? ` (Debian: apt-get install ${debian})` : ''}`;
    try {
      apt(log, 'update');
      apt(log, 'install', '-y', '--no-install-recommends', debian);
    } catch (error) {
      return `${name} is not on this machine, and could not be installed: ${error.message}`;
    }
    if (!isThere()) return `${name} is not on this machine, though ${debian} was installed`;
  }
  return undefined;
}
