/** Defines the routes about the service itself, such as health and metrics. src/api/monitoring/operations.ts handles them. */
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

const constant = (name: string, value: string): Schema => ({ type: 'object', required: [name], properties: { [name]: { const: value } } });
const needsKey = [
  [401, ['UNAUTHORIZED']],
  [429, ['RATE_LIMITED']],
] as const;

export const ownPaths: readonly OwnPath[] = [
  {
    path: '/health/live',
    name: 'isLive',
    summary: 'Check that the process answers',
    type: 'application/json',
    schema: constant('status', 'live'),
    example: { status: 'live' },
    codes: [],
    open: true,
  },
  {
    path: '/health/ready',
    name: 'isReady',
    summary: 'Check that leads can be accepted: the engine answers, a worker polls, files can be written, and there is capacity',
    type: 'application/json',
    schema: constant('status', 'ready'),
    example: { status: 'ready' },
    codes: [[503, ['NOT_ACCEPTED']]],
    open: true,
  },
  {
    path: '/.well-known/security.txt',
    name: 'securityTxt',
    summary: 'Get the contact for reports of weaknesses, by RFC 9116; 404 without SECURITY_CONTACT',
    type: 'text/plain',
    schema: { type: 'string' },
    codes: [[404, ['NOT_FOUND']]],
    open: true,
  },
  {
    path: '/metrics',
    name: 'metrics',
    summary: 'Get the Prometheus metrics',
    type: 'text/plain',
    schema: { type: 'string' },
    codes: [...needsKey, [403, ['FORBIDDEN']]],
  },
  {
    path: '/version',
    name: 'version',
    summary: 'Get the name and version of the service',
    type: 'application/json',
    schema: { type: 'object', required: ['name', 'version'], properties: { name: { type: 'string' }, version: { type: 'string' } } },
    example: { name: 'leadgate', version: '1.0.0' },
    codes: needsKey,
  },
  {
    path: '/openapi.json',
    name: 'openApi',
    summary: 'Get this document',
    type: 'application/json',
    schema: { type: 'object' },
    codes: needsKey,
  },
  {
    path: '/console',
    name: 'console',
    summary: 'Get the page of the console, which itself contains no data',
    type: 'text/html',
    schema: { type: 'string' },
    codes: [],
    open: true,
  },
  { path: '/docs', name: 'docs', summary: 'Get this document as a page', type: 'text/html', schema: { type: 'string' }, codes: needsKey },
];
