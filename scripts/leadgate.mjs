#!/usr/bin/env node
/** Runs the `leadgate` command from a clone of the repository. Builds the clone first if its sources have changed. */
process.argv.splice(2, 0, 'cli');
await import('./bootstrap.mjs');
