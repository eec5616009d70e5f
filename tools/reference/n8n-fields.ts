/** Converts fields of the contract to properties of an n8n node, with names and descriptions by n8n's lint rules. */
import { absentRef, type Schema } from '../../src/contract/json-schema';

export type NodeProperty = Readonly<Record<string, unknown>>;

const upperCase: Readonly<Record<string, string>> = { id: 'ID', ids: 'IDs', url: 'URL', json: 'JSON', api: 'API', x: 'X' };

/** `firstName`, `first_name`, `StudyID` → first, name; study, id. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .map((word) => word.toLowerCase());

const capital = (word: string) => upperCase[word] ?? `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
/** `First Name`. */
export const title = (name: string): string => wordsOf(name).map(capital).join(' ');
/** `First name`. */
export const sentence = (name: string): string =>
  wordsOf(name)
    .map((word, at) => (at === 0 ? capital(word) : (upperCase[word] ?? word)))
    .join(' ');

/** Starts a description with a capital, and ends it with a full stop only if it has several sentences. */
export function described(text = ''): string {
  const words = text
    .replaceAll(/\b(id|ids|url|json)\b/gi, (word) => upperCase[word.toLowerCase()] ?? word)
    .replaceAll(/\be-mail\b/gi, 'email')
    .replaceAll(/-(?=ID\b)/g, ' ')
    .replace(/^./, (first) => first.toUpperCase());
  return words.includes('. ') ? `${words}.` : words;
}

/** Returns the schema of a field without the alternative "absent". */
const given = (schema: Schema): Schema => schema.anyOf?.find(({ $ref }) => $ref !== absentRef.$ref) ?? schema;

const isSecret = (name: string): boolean => /token|^(?:key|apiKey|x-api-key)$/i.test(name);

function kindOf(name: string, schema: Schema, standard: unknown): NodeProperty {
  const { enum: words, type } = given(schema);
  const types = [type ?? []].flat();
  if (words?.every((word) => typeof word === 'string')) {
    const options = words
      .toSorted((one, other) => title(one).localeCompare(title(other), 'en'))
      .map((value) => ({ name: title(value), value }));
    return { type: 'options', options, default: standard ?? options[0]?.value };
  }
  if (types.includes('string')) return { type: 'string', ...(isSecret(name) && { typeOptions: { password: true } }), default: '' };
  if (types.includes('boolean')) return { type: 'boolean', default: standard ?? false };
  if (types.includes('number') || types.includes('integer')) return { type: 'number', default: 0 };
  return { type: 'json', default: types.includes('array') ? '[]' : '{}' };
}

/** n8n's lint rules reject a description that only repeats the name. */
const isSame = (one: string, other: string): boolean => one.replace(/^The /, '').toLowerCase() === other.toLowerCase();

export function fieldOf(name: string, schema: Schema): NodeProperty {
  const { description, default: standard } = schema;
  const kind = kindOf(name, schema, standard);
  const words = described(description);
  return {
    displayName: title(name),
    name,
    ...kind,
    ...(name === 'email' && { placeholder: 'name@email.com' }),
    ...(words &&
      !isSame(words, title(name)) && {
        description: kind.type === 'boolean' ? `Whether to turn it on. ${words.replace(/\.$/, '')}.` : words,
      }),
  };
}
