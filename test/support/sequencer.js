/**
 * The order of the test files. Those that take long come first, so that no core is idle at the end. They mostly wait, so the others, which
 * compute, are spread among them. The list below stands for measured times, which a fresh clone does not have.
 */
const { statSync } = require('node:fs');
const { relative, sep } = require('node:path');

/** What starts processes or gateways, or waits for them: beginnings of paths, the slowest first. */
const slow = [
  'engine/',
  'api/pause',
  'api/answers',
  'api/hold',
  'api/erase',
  'truth/',
  'temporal/',
  'keys/',
  'runtime/',
  'privacy/',
  'send-journal/',
  'cli/lead-decide',
  'cli/safety',
  'api/',
  'cli/',
];
const rankOf = ({ path, context }) => {
  const name = relative(`${context.config.rootDir}/test`, path).replaceAll(sep, '/');
  return slow.findIndex((beginning) => name.startsWith(beginning));
};

/** The place of each file within its list, from 0 to 1. */
const placed = (list) => list.map(({ test }, at) => ({ test, place: at / list.length }));

module.exports = class {
  sort(tests) {
    const known = tests
      .map((test) => ({ test, rank: rankOf(test), size: statSync(test.path).size }))
      .toSorted((one, other) => one.rank - other.rank || other.size - one.size);
    const [waiting, computing] = [known.filter(({ rank }) => rank >= 0), known.filter(({ rank }) => rank < 0)];
    return [...placed(waiting), ...placed(computing)].toSorted((one, other) => one.place - other.place).map(({ test }) => test);
  }
  cacheResults() {}
};
