/** Generates TypeScript types for the task board's GraphQL documents: the variables and the result of each, from the schema. */
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  type SelectionSetNode,
} from 'graphql';
import { documents } from '../../src/activities/taskboard-documents';
import { taskboardSchema } from '../sandbox/taskboard-schema';

const scalars: Readonly<Record<string, string>> = {
  ID: 'string',
  String: 'string',
  DateTime: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
};

/** Wraps the innermost type in its lists and nulls. */
function wrapped(type: GraphQLType, innermost: string): string {
  if (isNonNullType(type)) return bare(type.ofType, innermost);
  return `${bare(type, innermost)} | null`;
}

function bare(type: GraphQLType, innermost: string): string {
  if (!isListType(type)) return innermost;
  const item = wrapped(type.ofType, innermost);
  return `readonly ${item.includes(' | ') && !item.endsWith('}') ? `(${item})` : item}[]`;
}

const indented = (text: string) => text.replaceAll(/^/gm, '  ');
const block = (fields: readonly string[]) => `{\n${indented(fields.map((field) => `${field};`).join('\n'))}\n}`;

function inputType(type: GraphQLInputType): string {
  const named = getNamedType(type);
  if (isEnumType(named)) {
    const words = named.getValues().map(({ name }) => `'${name}'`);
    return wrapped(type, words.length > 1 ? `(${words.join(' | ')})` : words.join());
  }
  if (!isInputObjectType(named)) return wrapped(type, scalars[named.name] ?? 'unknown');
  return wrapped(type, block(Object.values(named.getFields()).map((field) => property(field.name, field.type))));
}

const property = (name: string, type: GraphQLInputType) => `readonly ${name}${isNonNullType(type) ? '' : '?'}: ${inputType(type)}`;

function resultType(parent: GraphQLObjectType, { selections }: SelectionSetNode): string {
  const fields = selections.map((selection) => {
    if (selection.kind !== 'Field') throw new Error('Fragments are not used here');
    const type: GraphQLOutputType | undefined = parent.getFields()[selection.name.value]?.type;
    if (!type) throw new Error(`${parent.name} has no field ${selection.name.value}`);
    const named = getNamedType(type);
    const innermost = selection.selectionSet && isObjectType(named) ? resultType(named, selection.selectionSet) : scalars[named.name];
    return `readonly ${selection.name.value}: ${wrapped(type, innermost ?? 'unknown')}`;
  });
  return block(fields);
}

function operation(schema: GraphQLSchema, name: string, document: string): string {
  const [definition] = parse(document).definitions;
  if (definition?.kind !== 'OperationDefinition') throw new Error(`${name} is no operation`);
  const root = schema.getRootType(definition.operation);
  if (!root) throw new Error(`The schema has no ${definition.operation}`);
  const variables = (definition.variableDefinitions ?? []).map(({ variable, type }) => {
    const found = typeFromAST(schema, type) as GraphQLInputType | undefined;
    if (!found) throw new Error(`${name}: the type of $${variable.name.value} is unknown`);
    return property(variable.name.value, found);
  });
  const parts = [`readonly variables: ${block(variables)}`, `readonly result: ${resultType(root, definition.selectionSet)}`];
  return `readonly ${name}: ${block(parts)}`;
}

export function operationTypes(schemaText: string, documents: Readonly<Record<string, string>>): string {
  const schema = buildSchema(schemaText);
  const operations = Object.entries(documents).map(([name, document]) => operation(schema, name, document));
  return `/** Written by \`npm run reference\` from src/activities/taskboard-documents.ts and tools/sandbox/taskboard-schema.ts. */\nexport interface Operations ${block(operations)}\n`;
}

/** Returns the text of each file by its path. */
export const taskboardFiles = (): Readonly<Record<string, string>> => ({
  'src/activities/generated/taskboard-operations.ts': operationTypes(taskboardSchema, documents),
});
