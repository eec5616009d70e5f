/** What the pictures of the documentation are made from. `npm run screenshots` records it, and a test compares it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';

export const picturesDir = join(projectDir, 'docs/images');
export const recordedDigest = join(picturesDir, 'made-from.sha256');

export const pictureNames = (): readonly string[] => readdirSync(picturesDir).filter((name) => name.endsWith('.png'));

const filesIn = (dir: string): readonly string[] =>
  readdirSync(join(projectDir, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** No page of the console loads these. */
const isOfOtherPages = (file: string): boolean => /\/console\/(?:docs|signed-in)[^/]*$/.test(file);

/** Changes with the console, with what the pictures show, and with the pictures. */
export function pictureDigest(): string {
  const sources = [...filesIn('tools/console').filter((file) => !isOfOtherPages(file)), join(__dirname, 'screenshots.ts')];
  const hash = createHash('sha256');
  for (const file of [...sources, ...pictureNames().map((name) => join(picturesDir, name))].toSorted())
    hash.update(file.slice(projectDir.length)).update('\0').update(readFileSync(file)).update('\0');
  return `${hash.digest('hex')}\n`;
}
