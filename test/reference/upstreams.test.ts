/** Tests docs/upstreams.md: each of its requests is accepted by the sandbox, and each of its answers means what it says. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../src/config/config';
import { sandboxBoard } from '../../src/config/sandbox-urls';
import { readComment, readKey, readSubjects, readV1 } from '../../src/domain/clinicsys';
import { forwarders } from '../../src/domain/forwarders';
import { outcomeOf, type BodyReading, type HttpResult } from '../../src/domain/outcome';
import { boardOutcome } from '../../src/domain/taskboard-answers';
import { json, openSandbox, type OpenSandbox } from '../sandbox/open-sandbox';

const page = readFileSync(join(projectDir, 'docs', 'upstreams.md'), 'utf8');

const reading =
  (read: (body: unknown) => BodyReading<unknown>) =>
  (result: HttpResult): string =>
    outcomeOf(result, read).outcome;

const boardMeaning: Readonly<Record<string, string>> = { REFUSED: 'refused', UNKNOWN: 'unknown' };

const meanings: Readonly<Record<string, (result: HttpResult) => string | undefined>> = {
  'Key service': reading(readKey),
  'V2: look-up and lists': reading(readSubjects),
  V1: reading(readV1),
  'V2: comments': reading(readComment),
  Recruitment: reading(forwarders.recruit.read),
  'Lead forms': reading(forwarders.leadforms.read),
  Screening: reading(forwarders.screening.read),
  'Task board': (result) => {
    const outcome = boardOutcome(result);
    return 'failure' in outcome ? boardMeaning[outcome.failure.type] : 'delivered';
  },
};

const sections = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    name: text.split('\n')[0] ?? '',
    command: /^```sh\n(.*?)^```$/ms.exec(text)?.[1] ?? '',
    answers: [...text.matchAll(/^- (delivered|refused|unknown): `(\d+) (.+?)`$/gm)],
    items: [...text.matchAll(/^- /gm)],
  }));

it('has a section for each upstream', () => expect(sections.map(({ name }) => name)).toEqual(Object.keys(meanings)));

describe.each(sections)('$name', ({ name, command, answers, items }) => {
  let sandbox: OpenSandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));
  afterAll(() => sandbox.close());

  it('has answers, each with the meaning that it states', () => {
    expect(answers.length).toBe(items.length);
    for (const [, meaning, status, body] of answers) {
      const result = { saw: 'answer', status: Number(status), body: JSON.parse(body ?? '') } as const;
      expect([body, meanings[name]?.(result)]).toEqual([body, meaning]);
    }
  });

  it('has a request whose answer is understood', async () => {
    const variables = { ...sandbox.urls, ...sandboxBoard, KEY: await sandbox.getKey() };
    const script = command.replace('curl -sS', `curl -sS -w '\\n%{http_code}'`);
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { PATH: process.env.PATH, ...variables } });
    const [, text = '', status] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
    const result = { saw: 'answer', status: Number(status), body: json({ text, kind: 'answer', status: 0, headers: {} }) } as const;
    expect([text, meanings[name]?.(result)]).toEqual([text, 'delivered']);
  });
});
