/** `leadgate backup`: a copy of everything that is stored, while the service runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { startTrail } from '../../src/audit/start';
import { backUp, type CopyResult } from '../../src/backup/copy';
import type { Config } from '../../src/config/config';
import { command, orUnable, statuses, Unable } from './command';
import { givenKeys, mustHaveDataDir } from './keyring';
import { json } from './print';

const group = 'Operations';
const noKeys = 'The encryption keys are not in it: keep them elsewhere. Without them no copy can be read';

export const backup = command({
  name: 'backup',
  group,
  summary: 'Copy everything that is stored, while the service runs',
  about: [
    'The engine stands still while its file is copied. The copy has a manifest with the digest of each file. The encryption keys are left out.',
    '--to - writes a tar file to the standard output instead.',
  ],
  args: [{ name: 'dir', about: 'the copy: a new directory', optional: true, file: true }],
  options: { to: { type: 'string', value: '-', about: 'write a tar file to the standard output', words: ['-'] } },
  examples: ['backup /backups/2026-11-24', 'backup --to - | zstd | aws s3 cp - s3://backups/2026-11-24.tar.zst'],
  async run({ io, args: [dir], options, config }) {
    if (Boolean(dir) === (options.to !== undefined)) throw new Unable('Name a new directory, or --to - for a tar file');
    const settings = config();
    if (!dir) return toStandardOutput(settings, io.err);
    const copied = await copy(settings, dir);
    if (isInside(dir, settings.LEADGATE_DATA_DIR))
      io.err(`${dir} is in the data directory: whatever takes the data takes this copy, too. Keep one elsewhere.\n`);
    if (options.json) io.out(json({ success: true, dir, ...copied }));
    else io.out(`${dir}: ${wordsOf(copied)}\n${noKeys}.\n`);
    return statuses.done;
  },
});

/** A copy inside the data directory is lost together with it. */
function isInside(dir: string, dataDir: string): boolean {
  const path = relative(resolve(dataDir), resolve(dir));
  return path.split(sep)[0] !== '..' && !isAbsolute(path);
}

/** Goes on the audit trail, because a copy with its keys tells everything that is stored. */
async function copy(config: Config, dir: string): Promise<CopyResult> {
  mustHaveDataDir(config);
  const keys = givenKeys(config);
  const trail = await startTrail(config, keys);
  try {
    const asked = await trail.write({ who: 'local', action: 'backup', outcome: 'asked' });
    const copied = await backUp(config, keys, dir).catch(orUnable);
    await trail.write({ who: 'local', action: 'backup', outcome: 'done', of: asked, copiedAt: copied.manifest.copiedAt });
    return copied;
  } finally {
    await trail.close();
  }
}

const wordsOf = ({ manifest: { copiedAt, files }, bytes, suspendedMs }: CopyResult): string =>
  `${files.length} files, ${(bytes / 1024 ** 2).toFixed(1)} MiB, as of ${copiedAt}; the engine was suspended for ${suspendedMs} ms`;

/** The copy is made on the local disk first: the engine must not stand still for as long as a reader takes. */
async function toStandardOutput(config: Config, say: (text: string) => void): Promise<0 | 2> {
  const dir = join(config.LEADGATE_DATA_DIR, `.copy-${process.pid}.tar`);
  try {
    const copied = await copy(config, dir);
    const tar = spawn('tar', ['-C', dir, '-cf', '-', '.'], { stdio: ['ignore', 'inherit', 'inherit'] });
    const [status] = (await once(tar, 'exit')) as [number | null];
    if (status !== 0) throw new Unable('The tar file could not be written');
    say(`${wordsOf(copied)}\n${noKeys}.\n`);
    return statuses.done;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
