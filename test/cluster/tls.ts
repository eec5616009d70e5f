/** Checks a Temporal that requires client certificates: settings are enough to connect, and a missing setting gives a clear error. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { sendUntilAnswered } from '../faults/caller';
import { newLead } from '../faults/lead';
import { withStage } from '../faults/run';
import type { StageOptions } from '../faults/stage';
import { summarize, judge, type CheckResult } from './check';

const endsWithinMs = 20_000;

/** Runs a process, and returns its exit status and output. A process that connects is killed after a time-out. */
async function started(file: string, env: NodeJS.ProcessEnv): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [join(projectDir, 'dist', file)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, 'exit')) as [number | null];
  clearTimeout(tooLong);
  return { status, output };
}

const refusals: readonly (readonly [without: readonly string[], words: string])[] = [
  [['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'], 'it asks for a client certificate'],
  [['TEMPORAL_TLS_SERVER_CA_CERT_PATH'], 'its certificate is of an unknown authority'],
  [['TEMPORAL_TLS_SERVER_NAME'], 'its certificate is for another name'],
];

export async function mutualTls(temporal: NonNullable<StageOptions['temporal']>): Promise<CheckResult> {
  const problems: string[] = [];
  let line = '';
  await withStage({ temporal }, async (stage) => {
    const lead = newLead({ group: 'tls' });
    const sentLeads = [{ lead, answers: [await sendUntilAnswered(stage, lead)] }];
    const { line: seen, problems: violations } = summarize('tls', sentLeads, await judge(stage, sentLeads));
    line = seen;
    problems.push(...violations);
    const tries = refusals.flatMap(([without, words]) => ['src/worker.js', 'src/api/server.js'].map((file) => ({ file, without, words })));
    for (const { file, without, words } of tries) {
      const env = { ...stage.env, ...Object.fromEntries(without.map((name) => [name, ''])), PORT: '0' };
      const { status, output } = await started(file, env);
      if (status !== 1 || !output.includes(words))
        problems.push(`${file} without ${without.join(', ')} ended with ${status}: ${output.trim()}`);
    }
  });
  return { line: `${line}; ${refusals.length} missing settings, each reported with status 1`, problems };
}
