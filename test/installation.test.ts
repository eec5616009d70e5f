import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseConfig } from '../src/config/config';
import { isSecret, variableNames, variables } from '../src/config/settings';
import { longestTimeoutMs } from '../src/config/upstreams';
import { dynamicConfigFile } from '../src/engine/tuning';
import { searchAttributes } from '../src/temporal/engine';

const projectDir = join(__dirname, '..');
const read = (path: string) => readFileSync(join(projectDir, path), 'utf8');
const compose = read('docker-compose.yml');
const dockerfile = read('Dockerfile');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** A top-level part or a service of the file, with its lines. */
const block = (name: string, indent: string) =>
  compose.split(`\n${indent}${name}:`)[1]?.split(new RegExp(`\\n${indent}(?=\\S)(?!#)`))[0] ?? '';

/** Of a service: for whom it waits, until what. */
function waits(service: string): Record<string, string> {
  const own = block(service, '  ');
  const text = own.includes('<<: *part') && !own.includes('depends_on') ? block('x-part', '') : own;
  return Object.fromEntries([...text.matchAll(/^ +(\w+):\n +condition: (\w+)$/gm)].map(([, name = '', until = '']) => [name, until]));
}

describe('docker-compose.yml', () => {
  it('sets nothing on our parts that is no setting', () => {
    const parts = ['sandbox', 'decoder'].map((name) => block(name, '  '));
    const named = [
      ...all(block('x-part', ''), /^ {4}([A-Z][A-Z0-9_]*):/gm),
      ...parts.flatMap((part) => all(part, /^ {6}([A-Z][A-Z0-9_]*):/gm)),
    ];
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((name) => !variableNames.includes(name))).toEqual([]);
  });

  it('asks its reader for nothing that is no setting', () => {
    const asked = all(compose, /(?<!\$)\$\{(\w+)/g);
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((name) => !variableNames.includes(name) && name !== 'PORT_LAST')).toEqual([]);
  });

  it('is of services that wait for what they need, and of one-shot jobs that end', () => {
    expect(waits('api')).toEqual({ namespace: 'service_completed_successfully' });
    expect(waits('namespace')).toEqual({ temporal: 'service_healthy' });
    expect(waits('temporal')).toEqual({ database: 'service_completed_successfully' });
    expect(waits('database')).toEqual({ postgres: 'service_healthy' });
    for (const job of ['database', 'namespace']) expect(block(job, '  ')).toMatch(/^ +restart: on-failure:\d+$/m);
    for (const service of ['api', 'postgres', 'temporal', 'sandbox', 'decoder'])
      expect(block(service, '  ')).toMatch(/^ +healthcheck:\n +test:/m);
  });

  it('limits the memory of each service that goes on', () => {
    const services = all(compose.split(/\n(?=\S)/).find((part) => part.startsWith('services:')) ?? '', /^ {2}(\w+):$/gm).filter(
      (name) => !block(name, '  ').includes('restart: on-failure'),
    );
    expect(services).toEqual(expect.arrayContaining(['api', 'worker', 'postgres', 'temporal', 'ui']));
    for (const name of services) expect(block(name, '  ')).toMatch(/<<: \*part|^ +mem_limit: \d+[mg]$/m);
  });

  it('starts simulators and the decoder only for whoever asks for them', () => {
    for (const service of ['sandbox', 'decoder']) expect(block(service, '  ')).toMatch(new RegExp(`^ +profiles: \\[${service}\\]$`, 'm'));
    const [endpoint] = all(block('ui', '  '), /TEMPORAL_CODEC_ENDPOINT: (\S+)/g);
    const [published] = all(block('decoder', '  '), /- (127\.0\.0\.1:\$\{DECODER_PORT:-\d+\}):/g);
    expect(endpoint).toBe(`http://${published}`);
  });

  it('can run more of each part: nothing has a name of its own, and the ports are a range', () => {
    expect(compose).not.toMatch(/container_name|hostname:/);
    expect(block('api', '  ')).toMatch(/\$\{PORT:-8080\}-\$\{PORT_LAST:-8080\}:8080/);
  });

  it('gives our own parts no more than they need', () => {
    for (const part of [block('x-part', ''), block('sandbox', '  ')]) {
      expect(part).toContain('read_only: true');
      expect(part).toContain('cap_drop: [ALL]');
      expect(part).toContain('no-new-privileges:true');
      expect(part).toMatch(/^ +mem_limit: \dg\n +pids_limit: \d+$/m);
    }
  });

  it('defines the secrets that its services need, and no other', () => {
    const needed = all(compose, /_FILE: \/run\/secrets\/(\S+)$/gm);
    const defined = all(compose, /^ +file: \.\/secrets\/(\S+)$/gm);
    expect(new Set(needed)).toEqual(new Set(defined));
  });

  it('pins every image to one version, and those of others to their content', () => {
    const images = all(compose, /^ +image: (\S+)$/gm);
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const others = images.filter((image) => image !== `leadgate:${version}`);
    expect(others).toHaveLength(5);
    for (const image of others) expect(image).toMatch(/^[a-z/-]+:\d+\.\d+(\.\d+)?(-[a-z]+)?@sha256:[0-9a-f]{64}$/);
    const [server, ...tools] = others.flatMap((image) => all(image, /^temporalio\/(?:server|admin-tools):([\d.]+)/g));
    expect(new Set(tools)).toEqual(new Set([server]));
  });

  it('publishes ports on this machine only', () => {
    const ports = all(compose, /^ +ports:\n((?: +- .*\n)+)/gm).flatMap((list) => all(list, /- ['"]?(\S+?)['"]?$/gm));
    expect(ports.length).toBeGreaterThanOrEqual(3);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('holds no secret, and takes each from a file outside the repository', () => {
    expect(all(compose, /(?:PASSWORD|PWD|KEYS|TOKEN|SECRET): (?!'')(\S+)/g)).toEqual([]);
    expect(all(compose, /^ +file: (\S+)$/gm).every((file) => file.startsWith('./secrets/'))).toBe(true);
  });
});

describe('config/engine', () => {
  it('makes the search attributes that the code uses', () => {
    const [list = ''] = all(read('config/engine/setup-namespace.sh'), /^for attribute in ([^;]+);/gm);
    const made = list.split(' ').map((attribute) => attribute.split(':'));
    expect(Object.fromEntries(made)).toEqual(searchAttributes);
  });

  it('sets the server as the embedded engine is set; when this fails: npm run reference', () =>
    expect(read('config/engine/dynamic.yaml')).toBe(dynamicConfigFile()));

  it('holds what docker-compose.yml mounts', () => {
    const files = all(compose, /\/setup\/([\w.-]+)/g);
    const dynamic = all(compose, /dynamicconfig\/([\w.-]+\.yaml)/g);
    expect(readdirSync(join(projectDir, 'config/engine')).toSorted()).toEqual([...files, ...dynamic].toSorted());
  });
});

describe('Dockerfile', () => {
  it('pins one Node for all stages, and does not run as root', () => {
    const bases = all(dockerfile, /^FROM (\S+)/gm);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  it('copies only what .dockerignore lets in', () => {
    const sources = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((list) => list.split(' '));
    const allowed = all(read('.dockerignore'), /^!(\S+)$/gm);
    const outside = sources.filter((source) => !allowed.some((one) => source === one || source.startsWith(`${one}/`)));
    expect(sources.length).toBeGreaterThan(5);
    expect(outside).toEqual([]);
  });
});

const unit = readFileSync(join(projectDir, 'config/leadgate.service'), 'utf8');
const lines = unit.split('\n').filter((line) => /^\w+=/.test(line));
/** All values of a name. */
const values = (name: string) => lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
const value = (name: string) => values(name).at(-1);
const bytes = (written = '') => Number.parseInt(written, 10) * (written.endsWith('G') ? 1024 ** 3 : 1024 ** 2);

const environment = Object.fromEntries(
  values('Environment')
    .flatMap((list) => list.split(' '))
    .map((pair) => pair.split('=') as [string, string]),
);

describe('config/leadgate.service', () => {
  it('sets nothing that is no setting, and no secret', () => {
    const plain = Object.entries(variables).flatMap(([name, form]) => (isSecret(form) ? [] : [name]));
    const named = Object.keys(environment);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !plain.includes(name))).toEqual([]);
  });

  it('starts the service again however it ends, and lets it end its sends before it is killed', () => {
    expect([value('Restart'), value('StartLimitIntervalSec'), value('KillMode')]).toEqual(['always', '0', 'mixed']);
    const config = parseConfig({});
    expect(Number(value('TimeoutStopSec')) * 1000).toBeGreaterThan(config.SYNC_WAIT_MS + longestTimeoutMs(config));
  });

  it('runs what package.json runs, as a user of its own', () => {
    const { scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { scripts: { start: string } };
    expect(value('ExecStart')).toBe(scripts.start.replace(/^exec node/, '/usr/bin/node'));
    expect(value('User')).toBe('leadgate');
  });

  it('lets it write into its data alone, and reads the keys for it', () => {
    expect([value('ProtectSystem'), values('ReadWritePaths')]).toEqual(['strict', ['/var/lib/leadgate']]);
    expect(environment.LEADGATE_DATA_DIR).toMatch(/^\/var\/lib\/leadgate\//);
    expect([value('StateDirectory'), value('StateDirectoryMode'), value('UMask')]).toEqual(['leadgate', '0700', '0077']);
    const [credential] = value('LoadCredential')?.split(':') ?? [];
    expect([environment.NODE_ENV, environment.LEADGATE_KEYS_FILE]).toEqual(['production', `%d/${credential}`]);
  });

  it('bounds memory, processes and open files', () => {
    expect(bytes(value('MemoryHigh'))).toBeGreaterThan(1024 ** 3);
    expect(bytes(value('MemoryMax'))).toBeGreaterThan(bytes(value('MemoryHigh')));
    expect(Number(value('TasksMax'))).toBeGreaterThan(31);
    expect(Number(value('LimitNOFILE'))).toBeGreaterThan(180);
  });

  it.each([
    ...['NoNewPrivileges', 'ProtectHome', 'PrivateTmp', 'PrivateDevices', 'ProtectClock', 'ProtectControlGroups', 'ProtectKernelLogs'],
    ...['ProtectKernelModules', 'ProtectKernelTunables', 'RestrictNamespaces', 'RestrictRealtime', 'RestrictSUIDSGID', 'LockPersonality'],
  ])('says %s', (name) => expect(values(name)).toEqual(['yes']));

  it('has no capability, and only usual system calls', () => {
    expect([value('CapabilityBoundingSet'), value('SystemCallArchitectures')]).toEqual(['', 'native']);
    expect(value('SystemCallFilter')).toBe('@system-service @pkey');
  });
});

describe('a first installation', () => {
  let dir: string;
  const at = (...path: string[]) => join(dir, ...path);
  const lock = '.bootstrap.lock';

  /** A project whose npm only writes down that it was called. */
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'leadgate-install-'));
    for (const name of ['scripts', 'shared', 'node_modules']) mkdirSync(at(name));
    copyFileSync(join(projectDir, 'scripts/bootstrap.mjs'), at('scripts', 'bootstrap.mjs'));
    writeFileSync(at('package-lock.json'), '{"packages":{}}');
    writeFileSync(
      at('npm.js'),
      `require('node:fs').appendFileSync(${JSON.stringify(at('calls'))}, 'called\\n'); setTimeout(() => {}, 1000);`,
    );
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const install = () =>
    promisify(execFile)(process.execPath, [at('scripts', 'bootstrap.mjs'), 'install'], {
      env: { ...process.env, TMPDIR: at('shared'), npm_execpath: at('npm.js') },
      timeout: 60_000,
    });
  const installations = () => readFileSync(at('calls'), 'utf8').trim().split('\n').length;

  it('is not kept waiting by a file that anybody can make in the shared temporary directory', async () => {
    const name = `leadgate-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}.lock`;
    writeFileSync(at('shared', name), '1');
    await install();
    expect([installations(), existsSync(at(lock))]).toEqual([1, false]);
  });

  it.each([
    ['whose process id another process has by now', `${process.pid}\n0`],
    ['whose process is gone', '4194304\n1'],
    ['that was never written', ''],
  ])('is not kept waiting by a lock %s', async (_, left) => {
    writeFileSync(at(lock), left);
    await install();
    expect([installations(), existsSync(at(lock))]).toEqual([1, false]);
  });

  it('is made once by two commands at the same time', async () => {
    const both = await Promise.all([install(), install()]);
    expect(installations()).toBe(1);
    expect(both.map(({ stderr }) => stderr).filter((said) => said.includes('Waiting for another command'))).toHaveLength(1);
  });
});
