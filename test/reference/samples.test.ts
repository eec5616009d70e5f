/** The requests in the reference run as they stand. */
import { execFile, spawnSync } from 'node:child_process';
import { createDocs } from '../../src/reference/docs';
import { openApi } from '../../src/reference/openapi';
import { startGateway, type Gateway } from '../support/gateway';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { GATEWAY_API_KEYS: 'all:YOUR_KEY:leads+board+operator' } });
});
afterAll(() => gateway.stop());

const docs = createDocs(openApi('1.2.3'), true);
const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function sampleOf(page: string, id: string, language: string): string {
  const html = docs.page(page, gateway.url) ?? '';
  const [, article = ''] = html.split(`<article id="${id}"`);
  const [, sample = ''] = new RegExp(`<div class="block ${language}"><pre>([^<]+)</pre>`).exec(article) ?? [];
  return sample.replaceAll(/&(#?\w+);/g, (_, name: string) => characters[name] ?? '');
}

const run = (command: string, args: readonly string[]): Promise<string> =>
  new Promise((done, refuse) => {
    execFile(command, args, { timeout: 50_000 }, (error, out) => (error ? refuse(error) : done(out)));
  });

/** Runs a sample; what it prints holds the status and the answer. */
const runs: Readonly<Record<string, (sample: string) => Promise<string>>> = {
  curl: (sample) => run('bash', ['-c', `${sample} -w ' %{http_code}'`]),
  javascript: (sample) => run(process.execPath, ['--input-type=module', '-e', sample]),
  python: (sample) => run('python3', ['-c', sample]),
};

/** They belong to the machine: a test of one that is not there is skipped. */
const commands: Readonly<Record<string, string>> = { curl: 'curl', javascript: process.execPath, python: 'python3' };
const has = (language: string) => spawnSync(commands[language] ?? '', ['--version']).status === 0;

const cases = [
  ['site-system', 'noPrescreen', '200', '"rtV2Response"'],
  ['task-board', 'listProjects', '200', '"projects"'],
  ['leads', 'getLead', '404', 'NOT_FOUND'],
  ['leads', 'startRedrive', '200', '"count"'],
] as const;

describe.each(Object.keys(runs))('in %s', (language) => {
  (has(language) ? it : it.skip).each(cases)('%s, %s: %s', async (page, id, status, words) => {
    const out = (await runs[language]?.(sampleOf(page, id, language))) ?? '';
    expect(out).toMatch(new RegExp(`\\b${status}\\b`));
    expect(out).toContain(words);
  });
});
