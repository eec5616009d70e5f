/** The tests that need a Chromium: on the PATH, or where CHROMIUM_PATH says. @type {import('jest').Config} */
module.exports = {
  ...require('./jest.config.js'),
  testMatch: ['<rootDir>/test/browser/*.test.ts'],
  testPathIgnorePatterns: [],
  maxWorkers: 1,
};
