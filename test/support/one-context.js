/**
 * The environment of a test file: the context of the process, instead of a new one for each file. A package that is loaded once in a
 * process (shared-modules.js) then has the same `Error` and `Array` as every file.
 */
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const asyncHooks = require('node:async_hooks');

/** All that were made in this process: by Jest for each file, and by packages for each connection. */
const stores = [];
class ListedStore extends asyncHooks.AsyncLocalStorage {
  constructor(...given) {
    super(...given);
    stores.push(this);
  }
}
// An assignment would do nothing on Node 22, where the property is a getter.
Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: ListedStore, enumerable: true, configurable: true, writable: true });

// Exits when the parent is gone. It polls, because Jest waits for a process that listens for `disconnect`.
if (process.send) setInterval(() => process.connected || process.exit(1), 1_000).unref();

module.exports = class OneContext {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = new LegacyFakeTimers({ config: projectConfig, global: globalThis, moduleMocker: this.moduleMocker, timerConfig: {} });
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.before = { exit: process.exit, console };
  }
  async setup() {
    // As many lines as Node tells. Jest's hundred cost more than they tell: packages read the stack of errors that nobody sees.
    Error.stackTraceLimit = 10;
  }
  async teardown() {
    this.fakeTimersModern.dispose();
    process.exit = this.before.exit;
    globalThis.console = this.before.console;
    // Otherwise what reports the tests of this file would report those of the next files, too.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    // Before Node 24, each store that was ever used makes every promise of the process dearer.
    for (const store of stores) store.disable();
  }
  exportConditions() {
    return ['node', 'node-addons'];
  }
  getVmContext() {
    return globalThis;
  }
};
