/** One line a file as it ends; then every failure in full, and the sums. */
const { relative } = require('node:path');

const say = (text) => void process.stderr.write(`${text}\n`);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const isBroken = ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError !== undefined;

module.exports = class {
  constructor({ rootDir }) {
    this.nameOf = (path) => relative(rootDir, path);
  }

  onTestResult({ path }, result, { numTotalTestSuites }) {
    const { numPassingTests, numFailingTests, perfStats, testResults } = result;
    const failed = numFailingTests > 0 ? `, ${numFailingTests} failed` : '';
    say(`${isBroken(result) ? 'FAIL' : 'pass'} ${this.nameOf(path)}: ${numPassingTests} passed${failed} (${seconds(perfStats.runtime)})`);
    if (numTotalTestSuites === 1) for (const { status, fullName } of testResults) say(`  ${status}: ${fullName}`);
  }

  onRunComplete(_contexts, { testResults, numTotalTestSuites, numPassedTests, numFailedTests, startTime }) {
    for (const { testFilePath, failureMessage, console: lines } of testResults.filter(isBroken)) {
      say(`\nFAIL ${this.nameOf(testFilePath)}\n`);
      for (const { type, message } of lines ?? []) say(`  console.${type}: ${message}`);
      say(failureMessage);
    }
    say(`\n${numTotalTestSuites} files, ${numPassedTests} tests passed, ${numFailedTests} failed (${seconds(Date.now() - startTime)})`);
  }
};
