import { buildSchema, parse, validate } from 'graphql';
import { documents } from '../../src/activities/taskboard-documents';
import { operationTypes } from '../../tools/reference/taskboard-operations';
import { taskboardSchema } from '../../tools/sandbox/taskboard-schema';

describe('the documents for the task board', () => {
  const schema = buildSchema(taskboardSchema);

  it.each(Object.entries(documents))('%s matches the schema', (name, document) => {
    const parsed = parse(document);
    expect(validate(schema, parsed)).toEqual([]);
    expect(parsed.definitions).toMatchObject([{ name: { value: name } }]);
  });

  it('a document that does not match the schema is detected', () => {
    expect(validate(schema, parse('{ project(id: "1") { owner } }'))).not.toEqual([]);
  });

  it('the types change with the schema', () => {
    const changed = taskboardSchema.replace('position: Float!', 'position: String');
    expect(operationTypes(changed, documents)).not.toBe(operationTypes(taskboardSchema, documents));
  });
});
