/** `node run-ts.js file.ts args…`: runs a TypeScript file without a build or type check. */
const { readFileSync } = require('node:fs');
const { resolve } = require('node:path');
const { transformSync } = require('@swc/core');

const options = { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } };
const compile = (module, filename) =>
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
// Resolve .ts before .json: of two files with one name, load the code.
const { '.json': json } = require.extensions;
delete require.extensions['.json'];
Object.assign(require.extensions, { '.ts': compile, '.json': json });

process.argv.splice(1, 1);
require(resolve(process.argv[1]));
