/** config/leadgate.service agrees with the code, and gives the service no more than it needs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, settings } from '../src/config/config';
import { longestTimeoutMs } from '../src/config/upstreams';

const projectDir = join(__dirname, '..');
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
    const known = Object.values(settings).flatMap((group) => Object.entries(group));
    const secrets = known.flatMap(([name, form]) => ((form.meta() as { secret?: boolean } | undefined)?.secret ? [name] : []));
    const named = Object.keys(environment);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !known.some(([setting]) => setting === name) || secrets.includes(name))).toEqual([]);
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
