import { readImport } from '../../src/api/bulk/import-file';
import type { Intake } from '../../src/intake/intake';
import { csvOf } from '../support/csv';
import { newLead } from '../support/gateway';

it('lets the event loop work while it checks the rows of a file', async () => {
  let turn = 0;
  const next = () => {
    turn++;
    ticking = setImmediate(next);
  };
  let ticking = setImmediate(next);
  const checkedIn = new Map<number, number>();
  const intake: Pick<Intake, 'problems' | 'ready'> = {
    problems: () => {
      checkedIn.set(turn, (checkedIn.get(turn) ?? 0) + 1);
      return [];
    },
    ready: () => ({ binding: {} }) as ReturnType<Intake['ready']>,
  };
  const rows = Array.from({ length: 100 }, () => newLead());
  const limits = { BODY_LIMIT_BYTES: 100_000, JSON_KEYS_MAX: 100, IMPORT_ROWS_MAX: 100 };
  try {
    const reading = { flow: 'no-prescreen', dropUnknown: false };
    const { good } = await readImport(Buffer.from(csvOf(rows)), reading, intake as Intake, limits);
    expect(good).toHaveLength(100);
  } finally {
    clearImmediate(ticking);
  }
  expect(Math.max(...checkedIn.values())).toBeLessThanOrEqual(20);
});
