/** Runs the fault suite: opens stages as the rows need them, tries every row, and writes the report. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clockEnv, clockIs } from './clock';
import { mountDisk } from './disk';
import type { Verdict } from './oracle';
import { broken, markdown, rowOf, type Row } from './report';
import { soak } from './soak';
import { openStage, type Stage, type StageOptions } from './stage';
import { faults, type Fault } from './table';
import { tryOnce } from './trial';
import { upstreamOf } from './upstream';

export interface Order {
  /** Beginnings of names; none: all. A row that this machine cannot try counts as failed. */
  readonly names: readonly string[];
  readonly seed: string;
  readonly trials: number;
  readonly soak: number;
  say(line: string): void;
  /** Where it is tried: one pair of worker and API with the embedded engine, unless this says more. */
  readonly stage?: StageOptions;
  /** The report so far, after every row: what was tried is kept even if the rest never comes. */
  save(text: string): void;
}

/** Ends the stage in any case, also when this process is told to end. */
export async function within(options: StageOptions, work: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage(options);
  const end = () => void stage.stop().finally(() => process.exit(1));
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await work(stage);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await stage.stop();
  }
}

/** False where this machine cannot have such a stage. */
async function staged(kind: Fault['stage'], options: StageOptions, work: (stage: Stage) => Promise<void>): Promise<boolean> {
  if (kind === 'shifted clock') await within({ ...options, env: clockEnv }, work);
  if (kind === undefined) await within(options, work);
  if (kind !== 'small disk' && kind !== 'ext4 disk') return true;
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-disk-'));
  const disk = mountDisk(dir, kind);
  try {
    if (disk) await within({ ...options, dataDir: disk.dataDir }, work);
    return disk !== undefined;
  } finally {
    disk?.unmount();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Leads of so many rows that need no process to be touched are on their way together. */
const together = 6;

const inGroups = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** One row of the report. */
interface Case {
  readonly fault: Fault;
  readonly step: string;
}

const nameOf = ({ fault, step }: Case) => `${fault.name} ${step}`.trim();
const cases: readonly Case[] = faults.flatMap((fault) => (fault.at ?? ['']).map((step) => ({ fault, step })));

async function tryAll(stage: Stage, chosen: readonly Case[], { seed, trials, say }: Order, add: (one: Case, verdicts: Verdict[]) => void) {
  const alone = chosen.filter(({ fault }) => fault.act ?? fault.story).map((one) => [one]);
  const groups = [
    ...inGroups(
      chosen.filter(({ fault }) => !fault.act && !fault.story),
      together,
    ),
    ...alone,
  ];
  for (const group of groups) {
    await upstreamOf(stage).reset();
    say(`${group.map(nameOf).join(', ')} …`);
    const verdicts = await Promise.all(group.map((one) => tryOnce(stage, { ...one, leads: trials, seed })));
    group.forEach((one, at) => add(one, verdicts[at] ?? []));
  }
}

export async function run(order: Order): Promise<{ text: string; isRight: boolean }> {
  const { names, seed, trials, soak: chains, stage: options = {}, say, save } = order;
  const startedAt = Date.now();
  const rows: Row[] = [];
  const notes: string[] = [];
  const untried: string[] = [];
  const text = () => {
    const minutes = Math.round((Date.now() - startedAt) / 6_000) / 10;
    const head = `--seed ${seed}, ${trials} trials each, soak of ${chains}; ${minutes} min on ${cpus().length} cores, Node ${process.version}; clock: ${clockIs}`;
    return [head, '', markdown(rows), '', ...notes].join('\n').trimEnd();
  };
  const add = (fault: string, step: string, verdicts: readonly Verdict[]) => {
    const row = rowOf(fault, step, verdicts);
    rows.push(row);
    notes.push(...broken(`${fault} ${step}`.trim(), verdicts));
    say(JSON.stringify(row));
    save(text());
  };
  const isChosen = (name: string) => names.length === 0 || names.some((beginning) => name.startsWith(beginning));
  const chosen = cases.filter((one) => isChosen(nameOf(one)));
  for (const kind of [undefined, 'shifted clock', 'small disk', 'ext4 disk'] as const) {
    const those = chosen.filter(({ fault }) => fault.stage === kind);
    if (those.length === 0) continue;
    const could = await staged(kind, options, (stage) =>
      tryAll(stage, those, order, ({ fault, step }, verdicts) => add(fault.name, step, verdicts)),
    );
    if (!could) untried.push(...those.map(nameOf));
  }
  if (isChosen('soak') && chains > 0)
    await within(options, async (stage) => {
      const { verdicts, notes: said } = await soak(stage, { seed, chains, say });
      add('soak', '', verdicts);
      notes.push(...said);
    });

  notes.push(...untried.map((name) => `${name}: not tried, because this user may not mount a file system`));
  const isTried = rows.length > 0 && untried.length === 0;
  const isRight = isTried && rows.every((row) => row.lost + row.doubled + row['false answers'] === 0);
  save(text());
  return { text: text(), isRight };
}
