/** `leadgate replay`: replays a lead, a history file or all open runs, and reports whether the code still matches their histories. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir, type Config } from '../../src/config/config';
import { parseHistory, summaryOf, UnreadableHistory } from '../replay/history';
import { replayRuns, type ReplayTarget, type StoredRun, type ReplayVerdict } from '../replay/replay';
import { describeDifference, describeSame } from '../replay/describe';
import { installRuntime } from '../../src/runtime/process';
import { UnknownKey } from '../../src/temporal/codec';
import { dataConverter } from '../../src/temporal/engine';
import { command, statuses, CommandError, type Invocation, type ExitStatus } from './command';
import { localKeys } from './keyring';
import { json, lineStart } from './print';
import { program } from './program';
import { isLeadId, runsOf } from './runs';

export const bundle = {
  type: 'string',
  value: 'file',
  file: true,
  about: 'the replay-bundle.js of another build; that of this build by default',
} as const;
const options = { open: { type: 'boolean', about: 'replay all open runs of the task queue' }, bundle } as const;

export const replay = command({
  name: 'replay',
  group: 'Proof',
  summary: 'Replay one lead, a stored history, or all open runs with the current code',
  about: [
    'Run it with --open before a deployment: status 1 if an open run does not replay.',
    'It sends and changes nothing: the answers of the upstreams come from the history.',
  ],
  args: [
    { name: 'lead', about: 'a lead id, or a file with a history as the Temporal UI (encoded) or CLI saves it', optional: true, file: true },
  ],
  options,
  examples: [
    'replay bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q',
    'replay history.json',
    'replay --open --bundle next/dist/replay-bundle.js',
  ],
  async run(call) {
    const { args, options: flags, config } = call;
    const [lead = ''] = args;
    if ((lead === '') === !flags.open) throw new CommandError(`Give a lead id, a file, or --open; see ${program} replay --help`);
    const settings = config();
    const against = replayTarget(settings, flags.bundle);
    return withPlainErrors(() => (flags.open ? replayOpen(call, settings, against) : replayOne(call, lead, settings, against)));
  },
});

type ReplayCall = Invocation<typeof options>;

/** By default the replay bundle of the project's last build. */
export function replayTarget(config: Config, bundlePath = join(projectDir, 'dist/replay-bundle.js')): ReplayTarget {
  if (!existsSync(bundlePath)) throw new CommandError(`There is no workflow bundle ${bundlePath}`);
  installRuntime();
  return { bundlePath, converter: dataConverter(localKeys(config)) };
}

/** Reports an undecryptable history as a plain error, because it says nothing about the code. */
export async function withPlainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnknownKey) throw new CommandError(error.message);
    throw error;
  }
}

export async function fetchHistories(lead: string, config: Config): Promise<readonly StoredRun[]> {
  if (!isLeadId(lead)) return [{ workflowId: lead, history: await readHistory(lead) }];
  const runs = await runsOf(config);
  try {
    return await runs.ofLead(lead);
  } finally {
    await runs.close();
  }
}

async function readHistory(file: string) {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CommandError(`${file} is neither a lead id nor a file`);
  });
  try {
    return parseHistory(text);
  } catch (error) {
    throw error instanceof UnreadableHistory ? new CommandError(`${file} is not a replayable history: ${error.message}`) : error;
  }
}

async function replayOne(
  { io, options: { json: asJson } }: ReplayCall,
  lead: string,
  config: Config,
  against: ReplayTarget,
): Promise<ExitStatus> {
  let allSame = true;
  for await (const verdict of replayRuns(await fetchHistories(lead, config), against)) {
    const story = await summaryOf(verdict.history, against.converter);
    allSame &&= verdict.same;
    if (asJson) io.out(json({ ...story, ...outcome(verdict) }));
    else io.out(`${story.type} ${story.workflowId}\n${verdict.same ? describeSame(story) : describeDifference(verdict)}\n`);
  }
  return allSame ? statuses.done : statuses.no;
}

async function replayOpen({ io, options: { json: asJson } }: ReplayCall, config: Config, against: ReplayTarget): Promise<ExitStatus> {
  const runs = await runsOf(config);
  try {
    const open = await runs.countOpen();
    const others: object[] = [];
    let same = 0;
    for await (const verdict of replayRuns(runs.open(), against)) {
      if (verdict.same) same++;
      else others.push({ workflowId: verdict.workflowId, ...outcome(verdict) });
      if (io.isTerminal) io.err(`${lineStart}${same + others.length} of ${open} `);
      if (!verdict.same && !asJson) io.out(`${io.isTerminal ? lineStart : ''}${verdict.workflowId}: ${describeDifference(verdict)}\n`);
      if (io.stopped.aborted) throw new CommandError(`stopped after ${same + others.length} of ${open}`);
    }
    if (asJson) io.out(json({ open: same + others.length, same, others }));
    else io.out(`${io.isTerminal ? lineStart : ''}${summary(same, others.length)}\n`);
    return others.length === 0 ? statuses.done : statuses.no;
  } finally {
    await runs.close();
  }
}

const summary = (same: number, others: number): string => {
  if (same + others === 0) return 'No run is open.';
  const all = `Of ${same + others} open ${same + others === 1 ? 'run' : 'runs'} ${same} would replay with this code`;
  return others === 0 ? `${all}.` : `${all}, ${others} would not. Do not deploy it: put the change behind patched().`;
};

const outcome = ({ same, difference, reason }: ReplayVerdict) => ({
  same,
  difference: difference && { recorded: difference.recorded, issued: difference.issued },
  reason,
});
