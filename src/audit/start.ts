/** Opens the audit trail of a process, and removes files after the retention time. */
import type { Config } from '../config/config';
import type { KeyRing } from '../keys/ring';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { auditDir } from './lines';
import { removeOldFiles } from './retention';
import { openTrail, type Trail } from './trail';

export async function startTrail({ LEADGATE_DATA_DIR, AUDIT_RETENTION_D }: Config, keys: KeyRing): Promise<Trail> {
  const dir = auditDir(LEADGATE_DATA_DIR);
  const trail = openTrail(dir, keys);
  try {
    const removed = await removeOldFiles(dir, trail, AUDIT_RETENTION_D);
    if (removed > 0) log.info('old audit files removed', { removed });
  } catch (error) {
    // Leads continue. Actions of operators are refused until the trail can be written.
    log.error('the audit trail cannot be read or written', { dir, reason: messageOf(error) });
  }
  return trail;
}
