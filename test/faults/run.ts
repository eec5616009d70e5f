/** Runs the fault suite: opens the stages that the rows need, runs every row, and writes the report. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clockEnv, clockIs } from './clock';
import { mountDisk } from './disk';
import type { LeadVerdict } from './oracle';
import { violationLines, markdown, rowOf, type ReportRow } from './report';
import { soak } from './soak';
import { openStage, type Stage, type StageOptions } from './stage';
import { faults, type Fault } from './table';
import { runTrial } from './trial';
import { upstreamOf } from './upstream';

export interface SuiteOptions {
  /** Prefixes of row names; all rows if empty. A row that this machine cannot run counts as failed. */
  readonly names: readonly string[];
  readonly seed: string;
  readonly trials: number;
  readonly soak: number;
  say(line: string): void;
  /** Options of the stage; by default one pair of worker and API with the embedded engine. */
  readonly stage?: StageOptions;
  /** Saves the report so far after every row, so that an aborted run keeps its results. */
  save(text: string): void;
}

/** Opens a stage for `work`, and always stops it, also on SIGINT and SIGTERM. */
export async function withStage(options: StageOptions, work: (stage: Stage) => Promise<void>): Promise<void> {
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

/** Returns false if this machine cannot provide such a stage. */
async function runOnStage(kind: Fault['stage'], options: StageOptions, work: (stage: Stage) => Promise<void>): Promise<boolean> {
  if (kind === 'shifted clock') await withStage({ ...options, env: clockEnv }, work);
  if (kind === undefined) await withStage(options, work);
  if (kind !== 'small disk' && kind !== 'ext4 disk') return true;
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-disk-'));
  const disk = mountDisk(dir, kind);
  try {
    if (disk) await withStage({ ...options, dataDir: disk.dataDir }, work);
    return disk !== undefined;
  } finally {
    disk?.unmount();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** How many rows without a process fault run concurrently. */
const groupSize = 6;

const inGroups = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** One row of the report. */
interface Case {
  readonly fault: Fault;
  readonly step: string;
}

const nameOf = ({ fault, step }: Case) => `${fault.name} ${step}`.trim();
const cases: readonly Case[] = faults.flatMap((fault) => (fault.at ?? ['']).map((step) => ({ fault, step })));

async function runCases(
  stage: Stage,
  chosen: readonly Case[],
  { seed, trials, say }: SuiteOptions,
  add: (one: Case, verdicts: LeadVerdict[]) => void,
) {
  const alone = chosen.filter(({ fault }) => fault.act ?? fault.scenario).map((one) => [one]);
  const groups = [
    ...inGroups(
      chosen.filter(({ fault }) => !fault.act && !fault.scenario),
      groupSize,
    ),
    ...alone,
  ];
  for (const group of groups) {
    await upstreamOf(stage).reset();
    say(`${group.map(nameOf).join(', ')} …`);
    const verdicts = await Promise.all(group.map((one) => runTrial(stage, { ...one, leads: trials, seed })));
    group.forEach((one, at) => add(one, verdicts[at] ?? []));
  }
}

export async function run(order: SuiteOptions): Promise<{ text: string; isRight: boolean }> {
  const { names, seed, trials, soak: chains, stage: options = {}, say, save } = order;
  const startedAt = Date.now();
  const rows: ReportRow[] = [];
  const notes: string[] = [];
  const skipped: string[] = [];
  const text = () => {
    const minutes = Math.round((Date.now() - startedAt) / 6_000) / 10;
    const head = `--seed ${seed}, ${trials} trials each, soak of ${chains}; ${minutes} min on ${cpus().length} cores, Node ${process.version}; clock: ${clockIs}`;
    return [head, '', markdown(rows), '', ...notes].join('\n').trimEnd();
  };
  const add = (fault: string, step: string, verdicts: readonly LeadVerdict[]) => {
    const row = rowOf(fault, step, verdicts);
    rows.push(row);
    notes.push(...violationLines(`${fault} ${step}`.trim(), verdicts));
    say(JSON.stringify(row));
    save(text());
  };
  const isChosen = (name: string) => names.length === 0 || names.some((beginning) => name.startsWith(beginning));
  const chosen = cases.filter((one) => isChosen(nameOf(one)));
  for (const kind of [undefined, 'shifted clock', 'small disk', 'ext4 disk'] as const) {
    const those = chosen.filter(({ fault }) => fault.stage === kind);
    if (those.length === 0) continue;
    const could = await runOnStage(kind, options, (stage) =>
      runCases(stage, those, order, ({ fault, step }, verdicts) => add(fault.name, step, verdicts)),
    );
    if (!could) skipped.push(...those.map(nameOf));
  }
  if (isChosen('soak') && chains > 0)
    await withStage(options, async (stage) => {
      const { verdicts, notes: soakNotes } = await soak(stage, { seed, leads: chains, say });
      add('soak', '', verdicts);
      notes.push(...soakNotes);
    });

  notes.push(...skipped.map((name) => `${name}: skipped, because this user cannot mount a file system`));
  const isTried = rows.length > 0 && skipped.length === 0;
  const isRight = isTried && rows.every((row) => row.lost + row.duplicated + row['false answers'] === 0);
  save(text());
  return { text: text(), isRight };
}
