/** `npm run build:n8n`: checks and builds the n8n nodes, and leaves them in tools/n8n-nodes-leadgate/dist. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage, source } from './n8n/package.mjs';

const { dir, remove } = await buildPackage();
rmSync(join(source, 'dist'), { recursive: true, force: true });
cpSync(join(dir, 'dist'), join(source, 'dist'), { recursive: true });
remove();
console.log(join(source, 'dist'));
