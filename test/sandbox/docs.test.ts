import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxPaths } from '../../src/config/sandbox-urls';
import { createSandbox } from '../../src/sandbox/app';
import { controls } from '../../src/sandbox/controls';
import { effects } from '../../src/sandbox/effects';
import { repeats } from '../../src/sandbox/sentinels';

const docs = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');

/** The list or the block of commands behind this line. */
const linesBehind = (line: string) =>
  (docs.split(`${line}\n\n`)[1] ?? '')
    .split(/\n(?:\n|```)/)[0]
    ?.replace('```sh\n', '')
    .split('\n');

const item = (name: string, about: string) => `- \`${name}\`: ${about}`;

describe('docs/sandbox.md says what the code does', () => {
  it.each([
    ['These effects store nothing:', 'no'],
    ['These store what was sent:', 'yes'],
    ['This one stores it later:', 'later'],
  ])('%s', (line, kept) => {
    expect(linesBehind(line)).toEqual(effects.filter(({ stored }) => stored === kept).map(({ name, about }) => item(name, about)));
  });

  it('for each call', () => {
    const { calls } = createSandbox();
    const texts = [...new Set(calls.map(({ readsSentinelsFrom }) => readsSentinelsFrom))];
    const readersOf = (text: string) => calls.filter((call) => call.readsSentinelsFrom === text).map(({ name }) => `\`${name}\``);
    const items = texts.map((text) => `- ${text}: ${readersOf(text).join(', ')}`);
    expect(linesBehind('Each call reads certain texts:')).toEqual(items);
  });

  it('for each repeat', () => {
    expect(linesBehind('An effect happens every time, unless the sentinel ends with one of these:')).toEqual(
      repeats.map(({ name, about }) => item(name, about)),
    );
  });

  it('for each control path', () => {
    const items = controls.map(({ method, path, about }) => item(`${method.toUpperCase()} ${path}`, about));
    expect(linesBehind('## The sandbox itself')).toEqual(items);
  });

  it('for each setting', () => {
    const lines = Object.entries(sandboxPaths).map(([setting, path]) => `${setting}=${path}`);
    expect(linesBehind('The paths that stand in for unset settings:')).toEqual(lines);
  });
});
