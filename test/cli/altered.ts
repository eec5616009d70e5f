/** Creates bundles of changed code in a temporary directory. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replayBundlePath } from '../support/engine';

const project = join(__dirname, '../..');

export interface Altered {
  /** The path of the replay bundle. */
  readonly path: string;
  remove(): void;
}

function inDirectory() {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-altered-'));
  return { dir, path: join(dir, 'replay-bundle.js'), remove: () => rmSync(dir, { recursive: true, force: true }) };
}

function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`The bundle does not contain: ${from}`);
  return text.replace(from, () => to);
}

/** Copies the compiled service with one edit in its workflows, as another version of it. */
export function alteredDist(from: string, to: string): Altered & { readonly dist: string } {
  const { dir, remove } = inDirectory();
  const dist = join(dir, 'dist');
  const path = join(dist, 'replay-bundle.js');
  for (const name of ['dist', 'config', 'package.json']) cpSync(join(project, name), join(dir, name), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(dir, 'node_modules'));
  for (const bundle of [path, join(dist, 'workflow-bundle.js')]) writeFileSync(bundle, changed(readFileSync(bundle, 'utf8'), from, to));
  return { path, dist, remove };
}

/** Copies the current replay bundle with one edit. */
export function alteredBundle(from: string, to: string, of = replayBundlePath()): Altered {
  const { path, remove } = inDirectory();
  writeFileSync(path, changed(readFileSync(of, 'utf8'), from, to));
  return { path, remove };
}
