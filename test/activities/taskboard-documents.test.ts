import { buildSchema, parse, validate } from 'graphql';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents } from '../../src/activities/taskboard-documents';
import { taskboardSchema } from '../../tools/sandbox/taskboard-schema';
import { operationTypes } from './operation-types';

/** Prettier is an ES module, which jest cannot load: hence the command. */
const prettier = require.resolve('prettier/bin/prettier.cjs');
const formatted = (input: string) => execFileSync(process.execPath, [prettier, '--stdin-filepath', file], { input, encoding: 'utf8' });
const file = join(__dirname, '../../src/activities/generated/taskboard-operations.ts');

describe('the documents for the task board', () => {
  const schema = buildSchema(taskboardSchema);

  it.each(Object.entries(documents))('%s fits the schema', (name, document) => {
    const parsed = parse(document);
    expect(validate(schema, parsed)).toEqual([]);
    expect(parsed.definitions).toMatchObject([{ name: { value: name } }]);
  });

  it('a document that does not fit is noticed', () => {
    expect(validate(schema, parse('{ project(id: "1") { owner } }'))).not.toEqual([]);
  });

  it('have types that were written from this schema', () => {
    const written = formatted(operationTypes(taskboardSchema, documents));
    if (process.env.UPDATE) writeFileSync(file, written);
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('the types change with the schema', () => {
    const changed = taskboardSchema.replace('position: Float!', 'position: String');
    expect(operationTypes(changed, documents)).not.toBe(operationTypes(taskboardSchema, documents));
  });
});
