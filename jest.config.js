// The zone of a machine must change nothing.
process.env.TZ = 'America/New_York';

const toCommonJs = (syntax) => ['@swc/jest', { jsc: { parser: { syntax }, target: 'es2022' }, module: { type: 'commonjs' } }];
/** Packages that have ES modules only. Node can require them, but Jest cannot. */
const esModules = '(?:openid-client|oauth4webapi|jose)/';

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // They need a Chromium: `npm run proofs -- browser`.
  testPathIgnorePatterns: ['/test/browser/'],
  transform: { '^.+\\.ts$': toCommonJs('typescript'), [`/node_modules/${esModules}.+\\.js$`]: toCommonJs('ecmascript') },
  transformIgnorePatterns: [`/node_modules/(?!${esModules})`],
  // Jest looks each global up in the file's context, which costs a hundred times as much as a local name. No package declares one of these.
  sandboxInjectedGlobals: [
    ...['Array', 'ArrayBuffer', 'BigInt', 'Boolean', 'Error', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'Proxy', 'RangeError'],
    ...['Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'TypeError', 'Uint8Array', 'WeakMap'],
    ...['decodeURIComponent', 'encodeURIComponent', 'isNaN', 'parseInt'],
  ],
  // More than the cores of a small machine: much of what is tested is waiting, for a retry, a clock or another process.
  maxWorkers: 4,
  // Tests of a file that run at the same time: most of what they do is waiting.
  maxConcurrency: 8,
  // No test is about its own time: this only ends one that hangs, and is far more than a busy machine takes.
  testTimeout: 120_000,
  // One engine and one workflow bundle for all files: test/support/engine.ts says where they are.
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: ['<rootDir>/test/support/logged.ts'],
  reporters: ['<rootDir>/test/support/reporter.js'],
};
