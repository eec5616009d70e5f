/** A jest reporter: prints a line for each finished file, then all failures and the totals. */
const { relative } = require('node:path');

const say = (text) => void process.stderr.write(`${text}\n`);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const isBroken = ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError !== undefined;

module.exports = class {
  constructor({ rootDir }) {
    this.nameOf = (path) => relative(rootDir, path);
    this.consoles = new Map();
  }

  onTestResult({ path }, result, { numTotalTestSuites }) {
    const { numPassingTests, numFailingTests, perfStats, testResults } = result;
    this.consoles.set(path, result.console);
    const failed = numFailingTests > 0 ? `, ${numFailingTests} failed` : '';
    say(`${isBroken(result) ? 'FAIL' : 'pass'} ${this.nameOf(path)}: ${numPassingTests} passed${failed} (${seconds(perfStats.runtime)})`);
    if (numTotalTestSuites === 1) for (const { status, fullName } of testResults) say(`  ${status}: ${fullName}`);
  }

  onRunComplete(_contexts, { testResults, numPassedTests, numFailedTests, startTime }) {
    const broken = testResults.filter(isBroken);
    for (const { testFilePath, failureMessage } of broken) {
      say(`\nFAIL ${this.nameOf(testFilePath)}\n`);
      for (const { type, message } of this.consoles.get(testFilePath) ?? []) say(`  console.${type}: ${message}`);
      say(failureMessage);
    }
    const files = `${testResults.length} files${broken.length > 0 ? `, ${broken.length} failed` : ''}`;
    say(`\n${files}: ${numPassedTests} tests passed, ${numFailedTests} failed (${seconds(Date.now() - startTime)})`);
  }
};
