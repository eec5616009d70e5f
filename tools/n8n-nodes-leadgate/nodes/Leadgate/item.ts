/** Builds the request of an item from its parameters. */
import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import type { Request } from './ask';
import { requests, type OperationRequest } from './generated/requests';

export interface ItemRequest extends Request {
  readonly isLead: boolean;
  readonly idempotencyKey?: string;
}

export interface Options {
  readonly idempotencyKey?: string;
  readonly whenLonger?: 'wait' | 'pass';
  readonly patienceMinutes?: number;
  readonly dryRun?: boolean;
}

export function itemRequest(node: IExecuteFunctions, index: number, options: Options): ItemRequest {
  const operation = node.getNodeParameter('operation', index) as string;
  const request = requests[operation];
  if (!request) throw new NodeOperationError(node.getNode(), `The operation ${operation} does not exist`, { itemIndex: index });
  const { method, path, kind } = request;
  const given = fieldsOf(node, index, request);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
  const idempotencyKey = kind === 'lead' || kind === 'keyed' ? options.idempotencyKey || keyOf(node, index) : undefined;
  return {
    method,
    path: filled,
    ...(method === 'GET' ? { query: rest } : { body: rest }),
    headers: {
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      ...(kind === 'lead' && options.dryRun && { 'X-Dry-Run': 'true' }),
    },
    isSafe: method === 'GET' || idempotencyKey !== undefined,
    isLead: kind === 'lead',
    idempotencyKey,
  };
}

/** Derives a key that a retry by n8n keeps, and that differs for each item, node and loop. */
function keyOf(node: IExecuteFunctions, index: number): string {
  const turn = node.evaluateExpression('{{ $runIndex }}', index) as number;
  return ['n8n', node.getWorkflow().id, node.getExecutionId(), node.getNode().id, turn, index].join('-');
}

/** An empty text counts as absent. */
const isPresent = ([, value]: [string, unknown]): boolean => value !== '' && value !== undefined;

function fieldsOf(node: IExecuteFunctions, index: number, { required, json }: OperationRequest): IDataObject {
  const needed = required.map((name): [string, unknown] => [name, node.getNodeParameter(name, index)]);
  const additional = node.getNodeParameter('additionalFields', index, {}) as IDataObject;
  const more = parsed(node, index, 'moreFields', node.getNodeParameter('moreFields', index, {})) as IDataObject;
  const all: [string, unknown][] = [...Object.entries(more), ...Object.entries(additional), ...needed];
  return Object.fromEntries(
    all.filter(isPresent).map(([name, value]) => [name, json.includes(name) ? parsed(node, index, name, value) : value]),
  ) as IDataObject;
}

function parsed(node: IExecuteFunctions, index: number, name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value || '{}');
  } catch {
    throw new NodeOperationError(node.getNode(), `${name} is not valid JSON`, { itemIndex: index });
  }
}
