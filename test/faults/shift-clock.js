/** Shifts the clock of a process by the seconds in a file. Loaded with `node --require`. */
const { readFileSync } = require('node:fs');

const RealDate = Date;
let shiftMs = 0;

setInterval(() => {
  shiftMs = Number(readFileSync(process.env.FAULT_CLOCK_FILE, 'utf8')) * 1000;
}, 50).unref();

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length > 0 ? given : [RealDate.now() + shiftMs]));
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};
