/** Generates the resources, operations and fields of the n8n node from the contract: a file for each resource, and a table of the requests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { endpointTable } from '../../src/contract';
import { isRepeatable, type Endpoint } from '../../src/contract/endpoint';
import { errorCodes } from '../../src/contract/errors';
import { allOfParts, schemaOf, type Schema } from '../../src/contract/json-schema';
import { eventTypes } from '../../src/domain/events';
import { stateLists } from './client';
import { described, fieldOf, sentence, title, type NodeProperty } from './n8n-fields';

const nodes = 'tools/n8n-nodes-leadgate/nodes';
const dir = `${nodes}/Leadgate/generated`;
const head = '/** Written by `npm run reference` from src/contract. */\n';

/** Excludes file routes, because an item of n8n cannot contain a file, and operator routes, which have other tools. */
const isShown = ({ group, upload, download }: Endpoint): boolean => group !== 'Operators' && !upload && !download;

interface Operation {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly fields: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** Accepts fields of other names, too. */
  readonly isOpen: boolean;
}

const operations: readonly Operation[] = endpointTable
  .filter(([, endpoint]) => isShown(endpoint))
  .map(([name, endpoint]) => {
    const parts = allOfParts(schemaOf(endpoint.input, 'input'));
    return {
      name,
      endpoint,
      fields: Object.assign({}, ...parts.map(({ properties = {} }) => properties)),
      required: parts.flatMap(({ required = [] }) => required),
      isOpen: parts.some(({ additionalProperties, patternProperties }) => typeof additionalProperties === 'object' || patternProperties),
    };
  });

const groups = [...new Set(operations.map(({ endpoint }) => endpoint.group))];
/** `C. Lead forms` → Lead form. */
const plain = (group: string) => group.replace(/^[A-Z]\. /, '').replace(/s$/, '');
const fileOf = (group: string) => plain(group).toLowerCase().replaceAll(' ', '-');
const resourceOf = (group: string) =>
  plain(group)
    .replace(/^./, (first) => first.toLowerCase())
    .replaceAll(/ (.)/g, (_, letter: string) => letter.toUpperCase());

const byTitle = (one: { readonly title: string }, other: { readonly title: string }) => (one.title < other.title ? -1 : 1);
const byName = (one: NodeProperty, other: NodeProperty) =>
  String(one.displayName ?? one.name).localeCompare(String(other.displayName ?? other.name), 'en');

const shownFor = (resource: string, names: readonly string[]) => ({ displayOptions: { show: { resource: [resource], operation: names } } });

/** Merges equal fields of several operations. */
function merged(resource: string, all: readonly (readonly [operation: string, shown: NodeProperty])[]): NodeProperty[] {
  const found = new Map<string, { readonly shown: NodeProperty; readonly names: string[] }>();
  for (const [operation, shown] of all) {
    const key = JSON.stringify(shown);
    const known = found.get(key) ?? { shown, names: [] };
    known.names.push(operation);
    found.set(key, known);
  }
  return [...found.values()].map(({ shown, names }) => ({ ...shown, ...shownFor(resource, names) }));
}

function propertiesOf(group: string): NodeProperty[] {
  const resource = resourceOf(group);
  const own = operations.filter(({ endpoint }) => endpoint.group === group);
  const choices = own
    .map(({ name, endpoint }) => ({ name: title(name), value: name, action: sentence(name), description: described(endpoint.summary) }))
    .toSorted(byName);
  const required = own.flatMap(({ name, fields, required: needed }) =>
    Object.entries(fields)
      .filter(([field]) => needed.includes(field))
      .map(([field, schema]) => [name, { ...fieldOf(field, schema), required: true }] as const),
  );
  const optional = own.flatMap(({ name, fields, required: needed }) => {
    const options = Object.entries(fields)
      .filter(([field]) => !needed.includes(field))
      .map(([field, schema]) => fieldOf(field, schema))
      .toSorted(byName);
    const shown = {
      displayName: 'Additional Fields',
      name: 'additionalFields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options,
    };
    return options.length > 0 ? [[name, shown] as const] : [];
  });
  const further = {
    displayName: 'More Fields (JSON)',
    name: 'moreFields',
    type: 'json',
    default: '{}',
    description: 'Fields of other names, such as q101, or the whole record of the previous step',
  };
  const open = own.filter(({ isOpen }) => isOpen).map(({ name }) => [name, further] as const);
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [resource] } },
      options: choices,
      default: choices[0]?.value,
    },
    ...merged(resource, required),
    ...merged(resource, optional),
    ...merged(resource, open),
  ];
}

const written = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) => `'${text.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`);

const kindOf = ({ endpoint }: Operation): string => {
  if (endpoint.handledBy === 'lead') return 'lead';
  if (endpoint.method === 'get') return 'read';
  return isRepeatable(endpoint) ? 'keyed' : 'act';
};

const requests = () =>
  Object.fromEntries(
    operations.map((operation) => {
      const { name, endpoint, fields, required } = operation;
      const json = Object.entries(fields).flatMap(([field, schema]) => (fieldOf(field, schema).type === 'json' ? [field] : []));
      const needed = required.filter((field) => field in fields);
      return [name, { method: endpoint.method.toUpperCase(), path: endpoint.path, kind: kindOf(operation), required: needed, json }];
    }),
  );

/** Returns the text of each file by its path. */
export function n8nPackage(): Readonly<Record<string, string>> {
  const resources = groups.map((group) => ({ title: title(plain(group)), name: resourceOf(group), file: fileOf(group) })).toSorted(byTitle);
  const kept = operations.filter(({ endpoint }) => endpoint.handledBy === 'lead' || isRepeatable(endpoint));
  const table = [
    `${head}import type { INodeProperties } from 'n8n-workflow';\n`,
    ...resources.map(({ name, file }) => `import { ${name} } from './${file}';\n`),
    `\nexport const resource: INodeProperties = ${written({
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      options: resources.map(({ title: shown, name }) => ({ name: shown, value: name })),
      default: 'siteSystem',
    })};\n`,
    `\nexport const fields: INodeProperties[] = [${resources.map(({ name }) => `...${name}`).join(', ')}];\n`,
    `\n/** The operations that send leads, and those that accept an Idempotency-Key. */\n`,
    `export const leadOperations = ${written(operations.filter(({ endpoint }) => endpoint.handledBy === 'lead').map(({ name }) => name))};\n`,
    `export const keyedOperations = ${written(kept.map(({ name }) => name))};\n`,
    `\nexport interface OperationRequest {\n  readonly method: 'GET' | 'POST' | 'PATCH';\n  readonly path: string;\n`,
    `  readonly kind: 'lead' | 'read' | 'keyed' | 'act';\n  readonly required: readonly string[];\n  readonly json: readonly string[];\n}\n`,
    `\nexport const requests: Readonly<Record<string, OperationRequest>> = ${written(requests())};\n`,
  ];
  return {
    ...Object.fromEntries(
      groups.map((group) => [
        `${dir}/${fileOf(group)}.ts`,
        `${head}import type { INodeProperties } from 'n8n-workflow';\n\nexport const ${resourceOf(group)}: INodeProperties[] = ${written(propertiesOf(group))};\n`,
      ]),
    ),
    [`${dir}/requests.ts`]: table.join(''),
    [`${dir}/codes.ts`]: `${head}export const codes: Readonly<Record<string, { readonly status: number; readonly advice: string } | undefined>> = ${written(
      Object.fromEntries(Object.entries(errorCodes).map(([code, { status, advice }]) => [code, { status, advice }])),
    )};\n`,
    [`${dir}/states.ts`]: `${head.replace('contract', 'domain/lead.ts')}${stateLists}`,
    [`${nodes}/LeadgateTrigger/generated/events.ts`]: `${head.replace('contract', 'domain/events.ts')}export const events = ${written(
      eventTypes.map((value) => ({ name: title(value.replace('lead.', '')), value })).toSorted(byName),
    )};\n`,
    // The node and the client share the meaning of each answer.
    [`${dir}/meaning.ts`]: `${head.replace('src/contract', 'tools/client/meaning.ts')}${readFileSync(join(projectDir, 'tools/client/meaning.ts'), 'utf8')}`,
  };
}
