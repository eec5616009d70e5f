#!/usr/bin/env node
/** Runs `leadgate …` in a clone. Builds first if the sources have changed. */
process.argv.splice(2, 0, 'cli');
await import('./bootstrap.mjs');
