/** `leadgate restore`: restores a copy into an empty data directory, and lists what to do before the service starts. */
import { resolve } from 'node:path';
import { startTrail } from '../../src/audit/start';
import { restore as restoreCopy, type RestoreResult } from '../../src/backup/restore';
import type { Config } from '../../src/config/config';
import { loadKeyRing } from '../../src/keys/ring';
import { command, throwAsCommandError, statuses } from './command';
import { hasKeys } from './keyring';
import { json } from './print';
import { program } from './program';

export const restore = command({
  name: 'restore',
  group: 'Operations',
  summary: 'Restore a copy into an empty data directory',
  about: [
    'The copy is verified first. Provide the keys before: in LEADGATE_KEYS or LEADGATE_KEYS_FILE, or as the file keys in the data directory.',
    'After the restore, no lead of the copy is sent again automatically: it may have been sent since.',
  ],
  args: [{ name: 'dir', about: 'the copy', file: true }],
  options: { into: { type: 'string', value: 'dir', file: true, about: 'the data directory; LEADGATE_DATA_DIR by default' } },
  examples: ['restore /backups/2026-11-24', 'restore /backups/2026-11-24 --into /var/lib/leadgate'],
  async run({ io, args: [dir = ''], options, config }) {
    const settings = config();
    const into = resolve(options.into ?? settings.LEADGATE_DATA_DIR);
    const there = { ...settings, LEADGATE_DATA_DIR: into };
    const restored = await restoreCopy(resolve(dir), into, () => (hasKeys(there) ? loadKeyRing(there) : undefined)).catch(
      throwAsCommandError,
    );
    await note(there, restored);
    if (options.json) io.out(json({ success: true, into, ...restored }));
    else io.out(`${into} has the copy of ${restored.copiedAt}.\n${gap(restored)}`);
    return statuses.done;
  },
});

async function note(config: Config, { copiedAt }: RestoreResult): Promise<void> {
  const trail = await startTrail(config, loadKeyRing(config));
  try {
    await trail.write({ who: 'local', action: 'restore', outcome: 'done', copiedAt });
  } finally {
    await trail.close();
  }
}

const gap = ({ copiedAt, restoredAt }: RestoreResult): string => `
Before you start the service:
- Make sure that the copied service no longer runs.
- Leads accepted between ${copiedAt} and ${restoredAt} are not in this copy. Send them again
  from your tools, or import them. Their Idempotency-Keys are unknown here. no-prescreen looks up the
  e-mail and skips a person who was delivered. The other flows cannot: look in the upstream first.
- Leads that were open in the copy may have been sent since. V1 is looked up; the others are parked.
  ${program} lead find --restored lists them.
- Redrives, decisions and erasures of that time are lost. Look in the upstream before you redrive a
  failed lead, and erase those people again.
`;
