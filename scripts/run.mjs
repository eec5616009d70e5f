/**
 * `npm run bench -- [name] [options]` and `npm run drill -- [name] [options]`: runs a program of this table. `--list` shows the table. The
 * header of each file describes the program and its options.
 */
const programs = {
  bench: {
    leads: ['bench/leads.mjs', 'the cost of each kind of request, compared with the same steps without durability and an untuned Temporal'],
    abuse: ['bench/abuse.mjs', 'how much hostile callers and the worst single requests delay a normal caller'],
    fairness: ['bench/fairness.mjs', 'how long single leads take during a large import'],
    pages: ['bench/pages.mjs', 'the time to the first content of each page of the console, with ten thousand leads stored'],
  },
  drill: {
    deploy: ['test/cluster/drill.ts', 'deploys a changed workflow, with the embedded engine'],
    upgrade: ['test/cluster/upgrade.ts', 'stops an earlier build while leads are open, and starts this one on its data'],
    restore: ['test/faults/restore-drill.ts', 'simulates the loss of the machine under load, and restores a copy'],
    replay: ['test/faults/replay-drill.ts', 'sends leads under faults, and replays every run'],
    waits: ['test/faults/long-waits.ts', 'lets leads wait for a day of skipped time; needs Python'],
    tests: ['scripts/repeat-tests.mjs', 'runs the tests 20 times in random orders while every core is busy'],
    sdk: ['scripts/newest-sdk.mjs', 'upgrades to the newest 1.x of the Temporal SDK and the newest engine, in a copy of the last commit'],
  },
};
/** The program that runs without a name. */
const usual = { bench: 'leads' };

const [kind, ...given] = process.argv.slice(2);
const isNamed = given.length > 0 && !given[0].startsWith('-');
const [name, ...options] = isNamed ? given : [usual[kind], ...given];
const [file] = programs[kind][name] ?? [];

function list() {
  for (const [known, [, what]] of Object.entries(programs[kind])) console.log(`${known.padEnd(10)}${what}`);
}

if (isNamed && !file) {
  console.error(`Unknown ${kind}: ${name}`);
  process.exitCode = 1;
}
if (!file || given.includes('--list')) list();
else {
  process.argv.splice(2, Infinity, 'run', file, ...options);
  await import('./bootstrap.mjs');
}
