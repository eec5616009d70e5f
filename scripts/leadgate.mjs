#!/usr/bin/env node
/** `leadgate …` in a clone: builds first if the sources have changed. */
process.argv.splice(2, 0, 'cli');
await import('./bootstrap.mjs');
