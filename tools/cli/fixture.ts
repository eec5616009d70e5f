/** `leadgate fixture`: writes a run as a fixture for test/replay/fixtures, with the personal data replaced. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Config } from '../../src/config/config';
import { attemptIn } from '../../src/domain/ids';
import { codeOf, messageOf } from '../../src/lib/errors';
import { fixtureOf, originalsLeft } from '../replay/fixture';
import { parseHistory, summaryOf, UnreadableHistory } from '../replay/history';
import { replayRuns, type ReplayTarget, type StoredRun } from '../replay/replay';
import { describeDifference, outline } from '../replay/describe';
import { command, statuses, CommandError } from './command';
import { attempt } from './lead-options';
import { replayTarget, bundle, fetchHistories, withPlainErrors } from './replay';
import { isLeadId } from './runs';

export const fixture = command({
  name: 'fixture',
  group: 'Proof',
  summary: 'Write a run as a test fixture, with the personal data replaced',
  about: [
    'Names, addresses, numbers, dates of birth, ids, keys and free text are replaced consistently by values of the same form. Site, study, protocol, states and times stay. The fixture is replayed before it is written.',
    'If the lead was redriven, the fixture is the newest attempt, or that of --attempt. Read it before you commit it.',
  ],
  args: [{ name: 'lead', about: 'a lead id, or a file with its history', file: true }],
  options: {
    out: { type: 'string', value: 'file', file: true, about: 'the file to write; the standard output by default' },
    attempt,
    bundle,
  },
  examples: [
    'fixture bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --out test/replay/fixtures/comment-lost.json',
    'fixture bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --attempt 1 --out test/replay/fixtures/site-unknown.json',
  ],
  async run({ io, args: [lead = ''], options, config }) {
    if (options.out && existsSync(options.out)) throw alreadyExists(options.out);
    const settings = config();
    const against = replayTarget(settings, options.bundle);
    const stored = await runOf(lead, settings, options.attempt);
    const made = await withPlainErrors(() => fixtureOf(stored.history, against.converter).catch(rethrowPlain));
    const remaining = originalsLeft(made);
    if (remaining.length > 0)
      throw new CommandError(
        `${remaining.length} of the lead's values would still be in the fixture, so nothing was written. Please report the flow`,
        statuses.no,
      );
    const text = `${JSON.stringify(made.json, null, 1)}\n`;
    await mustReplay(text, against);
    const story = await summaryOf(parseHistory(text), { ...against.converter, payloadCodecs: [] });
    if (!options.out) io.out(text);
    else await writeFile(options.out, text, { flag: 'wx' }).catch(throwNotWritable(options.out));
    io.err(
      `${story.type}, ${outline(story)}: replays with the personal data replaced${options.out ? `; written to ${options.out}` : ''}\n`,
    );
    return statuses.done;
  },
});

async function runOf(lead: string, settings: Config, number?: string): Promise<StoredRun> {
  if (number !== undefined && !isLeadId(lead)) throw new CommandError('--attempt requires a lead id: a file has one run');
  const runs = await fetchHistories(lead, settings);
  const numbers = runs.map(({ workflowId }) => String(attemptIn(workflowId)));
  const stored = runs[number === undefined ? runs.length - 1 : numbers.indexOf(number)];
  if (!stored) throw new CommandError(`The lead does not have this attempt. Its attempts: ${numbers.join(', ')}`, statuses.no);
  return stored;
}

/** Replays the fixture without encryption keys, as its test does. */
async function mustReplay(text: string, against: ReplayTarget): Promise<void> {
  const clear = { ...against, converter: { ...against.converter, payloadCodecs: [] } };
  for await (const verdict of replayRuns([{ workflowId: 'fixture', history: parseHistory(text) }], clear))
    if (!verdict.same)
      throw new CommandError(
        `With the replaced data, the run does not replay, so no fixture was written. ${describeDifference(verdict)}`,
        statuses.no,
      );
}

const rethrowPlain = (error: unknown): never => {
  throw error instanceof UnreadableHistory ? new CommandError(error.message) : error;
};

const alreadyExists = (file: string) => new CommandError(`${file} already exists`);

const throwNotWritable = (file: string) => (error: unknown) => {
  throw codeOf(error) === 'EEXIST' ? alreadyExists(file) : new CommandError(`${file} cannot be written: ${messageOf(error)}`);
};
