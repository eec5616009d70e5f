/** `npm run reference`: writes the files that are generated from the code, using the build that the command makes first. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const projectDir = join(dirname(fileURLToPath(import.meta.url)), '..');
const { reference } = await import(pathToFileURL(join(projectDir, 'dist/reference/written-files.js')).href);

for (const [path, text] of Object.entries(reference())) {
  writeFileSync(join(projectDir, path), text);
  console.log(path);
}
