/** Reads the version from package.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from './config';

const { version: written } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };

export const version = written;
