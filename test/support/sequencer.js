/** The order of the test files: those that take long come first, so that no core is idle at the end. A fresh clone knows no times yet. */
const { statSync } = require('node:fs');
const { relative, sep } = require('node:path');

/** Folders whose files start processes or gateways, the slowest first. */
const slow = ['engine', 'truth', 'api', 'cli'];
const rankOf = ({ path, context }) => {
  const rank = slow.indexOf(relative(`${context.config.rootDir}/test`, path).split(sep)[0]);
  return rank < 0 ? slow.length : rank;
};

module.exports = class {
  sort(tests) {
    const known = tests.map((test) => ({ test, rank: rankOf(test), size: statSync(test.path).size }));
    return known.toSorted((one, other) => one.rank - other.rank || other.size - one.size).map(({ test }) => test);
  }
  cacheResults() {}
};
