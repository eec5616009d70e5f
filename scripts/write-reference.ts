/** `npm run reference`: writes the files that are generated from the code. It does not need a build, because a build needs these files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../src/config/config';
import { reference } from '../tools/reference/written-files';

for (const [path, text] of Object.entries(reference())) {
  writeFileSync(join(projectDir, path), text);
  process.stdout.write(`${path}\n`);
}
