/** Starts a gateway, and imports files of leads into it from the command line. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newLead, startGateway } from '../support/gateway';
import { leadgate, type RunOptions } from './support';

export const people = (count: number, fields = {}) => Array.from({ length: count }, () => newLead('', fields));

export const results = (out: string) =>
  readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));

export const statesIn = (out: string) => results(out).map(([line, state]) => [line, state]);

export async function startImports() {
  const gateway = await startGateway();
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-import-'));
  let files = 0;
  return {
    gateway,
    dir,
    /** Writes a file, and returns its path and that of its result file. */
    fileOf(text: string | Buffer): { path: string; out: string } {
      const name = join(dir, `leads-${++files}`);
      writeFileSync(`${name}.csv`, text);
      return { path: `${name}.csv`, out: `${name}.result.csv` };
    },
    imported: (path: string, argv: readonly string[] = [], around: RunOptions = {}) =>
      leadgate(['import', path, '--flow', 'no-prescreen', '--rate', '50', ...argv], { settings: { LEADGATE_URL: gateway.url }, ...around }),
    async sendsOf(leads: readonly { email: string }[]) {
      const sent = (await gateway.sandbox()).requests.filter(({ call }) => call === 'v1');
      return leads.map(({ email }) => sent.filter(({ body }) => body.includes(encodeURIComponent(email))).length);
    },
    async stop() {
      rmSync(dir, { recursive: true, force: true });
      await gateway.stop();
    },
  };
}

export type Imports = Awaited<ReturnType<typeof startImports>>;
