import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxPaths } from '../../src/config/sandbox-urls';
import { createSandbox } from '../../src/sandbox/app';
import { controls } from '../../src/sandbox/controls';
import { effects } from '../../src/sandbox/effects';
import { repeats } from '../../src/sandbox/sentinels';

const docs = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');

/** The rows of the table whose first head is this, without head and rule; cells without the padding that Prettier gives them. */
function tableOf(head: string): string[][] {
  const lines = docs.split('\n');
  const start = lines.findIndex((line) => line.replace(/\s/g, '').startsWith(`|${head}|`));
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  const rows = lines.slice(start + 2, start + length);
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const code = (text: string) => `\`${text}\``;

describe('docs/sandbox.md says what the code does', () => {
  it('for each effect', () => {
    expect(tableOf('effect')).toEqual(effects.map(({ name, stored, about }) => [code(name), stored, about]));
  });

  it('for each call', () => {
    const rows = createSandbox().calls.map(({ name, method, path, about, readsSentinelsFrom }) => {
      return [code(name), code(`${method.toUpperCase()} ${path}`), about, readsSentinelsFrom];
    });
    expect(tableOf('call')).toEqual(rows);
  });

  it('for each repeat', () => {
    expect(tableOf('behindit')).toEqual(repeats.map(({ name, about }) => [code(name), about]));
  });

  it('for each control path', () => {
    expect(tableOf('path')).toEqual(controls.map(({ method, path, about }) => [code(`${method.toUpperCase()} ${path}`), about]));
  });

  it('for each setting', () => {
    expect(tableOf('setting')).toEqual(Object.entries(sandboxPaths).map(([setting, path]) => [code(setting), code(path)]));
  });
});
