/** The whole suite: stages are opened as the rows need them, every row is tried, and the figures are put together. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clockEnv, clockIs } from './clock';
import { mountSmallDisk } from './disk';
import type { Verdict } from './oracle';
import { broken, markdown, rowOf, type Row } from './report';
import { soak } from './soak';
import { openStage, type Stage, type StageOptions } from './stage';
import { faults, type Fault } from './table';
import { tryOnce } from './trial';
import { upstreamOf } from './upstream';

export interface Order {
  /** Beginnings of names; none: all. */
  readonly names: readonly string[];
  readonly seed: string;
  readonly trials: number;
  readonly soak: number;
  say(line: string): void;
}

async function within(options: StageOptions, work: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage(options);
  const end = () => void stage.stop();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await work(stage);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await stage.stop();
  }
}

/** False where this machine cannot have such a stage. */
async function staged(kind: Fault['stage'], work: (stage: Stage) => Promise<void>): Promise<boolean> {
  if (kind === 'shifted clock') await within({ env: clockEnv }, work);
  if (kind === undefined) await within({}, work);
  if (kind !== 'small disk') return true;
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-disk-'));
  const disk = mountSmallDisk(dir);
  try {
    if (disk) await within({ dataDir: join(dir, 'data') }, work);
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

async function tryAll(
  stage: Stage,
  chosen: readonly Fault[],
  { seed, trials, say }: Order,
  add: (name: string, step: string, verdicts: Verdict[]) => void,
) {
  const quiet = chosen.filter(({ act }) => !act);
  for (const group of inGroups(quiet, together)) {
    await upstreamOf(stage).reset();
    say(`${group.map(({ name }) => name).join(', ')} …`);
    const verdicts = await Promise.all(group.map((fault) => tryOnce(stage, { fault, leads: trials, seed })));
    group.forEach(({ name }, at) => add(name, '', verdicts[at] ?? []));
  }
  for (const fault of chosen.filter(({ act }) => act)) {
    for (const step of fault.at ?? ['']) {
      await upstreamOf(stage).reset();
      say(`${fault.name} ${step} …`);
      add(fault.name, step, await tryOnce(stage, { fault, step, leads: trials, seed }));
    }
  }
}

export async function run(order: Order): Promise<{ text: string; rows: readonly Row[]; isRight: boolean }> {
  const { names, seed, trials, soak: chains } = order;
  const startedAt = Date.now();
  const rows: Row[] = [];
  const notes: string[] = [];
  const add = (name: string, step: string, verdicts: readonly Verdict[]) => {
    const row = rowOf(name, step, verdicts);
    rows.push(row);
    notes.push(...broken(`${name} ${step}`.trim(), verdicts));
    order.say(JSON.stringify(row));
  };
  const isChosen = (name: string) => names.length === 0 || names.some((beginning) => name.startsWith(beginning));
  const chosen = faults.filter(({ name }) => isChosen(name));
  for (const kind of [undefined, 'shifted clock', 'small disk'] as const) {
    const those = chosen.filter(({ stage }) => stage === kind);
    if (those.length === 0) continue;
    const could = await staged(kind, (stage) => tryAll(stage, those, order, add));
    if (!could) notes.push(...those.map(({ name }) => `${name}: not tried, this user may not mount a file system`));
  }
  if (isChosen('soak') && chains > 0)
    await within({}, async (stage) => {
      const { verdicts, notes: said } = await soak(stage, { seed, chains, say: order.say });
      add('soak', '', verdicts);
      notes.push(...said);
    });

  const minutes = Math.round((Date.now() - startedAt) / 6_000) / 10;
  const head = `FAULT_SEED=${seed}, ${trials} trials each, soak of ${chains}; ${minutes} min on ${cpus().length} cores, Node ${process.version}; clock: ${clockIs}`;
  const isRight = rows.length > 0 && rows.every((row) => row.lost + row.doubled + row['false answers'] === 0);
  return { text: [head, '', markdown(rows), '', ...notes].join('\n').trimEnd(), rows, isRight };
}
