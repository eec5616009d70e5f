/**
 * Says what is in the image: Debian's packages, Node, the npm packages, Leadgate. It is like that of the Dockerfile, but its Debian has no
 * shell: docs/decisions/0012-releases.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../src/engine/search-context';
import type { Inputs, PackageFile } from './inputs';
import type { Layer } from './layout';
import { entriesOf, textFile, type TarEntry } from './tar';

const node = 1000;

/** As the Dockerfile says. The user has a number, by which Kubernetes sees that it is not root. */
export const imageConfig = {
  User: `${node}:${node}`,
  Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'NODE_ENV=production'],
  Entrypoint: ['node', 'scripts/bootstrap.mjs'],
  Cmd: ['api'],
  WorkingDir: '/app',
} as const;

/** What the Dockerfile copies of the source. */
export const copiedFiles = ['package.json', 'package-lock.json', 'scripts/bootstrap.mjs', 'config/sites.json'] as const;

const directory = (path: string, mode = 0o755, owner = 0): TarEntry => ({ path, mode, owner, type: 'directory' });

const accounts: readonly TarEntry[] = [
  textFile('etc/passwd', `root:x:0:0:root:/root:/usr/sbin/nologin\nnode:x:${node}:${node}::/home/node:/usr/sbin/nologin\n`),
  textFile('etc/group', `root:x:0:\nnode:x:${node}:\n`),
  textFile('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
];

/** One file with every certificate, as Debian's update-ca-certificates writes it. */
function certificates(root: string): TarEntry[] {
  const dir = join(root, 'usr/share/ca-certificates/mozilla');
  const texts = readdirSync(dir)
    .toSorted()
    .map((name) => `${readFileSync(join(dir, name), 'utf8').trimEnd()}\n`);
  return [textFile('etc/ssl/certs/ca-certificates.crt', texts.join(''))];
}

const records = 'var/lib/dpkg/status.d';

/** Unpacks the packages, without their scripts. Each leaves its record where scanners of images without dpkg look for it. */
async function debianLayer(packages: readonly PackageFile[], dir: string): Promise<TarEntry[]> {
  const root = join(dir, 'debian');
  const status: TarEntry[] = [];
  for (const { name, path } of packages) {
    await run('dpkg-deb', ['-x', path, root]);
    status.push(textFile(`${records}/${name}`, await run('dpkg-deb', ['-f', path])));
  }
  return [
    ...entriesOf(root, '', { keepsModes: true }),
    ...accounts,
    ...certificates(root),
    directory(records),
    ...status,
    directory('home/node', 0o755, node),
    directory('data', 0o700, node),
  ];
}

const nodeLayer = ({ path }: Inputs['node']): TarEntry[] => [
  ...['usr', 'usr/local', 'usr/local/bin'].map((name) => directory(name)),
  { path: 'usr/local/bin/node', mode: 0o755, type: 'file', read: () => readFileSync(path) },
];

/** The SDK brings its core for five platforms, some 30 MB each. */
const otherCores = /^app\/node_modules\/@temporalio\/core-bridge\/releases\/(?!x86_64-unknown-linux-gnu(?:\/|$))/;

const packagesLayer = (packages: string): TarEntry[] => [
  directory('app'),
  directory('app/node_modules'),
  ...entriesOf(packages, 'app/node_modules', { leavesOut: (path) => otherCores.test(path) }),
];

const appLayer = (source: string): TarEntry[] => [
  ...['app', 'app/config', 'app/scripts'].map((name) => directory(name)),
  ...copiedFiles.map((name) => textFile(`app/${name}`, readFileSync(join(source, name), 'utf8'))),
  directory('app/dist'),
  ...entriesOf(join(source, 'dist'), 'app/dist'),
];

interface ImageParts {
  readonly inputs: Inputs;
  readonly source: string;
  readonly packages: string;
  /** For the unpacked packages. */
  readonly work: string;
}

/** From what changes least to what changes most, because a layer that is known already is not fetched again. */
export const imageLayers = async ({ inputs, source, packages, work }: ImageParts): Promise<Layer[]> => [
  { what: "Debian's packages, unpacked", entries: await debianLayer(inputs.debian, work) },
  { what: `Node ${inputs.node.version}`, entries: nodeLayer(inputs.node) },
  { what: 'npm ci --ignore-scripts --omit=dev', entries: packagesLayer(packages) },
  { what: 'Leadgate', entries: appLayer(source) },
];
