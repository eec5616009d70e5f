/**
 * The environment of a test file: the context of the process, instead of a new one for each file. A package that is loaded once in a
 * process (shared-modules.js) then has the same `Error` and `Array` as every file.
 */
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

module.exports = class OneContext {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = new LegacyFakeTimers({ config: projectConfig, global: globalThis, moduleMocker: this.moduleMocker, timerConfig: {} });
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.before = { exit: process.exit, console };
  }
  async setup() {}
  async teardown() {
    this.fakeTimersModern.dispose();
    process.exit = this.before.exit;
    globalThis.console = this.before.console;
  }
  exportConditions() {
    return ['node', 'node-addons'];
  }
  getVmContext() {
    return globalThis;
  }
};
