/** `leadgate verify-release`: verifies the files of a release, before they are installed. */
import { publicKeyOf } from '../copies/signer';
import { verifyRelease, type ReleaseReport } from '../release/verify';
import { command, statuses, throwAsCommandError, CommandError } from './command';
import { assertDirectory, readGivenFile } from './given-files';
import { json, onOneLine, pluralize } from './print';

export const verifyReleaseCommand = command({
  name: 'verify-release',
  group: 'Safety',
  summary: 'Verify a release before you install it; status 1 if a file was changed, added or removed, or if nobody signed it',
  about: [
    'Compares every file with SHA256SUMS, the image with its manifest, and the provenance and the bills of materials with the files. Needs no service, no settings and no secrets.',
    'Take the public key from elsewhere than the release: without --key, anybody may have signed it.',
  ],
  args: [{ name: 'dir', about: 'the directory of the release', file: true }],
  options: { key: { type: 'string', value: 'file', file: true, about: 'the public key in PEM form that must have signed the release' } },
  examples: ['verify-release release', 'verify-release release --key leadgate.pem'],
  async run({ io, args: [dir = ''], options }) {
    assertDirectory(dir);
    const expected = options.key === undefined ? undefined : await fingerprintIn(options.key);
    const report = await verifyRelease(dir, expected).catch(throwAsCommandError);
    const isVerified = report.problems.length === 0 && report.isSigned;
    if (options.json) io.out(json({ success: isVerified, isKeyExpected: expected !== undefined, ...report }));
    else io.out(`${linesOf(report, expected !== undefined).join('\n')}\n`);
    return isVerified ? statuses.done : statuses.no;
  },
});

async function fingerprintIn(path: string): Promise<string> {
  const key = publicKeyOf((await readGivenFile(path)).toString());
  if (!key) throw new CommandError('--key must be the file of a public Ed25519 key in PEM form');
  return key.fingerprint;
}

function linesOf({ release, files, isSigned, fingerprint, problems }: ReleaseReport, isKeyExpected: boolean): string[] {
  const what = release ? `: Leadgate ${release.version} of commit ${release.commit}, ${pluralize(files, 'file')}` : '';
  if (problems.length > 0) return [...problems.map(onOneLine), `not verified${what}`];
  if (!isSigned) return [`unsigned, so not verified${what}`, 'The files fit together, but nothing proves who made them.'];
  const compare = 'Compare it with the fingerprint that you were given: anybody can sign with a key of their own.';
  return [`verified${what}`, `signed with the key ${fingerprint}`, ...(isKeyExpected ? [] : [compare])];
}
