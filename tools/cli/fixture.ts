/** `leadgate fixture`: writes a run as a fixture for test/replay/fixtures, with an invented person in the place of the real one. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Config } from '../../src/config/config';
import { attemptIn } from '../../src/domain/ids';
import { codeOf, messageOf } from '../../src/lib/errors';
import { fixtureOf, originalsLeft } from '../replay/fixture';
import { parseHistory, summaryOf, UnreadableHistory } from '../replay/history';
import { replayRuns, type ReplayTarget, type StoredRun } from '../replay/replay';
import { describeDifference, outline } from '../replay/describe';
import { command, statuses, Unable } from './command';
import { attempt } from './lead-words';
import { againstBuild, bundle, historiesOf, readably } from './replay';
import { isLeadId } from './runs';

export const fixture = command({
  name: 'fixture',
  group: 'Proof',
  summary: 'A run as a file for test/replay/fixtures, with another person in it',
  about: [
    'Names, addresses, numbers, dates of birth, ids, keys and free text are replaced by others of the same form, the same ones everywhere; site, study, protocol, states and times stay. It is replayed before it is written.',
    'Of a lead that was sent again the newest attempt is taken, or the one of --attempt. Read it before you commit it.',
  ],
  args: [{ name: 'lead', about: 'a lead id, or a file with its history', file: true }],
  options: {
    out: { type: 'string', value: 'file', file: true, about: 'where to write it; without it the standard output' },
    attempt,
    bundle,
  },
  examples: [
    'fixture bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --out test/replay/fixtures/comment-lost.json',
    'fixture bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --attempt 1 --out test/replay/fixtures/site-unknown.json',
  ],
  async run({ io, args: [lead = ''], options, config }) {
    if (options.out && existsSync(options.out)) throw isThere(options.out);
    const settings = config();
    const against = againstBuild(settings, options.bundle);
    const stored = await runOf(lead, settings, options.attempt);
    const made = await readably(() => fixtureOf(stored.history, against.converter).catch(plain));
    const forgotten = originalsLeft(made);
    if (forgotten.length > 0)
      throw new Unable(
        `${forgotten.length} of the lead's values would still be in it: nothing is written. Please report which flow it is`,
        statuses.no,
      );
    const text = `${JSON.stringify(made.json, null, 1)}\n`;
    await mustReplay(text, against);
    const story = await summaryOf(parseHistory(text), { ...against.converter, payloadCodecs: [] });
    if (!options.out) io.out(text);
    else await writeFile(options.out, text, { flag: 'wx' }).catch(unwritable(options.out));
    io.err(`${story.type}, ${outline(story)}: replays with another person in it${options.out ? `; written to ${options.out}` : ''}\n`);
    return statuses.done;
  },
});

async function runOf(lead: string, settings: Config, wanted?: string): Promise<StoredRun> {
  if (wanted !== undefined && !isLeadId(lead)) throw new Unable('--attempt goes with a lead id: a file holds one run');
  const runs = await historiesOf(lead, settings);
  const numbers = runs.map(({ workflowId }) => String(attemptIn(workflowId)));
  const stored = runs[wanted === undefined ? runs.length - 1 : numbers.indexOf(wanted)];
  if (!stored) throw new Unable(`The lead does not have this attempt. Its attempts: ${numbers.join(', ')}`, statuses.no);
  return stored;
}

/** Replays the fixture without any key, as its test will. */
async function mustReplay(text: string, against: ReplayTarget): Promise<void> {
  const clear = { ...against, converter: { ...against.converter, payloadCodecs: [] } };
  for await (const verdict of replayRuns([{ workflowId: 'fixture', history: parseHistory(text) }], clear))
    if (!verdict.same)
      throw new Unable(
        `With invented data the run takes another way, so no fixture was written. ${describeDifference(verdict)}`,
        statuses.no,
      );
}

const plain = (error: unknown): never => {
  throw error instanceof UnreadableHistory ? new Unable(error.message) : error;
};

const isThere = (file: string) => new Unable(`${file} is there already`);

const unwritable = (file: string) => (error: unknown) => {
  throw codeOf(error) === 'EEXIST' ? isThere(file) : new Unable(`${file} cannot be written: ${messageOf(error)}`);
};
