/** Writes an example request in curl, JavaScript and Python. The Python sample uses only the standard library. */
import { json, text } from './docs-html';
import type { ExampleRequest } from './docs-request';

type Write = (base: string, request: ExampleRequest) => string;

const shellQuoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;

/** Indents all lines except the first. */
const indented = (value: string, by: string) => value.replaceAll('\n', `\n${by}`);

const curl: Write = (base, { method, path, headers, body, file }) =>
  [
    `curl -s ${method === 'GET' || method === 'POST' ? '' : `-X ${method} `}${shellQuoted(`${base}${path}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellQuoted(json(body))}`]),
    ...(file === undefined ? [] : ['--data-binary @leads.csv']),
  ].join(' \\\n  ');

const quoted = (value: string) => `'${value.replaceAll(/[\\']/g, '\\$&')}'`;

const javascript: Write = (base, { method, path, headers, body, file }) => {
  const named = Object.entries(headers).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`);
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoted(method)},`]),
    ...(named.length > 0 ? [`headers: { ${named.join(', ')} },`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(json(body), '  ')}),`]),
    ...(file === undefined ? [] : [`body: await readFile('leads.csv'),`]),
  ];
  const asked = options.length > 0 ? `, {\n  ${options.join('\n  ')}\n}` : '';
  return [
    ...(file === undefined ? [] : [`import { readFile } from 'node:fs/promises';\n`]),
    `const response = await fetch(${quoted(`${base}${path}`)}${asked});`,
    'console.log(response.status, await response.text());',
  ].join('\n');
};

const constants: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Writes a JSON value in Python, where only three words differ. */
const pythonic = (value: unknown) => json(value).replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, (part) => constants[part] ?? part);

const python: Write = (base, { method, path, headers, body, file }) => {
  const named = Object.entries(headers).map(([name, value]) => `"${name}": "${value}"`);
  const options = [
    `"${base}${path}"`,
    ...(method === 'GET' ? [] : [`method=${JSON.stringify(method)}`]),
    ...(named.length > 0 ? [`headers={${named.join(', ')}}`] : []),
    ...(body === undefined ? [] : [`data=json.dumps(${indented(pythonic(body), '    ')}).encode()`]),
    ...(file === undefined ? [] : ['data=open("leads.csv", "rb").read()']),
  ];
  return [
    ...(body === undefined ? [] : ['import json']),
    'import urllib.error',
    'import urllib.request',
    '',
    `request = urllib.request.Request(\n    ${options.join(',\n    ')},\n)`,
    'try:',
    '    response = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as error:',
    '    response = error',
    'print(response.status, response.read().decode())',
  ].join('\n');
};

export const languages: Readonly<Record<string, readonly [label: string, write: Write]>> = {
  curl: ['curl', curl],
  javascript: ['JavaScript', javascript],
  python: ['Python', python],
};

/** Renders the samples. Radio buttons select the language, so that no script is needed. */
export function samples(id: string, base: string, request: ExampleRequest): string {
  const all = Object.entries(languages);
  const choices = all.map(
    ([name, [label]], at) =>
      `<label><input type="radio" name="${id}-language" value="${name}"${at === 0 ? ' checked' : ''}><span>${label}</span></label>`,
  );
  const blocks = all.map(([name, [, write]]) => `<div class="block ${name}"><pre>${text(write(base, request))}</pre></div>`);
  return `<div class="samples"><fieldset><legend class="unseen">Language of the example</legend>${choices.join('')}</fieldset>${blocks.join('')}</div>`;
}
