import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { writtenMessages } from '../../src/reference/answers';
import { resolve } from '../../src/reference/docs-schema';
import { openApi } from '../../src/reference/openapi';
import type { Answer } from '../../src/reference/openapi-types';
import { whole } from '../support/from-schema';

const document = openApi('1.2.3');
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));

const answered = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods).flatMap(({ operationId, responses }) =>
    Object.entries(responses).map(([status, given]) => {
      const name = '$ref' in given ? given.$ref : `${operationId} ${status}`;
      return { name, status, content: resolve<Answer>(document, given).content?.['application/json'] };
    }),
  ),
);
const shown = [...new Map(answered.map((answer) => [answer.name, answer])).values()].flatMap(({ name, status, content }) =>
  content ? [{ name, status, ...content }] : [],
);
/** Named, so that a failure says which. */
const examplesOf = ({ example, examples = {} }: (typeof shown)[number]) =>
  Object.entries(examples)
    .flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]))
    .concat(example === undefined ? [] : [['', example]]);

describe('examples of answers', () => {
  it('are there for every success and every error code', () => {
    expect(shown.length).toBeGreaterThan(100);
    // The document itself is its own example.
    expect(shown.filter((answer) => examplesOf(answer).length === 0).map(({ name }) => name)).toEqual(['openApi 200']);
    const lacking = shown.flatMap(({ name, schema, examples = {} }) => {
      const codes = (schema.allOf ?? []).flatMap(({ properties }) => properties?.error?.properties?.code?.enum ?? []).map(String);
      return codes
        .filter((code) => (examples[code]?.value as { error?: { code?: string } } | undefined)?.error?.code !== code)
        .map((code) => `${name} ${code}`);
    });
    expect(lacking).toEqual([]);
  });

  it('are what their schemas say', () => {
    const wrong = shown.flatMap((answer) => {
      const fits = ajv.compile(whole(document, answer.schema));
      return examplesOf(answer).flatMap(([key, value]) => (fits(value) ? [] : [[answer.name, key, ajv.errorsText(fits.errors)]]));
    });
    expect(wrong).toEqual([]);
  });

  it('hold, where they are not recorded, a message that the code has', () => {
    const src = join(projectDir, 'src');
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && file !== join('api', 'answers.ts'),
    );
    const code = files.map((file) => readFileSync(join(src, file), 'utf8')).join('\n');
    expect(writtenMessages.filter((message) => !code.includes(message))).toEqual([]);
  });
});
