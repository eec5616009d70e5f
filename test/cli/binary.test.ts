/** The command itself, as it is typed in a clone: built when that is needed, quiet in pipes. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '../../src/config/version';

const exec = promisify(execFile);
const binary = join(__dirname, '../../scripts/leadgate.mjs');

it('runs, says only what was asked, and tells the shell how it went', async () => {
  // The first call builds, where the sources are newer than what was built.
  expect((await exec(binary, ['--version'])).stdout).toBe(`${version}\n`);
  const env = { ...process.env, LEADGATE_URL: 'http://127.0.0.1:9', FORCE_COLOR: '' };
  await expect(exec(binary, ['lead', 'find'], { env })).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'leadgate: The API does not answer at http://127.0.0.1:9: is `npm start` running?\n',
  });
  const byNpx = { ...env, npm_lifecycle_event: 'npx' };
  await expect(exec(binary, ['completion'], { env: byNpx })).rejects.toMatchObject({
    stderr: 'leadgate: <shell> is missing; see npx leadgate completion --help\n',
  });
  expect((await exec(binary, ['completion', '--help'], { env: byNpx })).stdout).toContain('\n  npx leadgate completion bash ');
  const { stdout, stderr } = await exec('bash', ['-c', `'${binary}' --help | head -1`]);
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^leadgate: [^\u001b]*\n$/), '']);
}, 150_000);
