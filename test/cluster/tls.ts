/** Checks a Temporal that requires certificates: settings alone are enough to reach it, and missing ones give a clear error. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { carry } from '../faults/caller';
import { newLead } from '../faults/lead';
import { within } from '../faults/run';
import type { StageOptions } from '../faults/stage';
import { found, judge, type Found } from './check';

const endsWithinMs = 20_000;

/** Its status and what it said; a part that is not refused would wait for a minute. */
async function started(file: string, env: NodeJS.ProcessEnv): Promise<{ status: number | null; said: string }> {
  const child = spawn(process.execPath, [join(projectDir, 'dist', file)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [status] = (await once(child, 'exit')) as [number | null];
  clearTimeout(tooLong);
  return { status, said };
}

const refusals: readonly (readonly [without: readonly string[], words: string])[] = [
  [['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'], 'it asks for a client certificate'],
  [['TEMPORAL_TLS_SERVER_CA_CERT_PATH'], 'its certificate is of an unknown authority'],
  [['TEMPORAL_TLS_SERVER_NAME'], 'its certificate is for another name'],
];

export async function mutualTls(temporal: NonNullable<StageOptions['temporal']>): Promise<Found> {
  const problems: string[] = [];
  let line = '';
  await within({ temporal }, async (stage) => {
    const lead = newLead({ group: 'tls' });
    const told = [{ lead, heard: [await carry(stage, lead)] }];
    const { line: seen, problems: untrue } = found('tls', told, await judge(stage, told));
    line = seen;
    problems.push(...untrue);
    const tries = refusals.flatMap(([without, words]) => ['src/worker.js', 'src/api/server.js'].map((file) => ({ file, without, words })));
    for (const { file, without, words } of tries) {
      const env = { ...stage.env, ...Object.fromEntries(without.map((name) => [name, ''])), PORT: '0' };
      const { status, said } = await started(file, env);
      if (status !== 1 || !said.includes(words))
        problems.push(`${file} without ${without.join(', ')} ended with ${status}: ${said.trim()}`);
    }
  });
  return { line: `${line}; ${refusals.length} settings left out, each refused in words with status 1`, problems };
}
