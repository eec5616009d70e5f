/** `node run-ts.js file.ts args…`: runs a TypeScript file in a process of its own, without a build or a check of its types. */
const { readFileSync } = require('node:fs');
const { resolve } = require('node:path');
const { transformSync } = require('@swc/core');

const options = { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } };
const compile = (module, filename) =>
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
// Before JSON: of two files with one name, the code is meant.
const { '.json': json } = require.extensions;
delete require.extensions['.json'];
Object.assign(require.extensions, { '.ts': compile, '.json': json });

process.argv.splice(1, 1);
require(resolve(process.argv[1]));
