#!/usr/bin/env node
/** `leadgate …` in a clone: built first when the sources changed. */
process.argv.splice(2, 0, 'cli');
await import('./bootstrap.mjs');
