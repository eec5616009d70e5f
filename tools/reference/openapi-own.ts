/** The routes about the service itself, such as health and metrics, as rows. api/monitoring/operations.ts answers them. */
import type { Schema } from '../../src/contract/json-schema';
import type { ErrorCode } from '../../src/domain/lead';

export interface OwnPath {
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly type: string;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly codes: readonly (readonly [number, readonly ErrorCode[]])[];
  /** Needs no gateway key. */
  readonly open?: true;
}

const told = (name: string, value: string): Schema => ({ type: 'object', required: [name], properties: { [name]: { const: value } } });
const needsKey = [
  [401, ['UNAUTHORIZED']],
  [429, ['RATE_LIMITED']],
] as const;

export const ownPaths: readonly OwnPath[] = [
  {
    path: '/health/live',
    name: 'isLive',
    summary: 'The process answers',
    type: 'application/json',
    schema: told('status', 'live'),
    example: { status: 'live' },
    codes: [],
    open: true,
  },
  {
    path: '/health/ready',
    name: 'isReady',
    summary: 'Leads can be taken: the engine answers, a worker is polling, files can be written, and there is room for one more lead',
    type: 'application/json',
    schema: told('status', 'ready'),
    example: { status: 'ready' },
    codes: [[503, ['NOT_ACCEPTED']]],
    open: true,
  },
  { path: '/metrics', name: 'metrics', summary: 'Prometheus metrics', type: 'text/plain', schema: { type: 'string' }, codes: needsKey },
  {
    path: '/version',
    name: 'version',
    summary: 'Name and version',
    type: 'application/json',
    schema: { type: 'object', required: ['name', 'version'], properties: { name: { type: 'string' }, version: { type: 'string' } } },
    example: { name: 'leadgate', version: '1.0.0' },
    codes: needsKey,
  },
  {
    path: '/openapi.json',
    name: 'openApi',
    summary: 'This document',
    type: 'application/json',
    schema: { type: 'object' },
    codes: needsKey,
  },
  {
    path: '/console',
    name: 'console',
    summary: "The operators' page; it holds no data itself",
    type: 'text/html',
    schema: { type: 'string' },
    codes: [],
    open: true,
  },
  { path: '/docs', name: 'docs', summary: 'The same as a page', type: 'text/html', schema: { type: 'string' }, codes: needsKey },
];
