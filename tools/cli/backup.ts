/** `leadgate backup`: copies all stored data while the service runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { startTrail } from '../../src/audit/start';
import { backUp, type CopyResult } from '../../src/backup/copy';
import type { Config } from '../../src/config/config';
import { command, throwAsCommandError, statuses, CommandError } from './command';
import { requireKeys, requireDataDir } from './keyring';
import { json } from './print';

const group = 'Operations';
const noKeys = 'The copy does not contain the encryption keys. Keep them elsewhere: without them, no copy can be read';

export const backup = command({
  name: 'backup',
  group,
  summary: 'Copy all stored data while the service runs',
  about: [
    'The engine is suspended while its file is copied. The copy has a manifest with the digest of each file. It does not contain the encryption keys.',
    '--to - writes a tar file to the standard output instead of a directory.',
  ],
  args: [{ name: 'dir', about: 'a new directory for the copy', optional: true, file: true }],
  options: { to: { type: 'string', value: '-', about: 'write a tar file to the standard output', words: ['-'] } },
  examples: ['backup /backups/2026-11-24', 'backup --to - | zstd | aws s3 cp - s3://backups/2026-11-24.tar.zst'],
  async run({ io, args: [dir], options, config }) {
    if (Boolean(dir) === (options.to !== undefined)) throw new CommandError('Name a new directory, or --to - for a tar file');
    const settings = config();
    if (!dir) return toStandardOutput(settings, io.err);
    const copied = await copy(settings, dir);
    if (isWithin(dir, settings.LEADGATE_DATA_DIR))
      io.err(`${dir} is in the data directory, so the copy is lost with the data. Keep a copy elsewhere.\n`);
    if (options.json) io.out(json({ success: true, dir, ...copied }));
    else io.out(`${dir}: ${wordsOf(copied)}\n${noKeys}.\n`);
    return statuses.done;
  },
});

/** A copy inside the data directory is lost together with it. */
function isWithin(dir: string, dataDir: string): boolean {
  const path = relative(resolve(dataDir), resolve(dir));
  return path.split(sep)[0] !== '..' && !isAbsolute(path);
}

/** Recorded on the audit trail, because a copy and its keys together reveal all stored data. */
async function copy(config: Config, dir: string): Promise<CopyResult> {
  requireDataDir(config);
  const keys = requireKeys(config);
  const trail = await startTrail(config, keys);
  try {
    const requestEntry = await trail.write({ who: 'local', action: 'backup', outcome: 'asked' });
    const copied = await backUp(config, keys, dir).catch(throwAsCommandError);
    await trail.write({ who: 'local', action: 'backup', outcome: 'done', of: requestEntry, copiedAt: copied.manifest.copiedAt });
    return copied;
  } finally {
    await trail.close();
  }
}

const wordsOf = ({ manifest: { copiedAt, files }, bytes, suspendedMs }: CopyResult): string =>
  `${files.length} files, ${(bytes / 1024 ** 2).toFixed(1)} MiB, as of ${copiedAt}; the engine was suspended for ${suspendedMs} ms`;

/** Copies to the local disk first, so that a slow reader does not keep the engine suspended. */
async function toStandardOutput(config: Config, say: (text: string) => void): Promise<0 | 2> {
  const dir = join(config.LEADGATE_DATA_DIR, `.copy-${process.pid}.tar`);
  try {
    const copied = await copy(config, dir);
    const tar = spawn('tar', ['-C', dir, '-cf', '-', '.'], { stdio: ['ignore', 'inherit', 'inherit'] });
    const [status] = (await once(tar, 'exit')) as [number | null];
    if (status !== 0) throw new CommandError('The tar file could not be written');
    say(`${wordsOf(copied)}\n${noKeys}.\n`);
    return statuses.done;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
