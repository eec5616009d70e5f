/**
 * `node scripts/complete-lockfile.mjs`, to run after a change of dependencies: adds optional packages of other platforms that the
 * lockfile names but does not contain. If a registry lacks some of them, npm leaves them out, and then `npm ci` refuses the lockfile
 * everywhere.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));

const systems = ['darwin', 'win32', 'linux', 'freebsd', 'android', 'openharmony', 'sunos', 'aix', 'netbsd', 'openbsd'];
const processors = [
  [/riscv64/, 'riscv64'],
  [/loong64/, 'loong64'],
  [/ppc64/, 'ppc64'],
  [/s390x/, 's390x'],
  [/wasm32/, 'wasm32'],
  [/mips64el/, 'mips64el'],
  [/arm64|aarch64/, 'arm64'],
  [/arm-|armv|-arm$/, 'arm'],
  [/ia32/, 'ia32'],
  [/x64/, 'x64'],
];

/** The entry that npm would write for such a package, derived from its name. */
function entry(name, range, { dev, devOptional }) {
  const os = systems.filter((system) => name.includes(system));
  const cpu = processors.find(([pattern]) => pattern.test(name))?.[1];
  if (os.length === 0 && !cpu) return undefined;
  const libc = os[0] === 'linux' && /musl|gnu/.test(name) ? [name.includes('musl') ? 'musl' : 'glibc'] : undefined;
  const when = dev ? { dev } : devOptional ? { devOptional } : {};
  return {
    version: range.replace(/^[\^~]/, ''),
    ...(cpu && { cpu: [cpu] }),
    ...when,
    optional: true,
    ...(os.length > 0 && { os }),
    ...(libc && { libc }),
  };
}

let added = 0;
for (const parent of Object.values(lock.packages))
  for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    const made = lock.packages[path] ? undefined : entry(name, range, parent);
    if (!made) continue;
    lock.packages[path] = made;
    added++;
  }
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en')));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} added`);
