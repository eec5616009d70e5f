/** Reads query and headers of a request. A wish that cannot be granted as it was written is refused; nothing is guessed. */
import type { Request } from 'express';
import type { Endpoint } from '../contract/endpoint';
import { longestWaitS } from '../contract/leads';
import type { Detail } from '../domain/lead';
import { inputSchema, namesIn, unknownName } from '../contract/field-names';
import type { Schema } from '../contract/json-schema';

const shownMost = 100;

const pathNames = ({ path }: Endpoint): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

/** Where a person or a tool asks about leads or mends them, a name that nobody reads would be an answer to another question. */
const isStrict = ({ path, takes }: Endpoint): boolean => path.startsWith('/api/leads') || takes !== undefined;

/** The query parameters of a route with a body. */
const waitQuery: Schema = { properties: { wait: {} } };

function queryProblems({ query }: Request, endpoint: Endpoint): Detail[] {
  const { method, takes, carried, input } = endpoint;
  const schema = method === 'get' || takes ? inputSchema(input) : carried === 'lead' ? waitQuery : {};
  const names = namesIn(schema, pathNames(endpoint));
  return Object.entries(query).flatMap(([name, value]): Detail[] => {
    const field = name.slice(0, shownMost);
    if (!names.knows(name)) return isStrict(endpoint) ? [{ field, message: unknownName(name, names, 'in this query') }] : [];
    return Array.isArray(value) ? [{ field, message: 'must be given once' }] : [];
  });
}

const isWait = (seconds: string): boolean => /^\d{1,9}$/.test(seconds) && Number(seconds) <= longestWaitS;

interface Preference {
  readonly name: string;
  readonly value: string;
}

const preferences = (request: Request): Preference[] =>
  String(request.headers.prefer ?? '')
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', value = ''] = part.split('=').map((word) => word.trim());
      return { name: name.toLowerCase(), value: value.replace(/^"(.*)"$/, '$1') };
    });

function waitProblems(request: Request): Detail[] {
  const message = `must be respond-async or wait=N, N from 0 to ${longestWaitS}`;
  const canBeHonoured = ({ name, value }: Preference) => (name === 'wait' ? isWait(value) : name === 'respond-async' && value === '');
  const asked = request.query.wait;
  return [
    ...(preferences(request).every(canBeHonoured) ? [] : [{ field: 'Prefer', message }]),
    ...(typeof asked !== 'string' || isWait(asked) ? [] : [{ field: 'wait', message: `must be 0 to ${longestWaitS}` }]),
  ];
}

export const askedProblems = (request: Request, endpoint: Endpoint): Detail[] => [
  ...queryProblems(request, endpoint),
  ...(endpoint.carried === 'lead' ? waitProblems(request) : []),
];

/** How long a lead's request wants to wait for its run, in seconds; undefined where it does not say. */
export function waitS(request: Request): number | undefined {
  const found = preferences(request);
  if (found.some(({ name }) => name === 'respond-async')) return 0;
  const asked = found.find(({ name }) => name === 'wait')?.value ?? request.query.wait;
  return typeof asked === 'string' ? Number(asked) : undefined;
}
