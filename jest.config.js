const { cpus } = require('node:os');

/** The time that the cores have spent so far, in all and idle. */
function coreTimes() {
  const times = cpus().map((core) => core.times);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return { all: sum(times.flatMap((each) => Object.values(each))), idle: sum(times.map(({ idle }) => idle)) };
}

/** The share of the cores' time that nothing used for a moment. */
function idleShare() {
  const before = coreTimes();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  const after = coreTimes();
  return (after.idle - before.idle) / Math.max(1, after.all - before.all);
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
  maxWorkers: idleShare() > 0.5 ? 10 : 6,
  // Tests of a file that run at the same time: most of what they do is waiting.
  maxConcurrency: 8,
  // No test is about its own time: this only ends one that hangs, and is far more than a busy machine takes.
  testTimeout: 120_000,
  // One engine and one workflow bundle for all files: test/support/engine.ts says where they are.
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: ['<rootDir>/test/support/logged.ts'],
  testSequencer: '<rootDir>/test/support/sequencer.js',
  reporters: ['<rootDir>/test/support/reporter.js'],
};
