/** Tests what holds for every command, including future ones. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { command, statuses, CommandError } from '../../tools/cli/command';
import { commands } from '../../tools/cli/commands';
import { json, jsonLine, applyStyle } from '../../tools/cli/print';
import { engineAway } from '../../src/contract/errors';
import { states } from '../../src/domain/lead';
import { DeadlineExceeded } from '../../src/temporal/ask';
import { leadgate } from './support';

const exec = promisify(execFile);

describe('help', () => {
  it('names every command with one line each, in groups', async () => {
    const { status, out } = await leadgate([]);
    expect(status).toBe(0);
    for (const { name, summary, group } of commands) {
      const [line] = out.split('\n').filter((each) => each.startsWith(`  ${name}  `));
      expect(line?.trimEnd().endsWith(`  ${summary}`)).toBe(true);
      expect(out).toContain(group);
    }
  });

  it.each(commands.map(({ name }) => name))('of %s shows usage, options and examples, and needs no settings', async (name) => {
    const { status, out, err } = await leadgate([...name.split(' '), '--help'], { settings: { PORT: 'wrong' } });
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`Usage\n  leadgate ${name}`));
    expect(out).toContain('--json');
    expect(out).toMatch(/Examples\n {2}leadgate \w/);
    expect((await leadgate(['help', ...name.split(' ')])).out).toBe(out);
  });

  it.each(commands.flatMap(({ name, about = [] }) => about.map((paragraph) => [name, paragraph])))(
    'of %s has whole sentences between blank lines: %s',
    (_name, paragraph) => expect(paragraph).toMatch(/^[A-Z-].*\.$/),
  );

  it('shows the commands that begin with a word', async () => {
    const two = ['b one', 'b two'].map((name) =>
      command({ name, group: 'G', summary: `does ${name}`, examples: [name], run: () => Promise.resolve(statuses.done) }),
    );
    expect((await leadgate(['b'], { commands: two })).out).toContain('does b two');
    expect(await leadgate(['b', 'three'], { commands: two })).toMatchObject({
      status: 2,
      err: 'leadgate: There is no command "b three"; see leadgate b --help\n',
    });
  });
});

describe('a wrong argument', () => {
  it.each([
    [['nothing'], 'There is no command "nothing"; see leadgate --help'],
    [['tial'], 'There is no command "tial": did you mean leadgate tail? See leadgate --help'],
    [['led', 'shwo', 'p1'], 'There is no command "led": did you mean leadgate lead show? See leadgate --help'],
    [['lead', 'fnid', '--all'], 'There is no command "lead fnid": did you mean leadgate lead find? See leadgate lead --help'],
    [['redrive', 'p1'], 'There is no command "redrive": did you mean leadgate lead redrive? See leadgate --help'],
    [['lead', 'find', '--sate', 'parked'], "Unknown option '--sate': did you mean --state? See leadgate lead find --help"],
    [['completion'], '<shell> is missing; see leadgate completion --help'],
    [['completion', 'tcsh'], '<shell> must be one of bash, zsh, fish; see leadgate completion --help'],
    [['completion', 'bash', 'more'], 'There is one argument too many: more; see leadgate completion --help'],
    [['import', 'leads.csv'], '--flow is missing; see leadgate import --help'],
    [['lead', 'confirm', 'p1', '--reason', 'there'], '--upstream-id is missing; see leadgate lead confirm --help'],
    [['erase', '--email', 'ann@example.org'], '--reason is missing; see leadgate erase --help'],
    [['completion', 'bash', '--nope'], "Unknown option '--nope'; see leadgate completion --help"],
  ])('%j prints one line and exits with status 2', async (argv, line) =>
    expect(await leadgate(argv)).toEqual({ status: 2, out: '', err: `leadgate: ${line}\n` }),
  );

  it.each(commands.flatMap(({ name, options = {} }) => ('csv' in options ? [name] : [])))(
    '--csv and --json exclude each other: %s',
    async (name) => {
      const { status, err } = await leadgate([...name.split(' '), '--csv', '--json']);
      expect([status, err]).toEqual([2, `leadgate: --csv and --json exclude each other: give one of them; see leadgate ${name} --help\n`]);
    },
  );

  it('is JSON with --json', async () => expect(JSON.parse((await leadgate(['nothing', '--json'])).out)).toMatchObject({ success: false }));
});

describe('the output', () => {
  it('has colours on a terminal and none in a pipe', async () => {
    expect((await leadgate(['--help'])).out).not.toContain('\u001b');
    expect((await leadgate(['--help'], { io: { hasColours: true } })).out).toContain('\u001b[1m');
  });

  it('has no control character from outside on stdout or stderr, and escapes them in JSON', async () => {
    const outside = 'a\u001b[2J\u009b31m\u0007\u007f\r\0b';
    const says = command({
      name: 'says',
      group: 'G',
      summary: 'says',
      examples: ['says'],
      run({ io, options }) {
        io.out(options.json ? `${json({ outside })}${jsonLine({ outside })}` : `${outside}\n${applyStyle(io, 'red', outside)}\n`);
        throw new CommandError(outside);
      },
    });
    const plain = 'a[2J31mb';
    expect(await leadgate(['says'], { commands: [says], io: { hasColours: true } })).toEqual({
      status: 2,
      out: `${plain}\n\u001b[31m${plain}\u001b[39m\n`,
      err: `leadgate: ${plain}\n`,
    });
    const { out } = await leadgate(['says', '--json'], { commands: [says] });
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    expect(JSON.parse(`[${out.trim().replaceAll('}\n{', '},{')}]`)).toEqual([
      { outside },
      { outside },
      { success: false, message: outside },
    ]);
  });
});

describe('a command if the engine', () => {
  const grpcError = (code: number) => Object.assign(new Error('of the connection'), { code, details: '', metadata: {} });
  const failing = (thrown: unknown) => {
    const reads = command({ name: 'reads', group: 'G', summary: 'reads', examples: ['reads'], run: () => Promise.reject(thrown) });
    return leadgate(['reads'], { commands: [reads] });
  };

  it.each([
    ['answers too late', new DeadlineExceeded()],
    ['cannot be reached', grpcError(14)],
    ['lists nothing in time', engineAway()],
  ])('%s reports it in plain words', async (_, thrown) =>
    expect(await failing(thrown)).toEqual({ status: 2, out: '', err: 'leadgate: The engine does not answer\n' }),
  );

  it('refuses the call does not report a missing answer', async () => {
    const permissionDenied = 7;
    expect((await failing(grpcError(permissionDenied))).err).toMatch(/^leadgate: Unexpected error, please report it: Error\n/);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('of %s names every command', async (shell) => {
    const { out } = await leadgate(['completion', shell]);
    for (const word of commands.flatMap(({ name }) => name.split(' '))) expect(out).toContain(word);
  });

  it('of fish has the values of options', async () =>
    expect((await leadgate(['completion', 'fish'])).out).toContain(`-l state -r -f -a '${states.join(' ')}'`));

  it('of bash completes commands, their second words, options and the values of both', async () => {
    const { out } = await leadgate(['completion', 'bash']);
    const complete = async (...typed: string[]) => {
      const script = `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _leadgate; echo "\${COMPREPLY[@]}"`;
      return (await exec('bash', ['-c', script, 'bash', 'leadgate', ...typed])).stdout.trim();
    };
    expect(await complete('comp')).toBe('completion');
    expect(await complete('completion', 'z')).toBe('zsh');
    expect(await complete('completion', 'zsh', '--j')).toBe('--json');
    expect(await complete('lead', 'wat')).toBe('watch');
    expect(await complete('lead', 'find', '--state', 'pa')).toBe('parked');
    expect(await complete('tail', '--flow', 'recruit', '--state', '')).toBe(states.join(' '));
    expect(await complete('tail', '--state', 'parked', '--pro')).toBe('--protocol');
    expect(await complete('lead', 'send', 'recruit', 'package.j')).toBe('package.json');
    expect(await complete('lead', 'send', 'no-')).toBe('no-prescreen');
    expect(await complete('lead', 'find', '--json', '--flow', 'no')).toBe('no-prescreen');
  });
});

/** The words of an example, as a shell reads them. */
const typed = (example: string) => [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

it.concurrent.each(commands.map((one) => [one.name, one.examples[0] ?? '']))(
  '%s makes no data directory where there is none',
  async (_name, example) => {
    const dir = join(tmpdir(), `leadgate-none-${randomUUID()}`);
    const nobody = { LEADGATE_URL: 'http://127.0.0.1:9', TEMPORAL_ADDRESS: '127.0.0.1:9' };
    await leadgate(typed(example), { settings: { LEADGATE_DATA_DIR: dir, ...nobody }, io: { stopped: AbortSignal.abort() } });
    expect(existsSync(dir)).toBe(false);
  },
);
