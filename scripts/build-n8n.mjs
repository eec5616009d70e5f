/** `npm pack` in tools/n8n-nodes-leadgate runs this: it checks the n8n nodes, and builds them into dist there. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage, source } from './n8n/package.mjs';

const { dir, remove } = await buildPackage();
rmSync(join(source, 'dist'), { recursive: true, force: true });
cpSync(join(dir, 'dist'), join(source, 'dist'), { recursive: true });
remove();
console.log(join(source, 'dist'));
