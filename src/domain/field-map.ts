/** Validates the setting that renames V1's fields: two fields under one name would silently overwrite each other. */
import { isV1Field, isV1Question, v1FieldNames } from './clinicsys';

/** A non-empty name without spaces around it that is no built-in property of objects. */
const isPlain = (name: string): boolean => name !== '' && name === name.trim() && !(name in Object.prototype);

/** Lists the errors of the map. */
export function fieldMapProblems(map: ReadonlyMap<string, string>): readonly string[] {
  const unknown = [...map.keys()].filter((name) => !isV1Field(name));
  const unnamed = [...map].filter(([name, wanted]) => isV1Field(name) && !isPlain(wanted)).map(([name]) => name);
  return [
    ...unknown.map((name) => `has ${JSON.stringify(name)}, which is not a field of V1`),
    ...unnamed.map((name) => `gives ${name} a name that is not plain`),
    ...duplicates(map).map((names) => `sends ${names.join(' and ')} under one name`),
  ];
}

/** Groups of fields that would be sent under one name. It includes questions that only the map's new names mention. */
function duplicates(map: ReadonlyMap<string, string>): readonly string[][] {
  const fields = new Set([...v1FieldNames, ...[...map].flat().filter(isV1Question)]);
  const byName = new Map<string, string[]>();
  for (const field of fields) {
    const name = map.get(field) ?? field;
    byName.set(name, [...(byName.get(name) ?? []), field]);
  }
  return [...byName.values()].filter(({ length }) => length > 1);
}
