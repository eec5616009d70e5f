/**
 * The order of the test files. Those that mostly wait are spread among the others, which compute, so that the cores are neither idle nor
 * crowded. The list below stands for measured times, which a fresh clone does not have.
 */
const { statSync } = require('node:fs');
const { relative, sep } = require('node:path');

/** Files that wait for a retry, a clock or another process, most of them for more than ten seconds: beginnings of paths, the slowest first. */
const waiting = [
  'api/pause',
  'api/erase',
  'api/answers',
  'api/alerts',
  'api/limits',
  'keys/rotation',
  'engine/start',
  'temporal/workflow-worker',
  'api/many-decisions',
  'reference/tool-pages',
  'api/taskboard-copies',
  'api/taskboard-upstream',
  'runtime/events',
  'api/hold',
  'api/read-back',
  'client/client',
  'truth/model',
  'api/steps',
  'cli/safety',
  'api/decisions',
  'api/caller-turns',
  'engine/erased-file',
  'cli/lead-decide',
  'privacy/canary',
  'runtime/process',
  'send-journal/lost-task',
  'api/engine-away',
  'backup/backup',
  'cli/binary',
];
/** The last of them begins when so much of the others has begun. All are over when the others are. */
const lastBegins = 0.75;

const rankOf = ({ path, context }) => {
  const name = relative(`${context.config.rootDir}/test`, path).replaceAll(sep, '/');
  return waiting.findIndex((beginning) => name.startsWith(beginning));
};

/** The place of each file among all, from 0 to `last`. */
const placed = (list, last) => list.map(({ test }, at) => ({ test, place: (last * at) / list.length }));

module.exports = class {
  sort(tests) {
    const known = tests
      .map((test) => ({ test, rank: rankOf(test), size: statSync(test.path).size }))
      .toSorted((one, other) => one.rank - other.rank || other.size - one.size);
    const [waits, computes] = [known.filter(({ rank }) => rank >= 0), known.filter(({ rank }) => rank < 0)];
    const places = [...placed(waits, lastBegins), ...placed(computes, 1)];
    return places.toSorted((one, other) => one.place - other.place).map(({ test }) => test);
  }
  cacheResults() {}
};
