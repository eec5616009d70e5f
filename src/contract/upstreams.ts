/** Defines the routes of the upstreams: list them with their waiting leads, pause one, resume one. */
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
  instance: z.string().optional().describe('the part that is held or paused separately: account and instance, an environment, a variant'),
  state: z
    .enum(['open', ...holdStates])
    .describe(
      'held: its leads wait; probing: one lead is being tried; draining: it answers again, and the waiting leads are sent; paused: its leads wait until an operator resumes it',
    ),
  since: z.iso.datetime().optional(),
  by: z.string().optional().describe('the operator who paused it: the name of their key, or person: and their name'),
  reason: z.string().optional().describe('the reason for the pause'),
  failures: z.int().optional().describe('consecutive failures; absent if no worker answers'),
  waiting: z.int().optional().describe('waiting leads; absent if no worker answers'),
  nextProbeAt: z.iso.datetime().optional(),
  lastError: z.string().optional(),
  leadId: z.string().optional().describe('the lead that failed last, of a held upstream'),
  sandbox: z.literal(true).optional().describe('true: the sandbox stands in for all of its addresses'),
});

const pastChange = z.object({
  at: z.iso.datetime(),
  verb: z.enum(['pause', 'resume']),
  upstream: z.enum(upstreamNames),
  instance: z.string().optional().describe('absent for the whole upstream'),
  by: z.string().optional().describe('the operator: the name of their key, or person: and their name'),
  reason: z.string(),
});

const clinicsys = { form: /^(ERG|Futuro)\/[A-Za-z0-9._-]{1,64}$/, words: 'an account and an instance, such as ERG/erg-oct' };
const oneFrom = (known: readonly string[]) => ({ form: new RegExp(`^(${known.join('|')})$`), words: `one of ${known.join(', ')}` });

/** The form of the instances of each upstream. Any other name is rejected, because its pause would have no effect. */
const instances: Readonly<Record<UpstreamName, { readonly form: RegExp; readonly words: string }>> = {
  'key-service': clinicsys,
  V1: clinicsys,
  V2: clinicsys,
  recruitment: oneFrom(environments),
  leadforms: oneFrom(['production', 'sandbox']),
  screening: { form: /^$/, words: 'absent: this upstream has no instances' },
};

const named = z
  .strictObject({
    upstream: required(oneOf(upstreamNames, { description: 'name of the upstream' })),
    instance: text({ description: 'only this instance: account/instanceName of the site system, an environment, or a variant' }),
    reason: required(text({ description: 'the reason, as free text; stored encrypted, and returned with the upstreams' })),
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
    handledBy: 'api',
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
    summary: 'List the upstreams with their states (open, paused, or held because they fail) and the number of waiting leads',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    input: z.object({}),
    output: z.object({
      success: z.literal(true),
      count: z.int(),
      upstreams: z.array(upstream),
      changes: z.array(pastChange).describe(`the pauses and resumes of the last 30 days, newest first: at most ${pastChangesMost}`),
    }),
  }),
  pauseUpstream: change(
    'pause',
    'Pause an upstream until an operator resumes it; after the answer, no further lead is sent to it',
    'The site system is being updated',
    { warning: z.string().optional().describe('no known lead was sent to this instance: check its name') },
  ),
  resumeUpstream: change('resume', 'Resume a paused upstream; the waiting leads are sent', 'The update is done'),
} as const;
