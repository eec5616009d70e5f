/**
 * The order of the test files. Those that take long come first, so that no core is idle at the end. They mostly wait, so the others, which
 * compute, are spread among them. A fresh clone knows no times yet.
 */
const { statSync } = require('node:fs');
const { relative, sep } = require('node:path');

/** What starts processes or gateways, or waits for them: beginnings of paths, the slowest first. */
const slow = ['engine/', 'api/pause', 'api/answers', 'truth/', 'temporal/', 'keys/', 'runtime/', 'api/', 'privacy/', 'send-journal/', 'cli/'];
const rankOf = ({ path, context }) => {
  const name = relative(`${context.config.rootDir}/test`, path).replaceAll(sep, '/');
  return slow.findIndex((beginning) => name.startsWith(beginning));
};

/** Puts `others` at even distances among `items`. */
const spread = (items, others) =>
  items.flatMap((item, at) => [
    item,
    ...others.slice(Math.round((at * others.length) / items.length), Math.round(((at + 1) * others.length) / items.length)),
  ]);

module.exports = class {
  sort(tests) {
    const known = tests
      .map((test) => ({ test, rank: rankOf(test), size: statSync(test.path).size }))
      .toSorted((one, other) => one.rank - other.rank || other.size - one.size);
    const waiting = known.filter(({ rank }) => rank >= 0);
    const computing = known.filter(({ rank }) => rank < 0);
    return spread(waiting, computing).map(({ test }) => test);
  }
  cacheResults() {}
};
