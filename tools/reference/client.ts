/** Generates the methods and types of the client from the contract: a file for each group, one for the errors, and one that joins the groups. */
import { endpointTable } from '../../src/contract';
import { isRepeatable, type Endpoint } from '../../src/contract/endpoint';
import { errorCodes } from '../../src/contract/errors';
import { schemaOf } from '../../src/contract/json-schema';
import { deliveredStates, settledStates, type State } from '../../src/domain/lead';
import { comment, literal, typeOf } from './client-types';
import { schemas } from './openapi-answers';
import { ownPaths } from './openapi-own';

const dir = 'tools/client/generated';
const head = '/** Written by `npm run reference` from src/contract. */\n';

/** `A. Task board` → task, board. */
const wordsOf = (group: string) =>
  group
    .replace(/^[A-Z]\. /, '')
    .toLowerCase()
    .split(' ');
const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const fileOf = (group: string) => wordsOf(group).join('-');
const nameOf = (group: string) =>
  wordsOf(group)
    .map((word, at) => (at === 0 ? word : capital(word)))
    .join('');

interface Method {
  readonly group: string;
  readonly name: string;
  readonly summary: string;
  /** Name → its type. */
  readonly types: Readonly<Record<string, string>>;
  /** The expression that creates the method. */
  readonly made: string;
}

/** Declares the types. A type that equals an earlier one becomes its alias. */
function declarations(methods: readonly Method[]): string {
  const known = new Map<string, string>();
  return methods
    .flatMap(({ types }) => Object.entries(types))
    .map(([name, type]) => {
      const same = known.get(type);
      known.set(type, same ?? name);
      return `export type ${name} = ${same ?? type};\n`;
    })
    .join('\n');
}

function methodOf(name: string, endpoint: Endpoint): Method {
  const { group, summary, method, path, handledBy, upload, download, lines, input, output, accepted, unfinished } = endpoint;
  const schema = schemaOf(input, 'input');
  const fields = Object.keys(schema.properties ?? {});
  const [given, answer, line] = [`${capital(name)}Input`, `${capital(name)}Output`, `${capital(name)}Line`];
  const isEmpty = fields.length === 0;
  const outputs = [output, accepted, unfinished].filter((type) => type !== undefined).map((type) => typeOf(schemaOf(type, 'output')));
  const types = {
    ...(!isEmpty && { [given]: typeOf(schema) }),
    ...(!download && { [answer]: outputs.join(' | ') }),
    ...(lines && { [line]: typeOf(schemaOf(lines, 'output')) }),
  };
  const [verb, at] = [literal(method.toUpperCase()), literal(path)];
  const [from, to] = [isEmpty ? 'None' : given, answer];
  const kind = isRepeatable(endpoint) ? 'keyed' : 'act';
  const made = upload
    ? `file<${from}, ${to}, ${line}>(${at})`
    : download
      ? `text<${from}>(${at})`
      : handledBy === 'lead'
        ? `lead<${from}, ${to}>(${at})`
        : method === 'get'
          ? `get<${from}, ${to}>(${at})`
          : `${kind}<${from}, ${to}>(${verb}, ${at})`;
  return { group, name, summary, types, made };
}

/** The methods of the routes about the service itself that answer with JSON. */
const ownMethods = ownPaths
  .filter(({ type, example }) => type === 'application/json' && example !== undefined)
  .map(({ name, path, summary, schema }): Method => {
    const answer = `${capital(name)}Output`;
    return { group: 'Service', name, summary, types: { [answer]: typeOf(schema) }, made: `get<None, ${answer}>(${literal(path)})` };
  });

function groupFile(group: string, methods: readonly Method[]): string {
  const imports = ['Calls', ...(methods.some(({ made }) => made.includes('<None')) ? ['None'] : [])].join(', ');
  const body = methods.map(({ name, summary, made }) => `${comment(`${summary}.`, '  ')}  ${name}: calls.${made},\n`).join('');
  return `${head}import type { ${imports} } from '../types.ts';\n\n${declarations(methods)}\nexport const ${nameOf(group)} = (calls: Calls) => ({\n${body}});\n`;
}

const listOf = (some: readonly State[]) => `readonly string[] = [${some.map(literal).join(', ')}]`;

/** The lists of states, for the client and the n8n node. */
export const stateLists = [
  `\n/** The states of a lead that needs nothing more. */\nexport const deliveredStates: ${listOf(deliveredStates)};\n`,
  `\n/** The states that a lead stays in until an operator acts. */\nexport const settledStates: ${listOf(settledStates)};\n`,
].join('');

const answersFile = (): string => {
  const codes = Object.entries(errorCodes).map(([code, meaning]) => {
    const facts = Object.entries(meaning).map(([name, value]) => `${name}: ${literal(value)}`);
    return `  ${code}: { ${facts.join(', ')} },\n`;
  });
  const { Pending, DryRun } = schemas;
  return [
    head,
    `/** The error codes with their statuses and advice. */\nexport const errorCodes = {\n${codes.join('')}} as const;\n\nexport type ErrorCode = keyof typeof errorCodes;\n`,
    stateLists,
    `\n/** The body of a 202 of a lead. */\nexport type Pending = ${typeOf(Pending)};\n`,
    `\n/** The body of a dry run. */\nexport type DryRun = ${typeOf(DryRun)};\n`,
  ].join('');
};

function groupsFile(groups: readonly string[]): string {
  const imports = groups.map((group) => `import { ${nameOf(group)} } from './${fileOf(group)}.ts';\n`);
  const joined = groups.map((group) => `  ${nameOf(group)}: ${nameOf(group)}(calls),\n`);
  return `${head}import type { Calls } from '../types.ts';\n${imports.join('')}\nexport const groupsOf = (calls: Calls) => ({\n${joined.join('')}});\n`;
}

/** Returns the text of each file by its path. */
export function clientFiles(): Readonly<Record<string, string>> {
  const methods = [...endpointTable.map(([name, endpoint]) => methodOf(name, endpoint)), ...ownMethods];
  const groups = [...new Set(methods.map(({ group }) => group))];
  return {
    [`${dir}/answers.ts`]: answersFile(),
    [`${dir}/groups.ts`]: groupsFile(groups),
    ...Object.fromEntries(
      groups.map((group) => [
        `${dir}/${fileOf(group)}.ts`,
        groupFile(
          group,
          methods.filter((method) => method.group === group),
        ),
      ]),
    ),
  };
}
