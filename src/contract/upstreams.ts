/** The routes of the upstreams: list them with their waiting lines, and pause or resume one. */
import { z } from 'zod';
import { holdStates } from '../domain/hold';
import { upstreamNames, type UpstreamName } from '../domain/upstreams';
import { pastChangesMost } from '../domain/pauses';
import { environments } from '../domain/recruit';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import { evenAfterFieldIssues, oneOf, required, text } from './fields';
import { group } from './leads';

const names = [...upstreamNames, 'task-board'] as const;

export const upstream = z.object({
  upstream: z.enum(names),
  instance: z.string().optional().describe('what is held or paused by itself: account and instance, an environment, a variant'),
  state: z
    .enum(['open', ...holdStates])
    .describe(
      'held: its leads wait; probing: one is under way; draining: it answers again, the line empties; paused: its leads wait until a person resumes it',
    ),
  since: z.iso.datetime().optional(),
  by: z.string().optional().describe('the name of the key of the person who paused it'),
  reason: z.string().optional().describe('why it is paused'),
  failures: z.int().optional().describe('failures in a row; absent while no worker answers'),
  waiting: z.int().optional().describe('leads in the line; absent while no worker answers'),
  nextProbeAt: z.iso.datetime().optional(),
  lastError: z.string().optional(),
  sandbox: z.literal(true).optional().describe('the sandbox answers for it; absent if any of its addresses is real'),
});

const pastChange = z.object({
  at: z.iso.datetime(),
  verb: z.enum(['pause', 'resume']),
  upstream: z.enum(upstreamNames),
  instance: z.string().optional().describe('absent: the whole upstream'),
  by: z.string().optional().describe('the name of the key of the person'),
  reason: z.string(),
});

const clinicsys = { form: /^(ERG|Futuro)\/[A-Za-z0-9._-]{1,64}$/, words: 'an account and an instance, such as ERG/erg-oct' };
const oneFrom = (known: readonly string[]) => ({ form: new RegExp(`^(${known.join('|')})$`), words: `one of ${known.join(', ')}` });

/** The instances of each upstream. A name that no lead goes to would pause nothing, so it is refused. */
const instances: Readonly<Record<UpstreamName, { readonly form: RegExp; readonly words: string }>> = {
  'key-service': clinicsys,
  V1: clinicsys,
  V2: clinicsys,
  recruitment: oneFrom(environments),
  leadforms: oneFrom(['production', 'sandbox']),
  screening: { form: /^$/, words: 'left out: this upstream has no instances' },
};

const named = z
  .strictObject({
    upstream: required(oneOf(upstreamNames, { description: 'the upstream' })),
    instance: text({ description: 'only this instance: account/instanceName of the site system, an environment, a variant' }),
    reason: required(text({ description: 'why, in your own words; kept encrypted, and shown with the upstreams' })),
  })
  .superRefine(({ upstream: given, instance }, check) => {
    const name = upstreamNames.find((known) => known === given);
    if (!name || typeof instance !== 'string') return;
    const { form, words } = instances[name];
    if (!form.test(instance)) check.addIssue({ code: 'custom', path: ['instance'], message: `must be ${words}` });
  }, evenAfterFieldIssues);

const change = (verb: 'pause' | 'resume', summary: string, why: string, also: z.ZodRawShape = {}) =>
  endpoint({
    method: 'post',
    path: `/api/upstreams/${verb}`,
    group,
    summary,
    carried: 'here',
    errors: orderErrors,
    audited: `${verb} upstream`,
    input: named,
    output: z.object({
      success: z.literal(true),
      upstream: z.enum(upstreamNames),
      instance: z.string().optional(),
      state: z.enum(['paused', 'resumed']),
      ...also,
    }),
    example: { upstream: 'V1', instance: 'ERG/erg-oct', reason: why },
  });

export const upstreams = {
  listUpstreams: endpoint({
    method: 'get',
    path: '/api/upstreams',
    group,
    summary: 'The upstreams: open, paused, or held because they fail, and how many leads wait',
    carried: 'here',
    errors: ['NOT_ACCEPTED'],
    input: z.object({}),
    output: z.object({
      success: z.literal(true),
      count: z.int(),
      upstreams: z.array(upstream),
      changes: z
        .array(pastChange)
        .describe(`who paused and resumed an upstream, and why, newest first: at most ${pastChangesMost}, of the last 30 days`),
    }),
  }),
  pauseUpstream: change(
    'pause',
    'Keep an upstream from taking leads until a person resumes it; once this is answered, no lead begins to go out',
    'The site system is being updated',
    { warning: z.string().optional().describe('the instance may be mistyped: no lead is known to have gone to it') },
  ),
  resumeUpstream: change('resume', 'End the pause of an upstream: the leads that waited go out', 'The update is done'),
} as const;
