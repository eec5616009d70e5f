/** The setting that gives V1's fields other names: a field that went out under another's name would take its place without a word. */
import { isV1Field, isV1Question, v1FieldNames } from './clinicsys';

/** A name with something in it, and none that every object has of itself. */
const isPlain = (name: string): boolean => name !== '' && name === name.trim() && !(name in Object.prototype);

/** What is wrong with the map, by the names of V1's fields alone. */
export function fieldMapProblems(map: ReadonlyMap<string, string>): readonly string[] {
  const unknown = [...map.keys()].filter((name) => !isV1Field(name));
  const unnamed = [...map].filter(([name, wanted]) => isV1Field(name) && !isPlain(wanted)).map(([name]) => name);
  return [
    ...unknown.map((name) => `has ${JSON.stringify(name)}, which is no field of V1`),
    ...unnamed.map((name) => `gives ${name} a name that is not plain`),
    ...twice(map).map((names) => `sends ${names.join(' and ')} under one name`),
  ];
}

/** Fields that would go out under one name. A question that the map only names as a wanted name is a field, too. */
function twice(map: ReadonlyMap<string, string>): readonly string[][] {
  const fields = new Set([...v1FieldNames, ...[...map].flat().filter(isV1Question)]);
  const byName = new Map<string, string[]>();
  for (const field of fields) {
    const name = map.get(field) ?? field;
    byName.set(name, [...(byName.get(name) ?? []), field]);
  }
  return [...byName.values()].filter(({ length }) => length > 1);
}
