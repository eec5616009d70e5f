/** Makes a release of the last commit in `release/`: scripts/release.mjs starts it with the Node of the image. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { run } from '../../src/engine/search-context';
import { messageOf } from '../../src/lib/errors';
import { signerOf, type Signer } from '../../tools/copies/signer';
import { fileNames, tarballName } from '../../tools/release/files';
import { verifyRelease } from '../../tools/release/verify';
import { writeArchive } from './archive';
import { debianPurl, engineBom, imageBom, nodePurl, packagesBom } from './boms';
import { imageConfig, imageLayers } from './image';
import { inputs, pinAgain, type Inputs } from './inputs';
import { writeLayout } from './layout';
import { sealRelease, type Origin } from './seal';
import { builtSource, lastCommit, productionPackages, versionOf, type Commit } from './source';
import { entriesOf } from './tar';

const keySetting = 'RELEASE_SIGNING_KEY_FILE';
const out = join(projectDir, 'release');
const say = (text: string) => process.stderr.write(`${text}\n`);

function signerFrom(path: string | undefined): Signer | undefined {
  if (!path) return undefined;
  try {
    return signerOf(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${keySetting} must name a private Ed25519 key in PEM form (openssl genpkey -algorithm ed25519): ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Writes everything but what seals it. */
async function write(commit: Commit, parts: Inputs, work: string): Promise<Origin> {
  say('Building the commit …');
  const source = await builtSource(commit, work);
  const packages = await productionPackages(source, work);
  const about = { version: versionOf(source), commit: commit.id, time: new Date(commit.timeS * 1000).toISOString() };
  say('Writing the tarball, the image and the bills of materials …');
  const root = `leadgate-${about.version}`;
  const leavesOut = (path: string) => path === `${root}/node_modules`;
  await writeArchive(join(out, tarballName(about.version)), entriesOf(source, root, { leavesOut }), commit.timeS);
  await writeLayout(out, await imageLayers({ inputs: parts, source, packages, work }), imageConfig, about);
  mkdirSync(join(out, 'sbom'));
  writeFileSync(join(out, fileNames.packagesBom), await packagesBom(source, about));
  writeFileSync(join(out, fileNames.engineBom), await engineBom(parts.temporal, about));
  writeFileSync(join(out, fileNames.imageBom), imageBom(parts, about));
  const { node, debian } = parts;
  const dependencies = [
    { name: 'bin/node', uri: nodePurl(node.version), digest: { sha256: node.sha256 } },
    ...debian.map((one) => ({ uri: debianPurl(one), digest: { sha256: one.sha256 } })),
  ];
  return { ...about, npm: (await run('npm', ['--version'])).trim(), dependencies };
}

async function release(work: string): Promise<void> {
  const signer = signerFrom(process.env[keySetting]);
  const commit = await lastCommit();
  const parts = await inputs();
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  await sealRelease(out, await write(commit, parts, work), signer);
  const { problems } = await verifyRelease(out, signer?.fingerprint);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  say(signer ? `release/: signed with the key ${signer.fingerprint}` : `release/: not signed, because ${keySetting} is not set`);
}

async function main(args: readonly string[]): Promise<void> {
  const unknown = args.find((arg) => arg !== '--pin');
  if (unknown) throw new Error(`Unknown option: ${unknown}`);
  const work = mkdtempSync(join(tmpdir(), 'leadgate-release-'));
  try {
    if (args.includes('--pin')) say((await pinAgain(work)).join('\n') || "Debian's packages are the newest");
    else await release(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  say(messageOf(error));
  process.exitCode = 1;
});
