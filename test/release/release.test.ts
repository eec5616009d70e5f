/** Tests a release without its build: archives, the check of a small one, and what the image and the Dockerfile have in common. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey, signerOf } from '../../tools/copies/signer';
import { fileNames, tarballName } from '../../tools/release/files';
import { blobName, layoutNames } from '../../tools/release/image';
import { writeArchive } from '../../scripts/release/archive';
import { copiedFiles, imageConfig } from '../../scripts/release/image';
import { writeLayout } from '../../scripts/release/layout';
import { sealRelease } from '../../scripts/release/seal';
import { entriesOf, textFile } from '../../scripts/release/tar';
import { leadgate } from '../cli/support';

const project = join(__dirname, '../..');
const dir = mkdtempSync(join(tmpdir(), 'leadgate-release-test-'));
afterAll(() => rmSync(dir, { recursive: true }));

let places = 0;
const place = () => join(dir, `place-${++places}`);

describe('an archive', () => {
  const longName = `${'deep/'.repeat(30)}leaf.txt`;

  /** The same tree, but for what differs between two clones of one commit. */
  function tree(umask: number, time: Date): string {
    const root = place();
    mkdirSync(join(root, 'deep/'.repeat(30)), { recursive: true });
    const files = { 'run.mjs': 'one', 'Ä.txt': 'two', [longName]: 'three' };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(root, name), text);
      chmodSync(join(root, name), (name === 'run.mjs' ? 0o777 : 0o666) & ~umask);
      utimesSync(join(root, name), time, time);
    }
    symlinkSync('run.mjs', join(root, 'link'));
    return root;
  }
  async function archive(root: string): Promise<string> {
    const path = place();
    await writeArchive(path, entriesOf(root, 'top'), 1_764_000_000);
    return path;
  }

  it('is the same byte for byte for any umask and any time', async () => {
    const [one, other] = [await archive(tree(0o022, new Date(0))), await archive(tree(0o077, new Date()))];
    expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
  });

  it('is unpacked by tar, with long and foreign names, links and modes', async () => {
    const [root, into] = [tree(0o022, new Date()), place()];
    mkdirSync(into);
    execFileSync('tar', ['-xzf', await archive(root), '-C', into]);
    const listed = (from: string) =>
      execFileSync('find', ['.', '-printf', '%P %y %l %m\n'], { cwd: from, encoding: 'utf8' }).split('\n').toSorted();
    const [told, there] = [listed(join(into, 'top')), listed(root)];
    expect(told).toEqual(there);
    expect(readFileSync(join(into, 'top', longName), 'utf8')).toBe('three');
  });
});

const version = '1.2.3';
const signer = signerOf(newSigningKey());
const bom = (name: string) =>
  JSON.stringify({
    ...{ bomFormat: 'CycloneDX', specVersion: '1.5' },
    metadata: { component: { name, version } },
    components: [{ name: 'zod', purl: 'pkg:npm/zod@4.0.0' }],
  });

async function made(key?: typeof signer): Promise<string> {
  const out = place();
  mkdirSync(join(out, 'sbom'), { recursive: true });
  await writeArchive(join(out, tarballName(version)), [textFile('leadgate/README.md', 'Leadgate')], 0);
  for (const name of [fileNames.packagesBom, fileNames.engineBom, fileNames.imageBom]) writeFileSync(join(out, name), bom('leadgate'));
  const about = { version, commit: 'ab'.repeat(20), time: '2026-11-28T00:00:00.000Z' };
  const layers = ['one', 'two'].map((what) => ({ what, entries: [textFile(what, what)] }));
  await writeLayout(out, layers, imageConfig, about);
  await sealRelease(out, { ...about, npm: '11.0.0', dependencies: [] }, key);
  return out;
}

describe('leadgate verify-release', () => {
  let whole: string;
  let keyFile: string;
  beforeAll(async () => {
    whole = await made(signer);
    keyFile = join(whole, fileNames.publicKey);
  });

  const nobody = { settings: { LEADGATE_DATA_DIR: join(dir, 'none'), PORT: 'wrong' } };
  const verify = (release: string, ...more: string[]) => leadgate(['verify-release', release, ...more], nobody);

  /** A copy of the release, changed. */
  function changed(change: (at: (name: string) => string) => void, from = whole): string {
    const copy = place();
    cpSync(from, copy, { recursive: true });
    change((name) => join(copy, name));
    return copy;
  }
  const sumsOf = (release: string) =>
    readFileSync(join(release, fileNames.sums), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(66));

  /** Writes the digests anew, as somebody would who changes a file. */
  function sumAgain(release: string): string {
    const lines = sumsOf(release).map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(release, name)))
          .digest('hex')}  ${name}\n`,
    );
    writeFileSync(join(release, fileNames.sums), lines.join(''));
    return release;
  }

  it('verifies a signed release without a service, settings or secrets', async () => {
    const { status, out } = await verify(whole);
    expect({ status, out }).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^verified: Leadgate 1\.2\.3 of commit (ab){20}, 12 files\n/),
    });
    expect(out).toContain(`signed with the key ${signer.fingerprint}\nCompare it`);
    expect(await verify(whole, '--key', keyFile)).toMatchObject({ status: 0, out: expect.not.stringContaining('Compare') });
  });

  it('does not verify one that is signed with another key than the demanded one', async () => {
    const other = await made(signerOf(newSigningKey()));
    const { status, out } = await verify(other, '--key', keyFile);
    expect([status, out]).toEqual([1, expect.stringMatching(/^the release is signed with another key: [0-9a-f]{64}\nnot verified/)]);
  });

  it('says of an unsigned release that it is not verified', async () => {
    const unsigned = await made();
    expect(await verify(unsigned)).toMatchObject({ status: 1, out: expect.stringMatching(/^unsigned, so not verified: /) });
    expect(await verify(unsigned, '--key', keyFile)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^the release is not signed\nnot verified/),
    });
    expect(JSON.parse((await verify(unsigned, '--json')).out)).toMatchObject({ success: false, isSigned: false, problems: [] });
  });

  it('names each file that was changed, by a byte', async () => {
    for (const name of sumsOf(whole)) {
      const copy = changed((at) => {
        const bytes = readFileSync(at(name));
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
        writeFileSync(at(name), bytes);
      });
      expect(await verify(copy)).toMatchObject({ status: 1, out: expect.stringContaining(`${name} was changed\n`) });
    }
  });

  it('names each file that is missing', async () => {
    for (const name of [...sumsOf(whole), fileNames.signature, fileNames.publicKey, fileNames.sums]) {
      const { status, out } = await verify(changed((at) => rmSync(at(name))));
      expect([status, out]).toEqual([1, expect.stringContaining(`${name} is missing`)]);
      expect(out).not.toContain('ENOENT');
    }
  });

  it('says of another directory that it is not a release', async () => {
    const other = place();
    mkdirSync(other);
    writeFileSync(join(other, 'notes.txt'), '');
    expect(await verify(other)).toMatchObject({ status: 1, out: expect.stringMatching(/^SHA256SUMS is missing: .* is not a release\n/) });
    writeFileSync(join(other, fileNames.sums), `${'0'.repeat(64)}  notes.txt\n`);
    const { out } = await verify(sumAgain(other));
    expect(out).toMatch(
      /^without provenance\.json, this directory is not a release\nthe image: image\/oci-layout is missing\nnot verified\n$/,
    );
  });

  it.each(['install.sh', 'image/blobs/sha256/more', '.hidden'])('names a file that was added: %s', async (name) => {
    const copy = changed((at) => writeFileSync(at(name), ''));
    expect(await verify(copy)).toMatchObject({ status: 1, out: expect.stringContaining(`${name} does not belong to the release\n`) });
  });

  it('sees a file that was changed along with its digest, by the signature', async () => {
    const copy = sumAgain(changed((at) => writeFileSync(at(tarballName(version)), 'other')));
    expect((await verify(copy)).out).toBe(
      `SHA256SUMS was changed: the signature does not fit\nprovenance.json is about other files\nnot verified: Leadgate 1.2.3 of commit ${'ab'.repeat(20)}, 12 files\n`,
    );
  });

  it('sees a provenance that was changed, even if only its envelope tells', async () => {
    const copy = sumAgain(
      changed((at) => writeFileSync(at(fileNames.provenance), readFileSync(at(fileNames.provenance), 'utf8').replace('abab', 'cdcd'))),
    );
    writeFileSync(join(copy, fileNames.signature), signer.sign(readFileSync(join(copy, fileNames.sums))));
    expect(await verify(copy)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^provenance\.intoto\.jsonl: the signature does not fit\n/),
    });
  });

  it('does not take a release whose signatures were removed for a signed one', async () => {
    const copy = changed((at) => [fileNames.signature, fileNames.publicKey].forEach((name) => rmSync(at(name))));
    expect((await verify(copy)).status).toBe(1);
  });

  it('compares the image with its manifest, whatever the digests say', async () => {
    const unsigned = await made();
    const { manifests } = JSON.parse(readFileSync(join(unsigned, layoutNames.index), 'utf8'));
    const manifest = blobName(manifests[0].digest);
    const { layers } = JSON.parse(readFileSync(join(unsigned, manifest), 'utf8'));
    const other = sumAgain(changed((at) => writeFileSync(at(blobName(layers[0].digest)), 'other'), unsigned));
    expect((await verify(other)).out).toContain(`${blobName(layers[0].digest)} is not what its name says`);
  });

  it('says what it cannot read', async () => {
    expect(await verify(join(dir, 'nowhere'))).toMatchObject({ status: 2, err: expect.stringContaining('There is no directory') });
    expect(await verify(keyFile)).toMatchObject({ status: 2, err: `leadgate: ${keyFile} is not a directory\n` });
    expect(await verify(whole, '--key', dir)).toMatchObject({ status: 2, err: `leadgate: ${dir} is a directory, not a file\n` });
    expect(await verify(whole, '--key', join(whole, fileNames.sums))).toMatchObject({
      status: 2,
      err: expect.stringContaining('--key must be'),
    });
  });
});

describe('the image of a release', () => {
  const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8');
  const [base = '', last = ''] = [/^FROM (\S+)/m.exec(dockerfile)?.[1], dockerfile.split(/^FROM .*$/m).at(-1)];
  const line = (word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(last)?.[1] ?? '';

  it('starts as that of the Dockerfile does', () => {
    expect(JSON.parse(line('ENTRYPOINT'))).toEqual(imageConfig.Entrypoint);
    expect(JSON.parse(line('CMD'))).toEqual(imageConfig.Cmd);
    expect([line('WORKDIR'), line('USER')]).toEqual([imageConfig.WorkingDir, 'node']);
    expect(imageConfig.Env).toContain(line('ENV'));
  });

  it('has the files of the Dockerfile, and its Node', () => {
    const copied = [...last.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
    expect(copied.toSorted()).toEqual(copiedFiles.toSorted());
    const { node } = JSON.parse(readFileSync(join(project, 'scripts/release/pins.json'), 'utf8'));
    expect(base).toContain(`node:${node.version}-`);
  });
});

it('the workflow bundles name no directory of this machine', () => {
  const bundles = readdirSync(join(project, 'dist')).filter((name) => name.endsWith('-bundle.js'));
  expect(bundles.length).toBe(2);
  for (const name of bundles) {
    const text = readFileSync(join(project, 'dist', name), 'utf8');
    const map = Buffer.from(text.slice(text.lastIndexOf('base64,') + 'base64,'.length), 'base64').toString();
    expect(JSON.parse(map).sources).toContain('src/workflows/lead.ts');
    expect(`${text}${map}`).not.toContain(project);
  }
});
