/**
 * `node scripts/lead-path.mjs`: lists the files that process one lead, from the socket to the upstream and back. A profiler finds
 * the files of the service that ran code for the lead. Code that timers run without a lead does not count. Workflows run from one bundle,
 * so all files that the workflow imports are listed. The files of the sandbox, which is the upstream, are not.
 */
import { readFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, environment, isReady } from './service.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const dist = join(project, 'dist');

/** The files that a workflow imports, directly or indirectly, without type imports. */
function importedFrom(entry, found = new Set()) {
  if (found.has(entry)) return found;
  found.add(entry);
  const text = readFileSync(entry, 'utf8');
  for (const [, type, to] of text.matchAll(/^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'(\.[^']+)'/gm)) {
    const file = `${resolve(dirname(entry), to)}.ts`;
    if (!type && existsSync(file)) importedFrom(file, found);
  }
  return found;
}

/** The functions that ran since the last call, each as `file#function`. */
async function ranSince(session) {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url: file }) => file.includes(dist) && !file.endsWith('workflow-bundle.js'))
    .flatMap(({ url: file, functions }) => {
      const name = relative(dist, file.replace('file://', '')).replace(/\.js$/, '.ts');
      return functions
        .filter(({ ranges: [{ count }], functionName }) => functionName && count > 0)
        .map(({ functionName }) => `${name}#${functionName}`);
    });
}

async function main() {
  await build();
  const data = mkdtempSync(join(tmpdir(), 'leadgate-path-'));
  Object.assign(process.env, await environment(data, {}));
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  createRequire(import.meta.url)(join(dist, 'src/main.js'));
  const url = `http://127.0.0.1:${process.env.PORT}`;
  while (!(await isReady(url))) await pause(100);
  const { endpoints } = createRequire(import.meta.url)(join(dist, 'src/contract/index.js'));
  const { path, example } = endpoints.noPrescreen;
  const send = async (email) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...example, email }),
    });
    if (answer.status !== 200) throw new Error(`the lead was answered ${answer.status}`);
  };
  await send('first@example.org');
  await ranSince(session);
  // Longer than a worker caches the pauses, so that the next lead reads them again.
  await pause(2_500);
  const timers = new Set(await ranSince(session));
  await send('second@example.org');
  const called = (await ranSince(session)).filter((one) => !timers.has(one)).map((one) => one.split('#')[0]);
  const ran = [...new Set(called)].filter((file) => !file.startsWith('tools/sandbox/'));
  const workflow = [...importedFrom(join(project, 'src/workflows/clinicsys.ts'))].map((file) => relative(project, file));
  const all = [...new Set([...ran, ...workflow])].sort();
  process.once('exit', () => rmSync(data, { recursive: true, force: true }));
  console.log(`\n${all.join('\n')}\n\n${all.length} files, ${ran.length} of the service, ${workflow.length} of the workflow`);
  process.kill(process.pid, 'SIGTERM');
}

await main();
