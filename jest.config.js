const { cpus } = require('node:os');

/** The share of the cores' time that nothing used for a moment. */
function idleShare() {
  const times = () => cpus().map((core) => core.times);
  const sum = (list, keys) => list.reduce((total, core) => keys.reduce((part, key) => part + core[key], total), 0);
  const before = times();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  const after = times();
  const spent = (keys) => sum(after, keys) - sum(before, keys);
  return spent(['idle']) / Math.max(1, spent(Object.keys(after[0] ?? {})));
}

/** @type {import('jest').Config} */
module.exports = {
  // A process loads each package once, for all its files.
  testEnvironment: '<rootDir>/test/support/one-context.js',
  runtime: '<rootDir>/test/support/shared-modules.js',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // They need a Chromium: `npm run test:browser`.
  testPathIgnorePatterns: ['/test/browser/'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } }],
  },
  // More than the cores of a small machine: much of what is tested is waiting, for a retry, a clock or another process. Where other
  // programs keep the cores busy, so many files would stand still for seconds.
  maxWorkers: idleShare() > 0.5 ? 9 : 6,
  // Tests of a file that run at the same time: most of what they do is waiting.
  maxConcurrency: 8,
  testTimeout: 30_000,
  // One engine and one workflow bundle for all files: test/support/engine.ts says where they are.
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: ['<rootDir>/test/support/logged.ts'],
  testSequencer: '<rootDir>/test/support/sequencer.js',
  reporters: ['<rootDir>/test/support/reporter.js'],
};
