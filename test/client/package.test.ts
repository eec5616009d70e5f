/** The package of packages/client, as a program of somebody else uses it: built, typed, and its README's sample run. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../src/config/config';
import { errorCodes } from '../../src/contract/errors';
import { remedyOf } from '../../src/client/meaning';
import { startGateway, type Gateway } from '../support/gateway';

const run = promisify(execFile);
const packageDir = join(projectDir, 'packages/client');
const tsc = (...args: string[]) => run(process.execPath, [join(projectDir, 'node_modules/typescript/bin/tsc'), ...args]);

let dir: string;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  dir = mkdtempSync(join(tmpdir(), 'leadgate-client-'));
  const at = join(dir, 'node_modules/@leadgate/client');
  mkdirSync(at, { recursive: true });
  symlinkSync(join(projectDir, 'node_modules/@types'), join(dir, 'node_modules/@types'));
  writeFileSync(join(at, 'package.json'), readFileSync(join(packageDir, 'package.json')));
  await tsc('-p', packageDir, '--outDir', join(at, 'dist'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await gateway.stop();
});

const [, sample = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(packageDir, 'README.md'), 'utf8')) ?? [];

it('runs the sample of its README, whose repeat is the same lead', async () => {
  writeFileSync(join(dir, 'sample.mjs'), sample);
  const ran = () => run(process.execPath, [join(dir, 'sample.mjs')], { env: { ...process.env, LEADGATE_URL: gateway.url } });
  const first = await ran();
  expect(first).toMatchObject({ stdout: expect.stringMatching(/^done \S+ \{\s*status: 0,\s*PatientID: \d+/), stderr: '' });
  expect((await ran()).stdout).toBe(first.stdout);
  expect((await gateway.sandbox()).calls.v1).toBe(1);
});

it('has types: a field of another name or type does not compile', async () => {
  const lead = "{ instanceName: 'erg-oct', StudyID: 12, ReferrerID: 7, firstName: 'Ann', lastName: 'Lee', email: 'a@example.org' }";
  const right = `import { createLeadgate } from '@leadgate/client';
const leadgate = createLeadgate({ baseUrl: 'http://127.0.0.1:8080' });
export const answer: Promise<{ status: 200; leadId: string }> = leadgate.siteSystem.noPrescreen(${lead});
`;
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--ignoreConfig'];
  const wrong = ["leadgate.leads.listLeads({ sate: 'parked' });", "leadgate.siteSystem.noPrescreen({ instanceName: 'erg-oct' });"];
  const file = join(dir, 'use.mts');
  writeFileSync(file, `${right}${wrong.join('\n')}\n`);
  const { stdout } = await tsc(...options, '--typeRoots', join(dir, 'node_modules/@types'), file).catch(
    (error: { stdout: string }) => error,
  );
  // The three lines that are right compile.
  expect([...stdout.matchAll(/use\.mts\((\d+)/g)].map(([, line]) => Number(line))).toEqual([4, 5]);
});

/** The rows of the table of answers: their statuses or code, and the client's word for what the tool does. */
const rows: readonly (readonly [row: string, holds: readonly (number | string)[], does: RegExp, remedy: string])[] = [
  ['502, or any with `state` `parked`', [502], /does \*\*not\*\* send it again: a person looks/, 'person'],
  ['500', [500], /does \*\*not\*\* send it again; the log/, 'person'],
  ['400, 422 else', [400, 422], /mend the lead, send it with a new key/, 'mend'],
  ['401, 403, 503 `CONFIG_ERROR`', [401, 403, 'CONFIG_ERROR'], /tells somebody; the message says which/, 'setup'],
  ['404, 405, 413, 415', [404, 405, 413, 415], /tells somebody; mend the tool/, 'tool'],
  ['429, 503', [429, 503], /waits `Retry-After` seconds, sends the same again/, 'repeat'],
];

it('means by each code of a lead what the table of answers says', () => {
  const table = readFileSync(join(projectDir, 'docs/tools/README.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  for (const [code, { status, retryable }] of Object.entries(errorCodes)) {
    const row = rows.find(([, holds]) => holds.includes(code) || holds.includes(status));
    // Not a lead's: 409 and 504 are the task board's, and are not in the table.
    if (!row) continue;
    const [answer, , does, remedy] = row;
    const [, , , words] = table.find(([, first]) => first === answer) ?? [];
    expect([code, words]).toEqual([code, expect.stringMatching(does)]);
    expect([code, remedyOf({ code, status, retryable }, true)]).toEqual([code, remedy]);
  }
  expect(remedyOf({ code: 'UPSTREAM_REJECTED', status: 422, state: 'parked', retryable: false }, true)).toBe('person');
});
