/** The commands for upstreams: list them with their waiting lines, pause and resume one, and tell who did so and why. */
import type { ListUpstreamsOutput, PauseUpstreamInput } from '../client/generated/leads';
import { upstreamNames } from '../../src/domain/upstreams';
import { command, statuses, type Argument, type Command } from './command';
import { gatewayOf } from './gateway';
import { reason } from './lead-words';
import { columns, counted, inLine, json, shortTime } from './print';
import { stateWord } from './report';

const group = 'Operations';

const upstreamsList = command({
  name: 'upstreams list',
  group,
  summary: 'The upstreams: open, held or paused, and how many leads wait',
  examples: ['upstreams list', 'upstreams list --json'],
  async run({ io, options, config }) {
    const answer = await gatewayOf(config(), io.stopped).leads.listUpstreams();
    const rows = answer.upstreams.map((one) => [
      nameOf(one.upstream, one.instance),
      stateWord(io, one.state),
      lineOf(one),
      one.sandbox === true ? 'sandbox' : '',
      whyOf(one),
    ]);
    io.out(options.json ? json(answer) : `${columns(rows)}\n`);
    return statuses.done;
  },
});

/** The heads of the columns, for a terminal only: a script that reads the lines gets no line of heads. */
const heads = ['when', 'who', 'what', 'upstream', 'reason'];
const done = { pause: 'paused', resume: 'resumed' };

const upstreamsHistory = command({
  name: 'upstreams history',
  group,
  summary: 'Who paused and resumed an upstream, and why, newest first: at most 20 of the last 30 days',
  examples: ['upstreams history', 'upstreams history --json'],
  async run({ io, options, config }) {
    const { changes } = await gatewayOf(config(), io.stopped).leads.listUpstreams();
    const rows = changes.map(({ at, by = 'local', verb, upstream, instance, reason: why }) => [
      shortTime(at),
      inLine(by),
      done[verb],
      nameOf(upstream, instance),
      inLine(why),
    ]);
    if (options.json) io.out(json({ success: true, count: changes.length, changes }));
    else
      io.out(
        rows.length > 0
          ? `${columns(io.isTerminal ? [heads, ...rows] : rows)}\n`
          : 'Nobody paused or resumed an upstream in the last 30 days.\n',
      );
    return statuses.done;
  },
});

const nameOf = (...words: readonly unknown[]): string => words.filter(Boolean).map(inLine).join(' ');

function lineOf({ waiting }: ListUpstreamsOutput['upstreams'][number]): string {
  if (waiting === undefined) return 'line unknown: no worker answers';
  return waiting === 0 ? '' : `${counted(waiting, 'lead')} in the line`;
}

function whyOf({ since, by, reason: why, lastError }: ListUpstreamsOutput['upstreams'][number]): string {
  const words = why ?? lastError;
  return [since && `since ${shortTime(since)}`, by && `by ${inLine(by)}`].filter(Boolean).join(' ') + (words ? `: ${inLine(words)}` : '');
}

const args: readonly Argument[] = [
  { name: 'upstream', about: 'the upstream', words: upstreamNames },
  { name: 'instance', about: 'only this instance, such as ERG/erg-oct; without it the whole upstream', optional: true },
];

const change = (verb: 'pause' | 'resume', summary: string, said: string, why: string): Command =>
  command({
    name: `upstreams ${verb}`,
    group,
    summary,
    args,
    options: { reason },
    examples: [`upstreams ${verb} V1 --reason '${why}'`, `upstreams ${verb} V1 ERG/erg-oct --reason '${why}'`],
    async run({ io, args: [upstream = '', instance = ''], options, config }) {
      const { leads } = gatewayOf(config(), io.stopped);
      const asked = { upstream: upstream as PauseUpstreamInput['upstream'], instance: instance || undefined, reason: options.reason ?? '' };
      const answer = verb === 'pause' ? await leads.pauseUpstream(asked) : await leads.resumeUpstream(asked);
      io.out(options.json ? json(answer) : `${nameOf(upstream, instance)} ${said}\n`);
      if ('warning' in answer && answer.warning) io.err(`${inLine(answer.warning)}\n`);
      return statuses.done;
    },
  });

export const upstreamCommands: readonly Command[] = [
  upstreamsList,
  upstreamsHistory,
  change(
    'pause',
    'Keep an upstream from taking leads until a person resumes it',
    'is paused: no lead begins to go out',
    'it is being updated',
  ),
  change('resume', 'End the pause of an upstream: the leads that wait go out', 'is no longer paused', 'the update is done'),
];
