/** Lints the n8n nodes with n8n's rules, and builds them. The tools are installed once into a cache. */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, run } from '../cached.mjs';

export const source = fileURLToPath(new URL('../../tools/n8n-nodes-leadgate', import.meta.url));
const cliVersion = '0.48.3';
const tools = { '@n8n/node-cli': cliVersion, '@types/node': '24.10.1', 'n8n-workflow': '2.40.1', typescript: '5.9.3' };

/** All rules of n8n, except for the licence, the author and the home page, which the publisher sets. */
const lintConfig = `import { config } from '@n8n/node-cli/eslint';

const publishing = [
  'n8n-nodes-base/community-package-json-license-not-default',
  'n8n-nodes-base/community-package-json-author-missing',
  '@n8n/community-nodes/valid-author',
  '@n8n/community-nodes/require-homepage',
];
export default [...config, { files: ['package.json'], rules: Object.fromEntries(publishing.map((rule) => [rule, 'off'])) }];
`;

/** Returns a directory for N8N_CUSTOM_EXTENSIONS, and a function that removes it. */
export async function buildPackage() {
  const cache = await cached(`n8n-tools-${cliVersion}`, async (to) => {
    console.log(`Installing @n8n/node-cli ${cliVersion} …`);
    writeFileSync(join(to, 'package.json'), JSON.stringify({ private: true, dependencies: tools }));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: to });
  });
  const home = mkdtempSync(join(tmpdir(), 'leadgate-n8n-nodes-'));
  const dir = join(home, 'n8n-nodes-leadgate');
  const remove = () => rmSync(home, { recursive: true, force: true });
  try {
    cpSync(source, dir, { recursive: true, filter: (path) => !/\/(?:dist|node_modules)(?:\/|$)/.test(path.slice(source.length)) });
    symlinkSync(join(cache, 'node_modules'), join(dir, 'node_modules'));
    writeFileSync(join(dir, 'eslint.config.mjs'), lintConfig);
    const bin = (name) => join(cache, 'node_modules', '.bin', name);
    await run(bin('eslint'), ['--max-warnings', '0', '.'], { cwd: dir });
    await run(bin('tsc'), ['-p', '.'], { cwd: dir });
    cpSync(join(dir, 'icons'), join(dir, 'dist', 'icons'), { recursive: true });
    rmSync(join(dir, 'node_modules'));
    return { dir, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
