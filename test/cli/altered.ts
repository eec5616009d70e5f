/** The bundles of code that somebody changed, in a directory of its own. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replayBundlePath } from '../support/engine';

const project = join(__dirname, '../..');

export interface Altered {
  /** The bundle for replays. */
  readonly path: string;
  remove(): void;
}

function inDirectory() {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-altered-'));
  return { dir, path: join(dir, 'replay-bundle.js'), remove: () => rmSync(dir, { recursive: true, force: true }) };
}

function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`There is no such text any more: ${from}`);
  return text.replace(from, () => to);
}

/** The whole compiled service with one edit in its workflows, as another version of it would lie on a machine. */
export function alteredDist(from: string, to: string): Altered & { readonly dist: string } {
  const { dir, remove } = inDirectory();
  const dist = join(dir, 'dist');
  const path = join(dist, 'replay-bundle.js');
  for (const name of ['dist', 'config', 'package.json']) cpSync(join(project, name), join(dir, name), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(dir, 'node_modules'));
  for (const bundle of [path, join(dist, 'workflow-bundle.js')]) writeFileSync(bundle, changed(readFileSync(bundle, 'utf8'), from, to));
  return { path, dist, remove };
}

/** Today's bundle for replays, with one edit. */
export function alteredBundle(from: string, to: string, of = replayBundlePath()): Altered {
  const { path, remove } = inDirectory();
  writeFileSync(path, changed(readFileSync(of, 'utf8'), from, to));
  return { path, remove };
}
