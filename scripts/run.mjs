/**
 * `npm run bench -- [name] [options]` and `npm run drill -- [name] [options]`: runs a program of this table. `--list` shows the table. The
 * top of each file says what it does, and its options.
 */
const programs = {
  bench: {
    leads: ['bench/leads.mjs', 'what each kind of request costs, beside the same steps without durability and an untuned Temporal'],
    abuse: ['bench/abuse.mjs', 'what hostile callers cost a normal one, and how long the worst single requests keep others waiting'],
    fairness: ['bench/fairness.mjs', 'how long single leads take beside a large file'],
    pages: ['bench/pages.mjs', 'how soon each page of the console shows something, with ten thousand leads stored'],
  },
  drill: {
    deploy: ['test/cluster/drill.ts', 'deploys a changed workflow, with the embedded engine'],
    upgrade: ['test/cluster/upgrade.ts', 'stops the build before while leads are open, and starts this one on its data'],
    restore: ['test/faults/restore-drill.ts', 'loses the machine under load, and restores a copy'],
    replay: ['test/faults/replay-drill.ts', 'replays every run of a load under faults'],
    waits: ['test/faults/long-waits.ts', 'lets leads wait for a day, with the time skipped; needs Python'],
    tests: ['scripts/repeat-tests.mjs', 'runs the tests 20 times, in other orders, while every core is busy'],
    sdk: ['scripts/newest-sdk.mjs', 'checks types and tests with the newest 1.x of the Temporal SDK, in a copy of the last commit'],
  },
};
/** What runs without a name. */
const usual = { bench: 'leads' };

const [kind, ...given] = process.argv.slice(2);
const isNamed = given.length > 0 && !given[0].startsWith('-');
const [name, ...options] = isNamed ? given : [usual[kind], ...given];
const [file] = programs[kind][name] ?? [];

function list() {
  for (const [known, [, what]] of Object.entries(programs[kind])) console.log(`${known.padEnd(10)}${what}`);
}

if (isNamed && !file) {
  console.error(`There is no ${kind} of this name: ${name}`);
  process.exitCode = 1;
}
if (!file || given.includes('--list')) list();
else {
  process.argv.splice(2, Infinity, 'run', file, ...options);
  await import('./bootstrap.mjs');
}
