/**
 * Loads modules for a test file as Jest does, with two differences. A process loads a package once, and not again for each file: loading
 * the engine's SDK would cost more than most files' tests do. And all code runs in the context of the process (one-context.js).
 */
const { createRequire, isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');
const Runtime = require('jest-runtime').default;

module.exports = class SharedPackages extends Runtime {
  constructor(...given) {
    super(...given);
    const { executor } = this;
    executor.compile = (code, filename) => compileFunction(code, executor.injectedModuleParameters, { filename });
  }
  requireModule(from, name, options, isActual) {
    const isPackage = name && !isBuiltin(name) && !/^[./]/.test(name);
    return isPackage && !options?.isInternalModule ? createRequire(from)(name) : super.requireModule(from, name, options, isActual);
  }
};
