/**
 * Loads modules for a test file as Jest does, with two differences. A process loads a package and a module of `src` once, and not again for
 * each file: loading them would cost more than most files' tests do. And all code runs in the context of the process (one-context.js).
 */
const { createRequire, isBuiltin } = require('node:module');
const { dirname, join, resolve, sep } = require('node:path');
const { compileFunction } = require('node:vm');
const Runtime = require('jest-runtime').default;

const shared = [join(__dirname, '../../src') + sep, join(__dirname, 'workflow-creator')];
const isShared = (from, name) => {
  const isPath = /^[./]/.test(name);
  return isPath ? shared.some((path) => resolve(dirname(from), name).startsWith(path)) : !isBuiltin(name);
};

/** Where the source maps of the shared modules are: each file's stacks need them. */
const sourceMaps = new Map();
/** Jest caches parsed source maps by this object. With one object for all files, it parses each map once. */
const registry = new Map();
let compile;
// Before JSON: of two files with one name, the code is meant.
const { '.json': json } = require.extensions;
delete require.extensions['.json'];
Object.assign(require.extensions, { '.ts': (module, filename) => module._compile(compile(filename), filename), '.json': json });

module.exports = class SharedModules extends Runtime {
  constructor(...given) {
    super(...given);
    const { executor, transformCache } = this;
    executor.compile = (code, filename) => compileFunction(code, executor.injectedModuleParameters, { filename });
    transformCache.sourceMaps = registry;
    for (const [filename, map] of sourceMaps) registry.set(filename, map);
    compile = (filename) => {
      const code = transformCache.transform(filename);
      sourceMaps.set(filename, transformCache.sourceMaps.get(filename));
      return code;
    };
  }
  requireModule(from, name, options, isActual) {
    const isOwn = !name || isActual || !isShared(from, name);
    return isOwn ? super.requireModule(from, name, options, isActual) : createRequire(from)(name);
  }
};
