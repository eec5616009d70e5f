/** `leadgate replay`: checks whether the current code would do the same as a stored run. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../src/config/config';
import { parseHistory, summaryOf, UnreadableHistory } from '../replay/history';
import { replayRuns, type ReplayTarget, type StoredRun, type ReplayVerdict } from '../replay/replay';
import { describeDifference, describeSame } from '../replay/describe';
import { installRuntime } from '../../src/runtime/process';
import { UnknownKey } from '../../src/temporal/codec';
import { dataConverter } from '../../src/temporal/engine';
import { command, statuses, Unable, type Call, type Status } from './command';
import { ownKeys } from './keyring';
import { json, lineStart } from './print';
import { program } from './program';
import { isLeadId, runsOf } from './runs';

export const bundle = {
  type: 'string',
  value: 'file',
  file: true,
  about: "another build's replay-bundle.js; without it the one of this build",
} as const;
const options = { open: { type: 'boolean', about: 'all open runs of the task queue, instead of one lead' }, bundle } as const;

export const replay = command({
  name: 'replay',
  group: 'Proof',
  summary: 'Would the code of today do what a run did? One lead, a stored history, or all that are open',
  about: [
    'With --open it is the gate before a deployment: status 1 when any open run would not go on with this code.',
    'Nothing is sent and nothing is changed: what the upstreams answered is read from the history.',
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
    const { args, options: given, config } = call;
    const [lead = ''] = args;
    if ((lead === '') === !given.open) throw new Unable(`Give a lead id, a file, or --open; see ${program} replay --help`);
    const settings = config();
    const against = againstBuild(settings, given.bundle);
    return readably(() => (given.open ? replayOpen(call, settings, against) : replayOne(call, lead, settings, against)));
  },
});

type ReplayCall = Call<typeof options>;

/** The build's bundle for replays, beside the compiled code; the sources have none. */
export function againstBuild(config: Config, given?: string): ReplayTarget {
  const bundlePath = given ?? join(__dirname, '..', 'replay-bundle.js');
  if (!existsSync(bundlePath)) throw new Unable(`There is no workflow bundle ${bundlePath}`);
  installRuntime();
  return { bundlePath, converter: dataConverter(ownKeys(config)) };
}

/** Reports an unreadable history in plain words: that says nothing about the code. */
export async function readably<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnknownKey) throw new Unable(error.message);
    throw error;
  }
}

export async function historiesOf(lead: string, config: Config): Promise<readonly StoredRun[]> {
  if (!isLeadId(lead)) return [{ workflowId: lead, history: await historyFrom(lead) }];
  const runs = await runsOf(config);
  try {
    return await runs.ofLead(lead);
  } finally {
    await runs.close();
  }
}

async function historyFrom(file: string) {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Unable(`${file} is not a lead id, and there is no file of that name`);
  });
  try {
    return parseHistory(text);
  } catch (error) {
    throw error instanceof UnreadableHistory ? new Unable(`${file} is not a history that can be replayed: ${error.message}`) : error;
  }
}

async function replayOne(
  { io, options: { json: asJson } }: ReplayCall,
  lead: string,
  config: Config,
  against: ReplayTarget,
): Promise<Status> {
  let allSame = true;
  for await (const verdict of replayRuns(await historiesOf(lead, config), against)) {
    const story = await summaryOf(verdict.history, against.converter);
    allSame &&= verdict.same;
    if (asJson) io.out(json({ ...story, ...outcome(verdict) }));
    else io.out(`${story.type} ${story.workflowId}\n${verdict.same ? describeSame(story) : describeDifference(verdict)}\n`);
  }
  return allSame ? statuses.done : statuses.no;
}

async function replayOpen({ io, options: { json: asJson } }: ReplayCall, config: Config, against: ReplayTarget): Promise<Status> {
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
      if (io.stopped.aborted) throw new Unable(`stopped after ${same + others.length} of ${open}`);
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
  const all = `Of ${same + others} open ${same + others === 1 ? 'run' : 'runs'} ${same} would go on with this code`;
  return others === 0 ? `${all}.` : `${all}, ${others} would not. Do not deploy it; put the change behind patched().`;
};

const outcome = ({ same, difference, reason }: ReplayVerdict) => ({
  same,
  parting: difference && { did: difference.recorded, asks: difference.issued },
  reason,
});
