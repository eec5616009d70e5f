/** The metrics of the disk on which the data directory lies. */
import { Gauge, Registry } from 'prom-client';
import { noteDiskSpace } from '../../lib/disk-space';

export function createDiskMetrics(dataDir: string) {
  const registry = new Registry();
  const registers = [registry];
  const free = new Gauge({ name: 'leadgate_disk_free_bytes', help: 'Free space where the data directory lies', registers });
  const taken = new Gauge({
    name: 'leadgate_disk_taken_in_a_day_bytes',
    help: 'By how much the free space shrank within the last day',
    registers,
  });
  return {
    registry,
    async refresh(): Promise<void> {
      const unknown = { freeBytes: Number.NaN, usedBytes: Number.NaN };
      const { freeBytes, usedBytes } = await noteDiskSpace(dataDir).catch(() => unknown);
      free.set(freeBytes);
      taken.set(usedBytes);
    },
  };
}
