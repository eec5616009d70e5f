/** Exports the metrics of the disk with the data directory. */
import { Gauge, Registry } from 'prom-client';
import { noteDiskSpace } from '../../lib/disk-space';

export function createDiskMetrics(dataDir: string) {
  const registry = new Registry();
  const registers = [registry];
  const free = new Gauge({ name: 'leadgate_disk_free_bytes', help: 'Free space on the disk with the data directory', registers });
  const taken = new Gauge({
    name: 'leadgate_disk_taken_in_a_day_bytes',
    help: 'Decrease of the free space within the last day',
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
