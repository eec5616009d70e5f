/** Declares the commands for upstreams: list them, show their pauses, and pause or resume one. */
import type { ListUpstreamsOutput, PauseUpstreamInput } from '../client/generated/leads';
import { upstreamNames } from '../../src/domain/upstreams';
import { command, statuses, type Argument, type Command } from './command';
import { gatewayOf } from './gateway';
import { reason } from './lead-options';
import { columns, pluralize, onOneLine, json, shortTime } from './print';
import { stateWord } from './report';

const group = 'Operations';

const upstreamsList = command({
  name: 'upstreams list',
  group,
  summary: 'List the upstreams with their state and their waiting leads',
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

/** Column heads, for terminals only, so that scripts read rows alone. */
const heads = ['when', 'who', 'what', 'upstream', 'reason'];
const done = { pause: 'paused', resume: 'resumed' };

const upstreamsHistory = command({
  name: 'upstreams history',
  group,
  summary: 'List the pauses and resumes of upstreams, newest first: at most 20 of the last 30 days',
  examples: ['upstreams history', 'upstreams history --json'],
  async run({ io, options, config }) {
    const { changes } = await gatewayOf(config(), io.stopped).leads.listUpstreams();
    const rows = changes.map(({ at, by = 'local', verb, upstream, instance, reason: why }) => [
      shortTime(at),
      onOneLine(by),
      done[verb],
      nameOf(upstream, instance),
      onOneLine(why),
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

const nameOf = (...words: readonly unknown[]): string => words.filter(Boolean).map(onOneLine).join(' ');

function lineOf({ waiting }: ListUpstreamsOutput['upstreams'][number]): string {
  if (waiting === undefined) return 'waiting leads unknown: no worker answers';
  return waiting === 0 ? '' : `${pluralize(waiting, 'lead')} waiting`;
}

function whyOf({ since, by, reason: why, lastError, leadId }: ListUpstreamsOutput['upstreams'][number]): string {
  const words = why ?? lastError;
  return (
    [since && `since ${shortTime(since)}`, by && `by ${onOneLine(by)}`].filter(Boolean).join(' ') +
    (words ? `: ${onOneLine(words)}` : '') +
    (leadId ? ` (lead ${onOneLine(leadId)})` : '')
  );
}

const args: readonly Argument[] = [
  { name: 'upstream', about: 'the upstream', words: upstreamNames },
  { name: 'instance', about: 'only this instance, such as ERG/erg-oct; the whole upstream by default', optional: true },
];

const change = (verb: 'pause' | 'resume', summary: string, result: string, why: string): Command =>
  command({
    name: `upstreams ${verb}`,
    group,
    summary,
    args,
    options: { reason },
    examples: [`upstreams ${verb} V1 --reason '${why}'`, `upstreams ${verb} V1 ERG/erg-oct --reason '${why}'`],
    async run({ io, args: [upstream = '', instance = ''], options, config }) {
      const { leads } = gatewayOf(config(), io.stopped);
      const request = {
        upstream: upstream as PauseUpstreamInput['upstream'],
        instance: instance || undefined,
        reason: options.reason ?? '',
      };
      const answer = verb === 'pause' ? await leads.pauseUpstream(request) : await leads.resumeUpstream(request);
      io.out(options.json ? json(answer) : `${nameOf(upstream, instance)} ${result}\n`);
      if ('warning' in answer && answer.warning) io.err(`${onOneLine(answer.warning)}\n`);
      return statuses.done;
    },
  });

export const upstreamCommands: readonly Command[] = [
  upstreamsList,
  upstreamsHistory,
  change(
    'pause',
    'Pause an upstream: no lead is sent to it until it is resumed',
    'is paused: no further lead is sent to it',
    'it is being updated',
  ),
  change('resume', 'Resume an upstream: its waiting leads are sent', 'is no longer paused', 'the update is done'),
];
