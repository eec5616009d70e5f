/** Starts a Temporal cluster on this machine, with the settings of docker-compose.yml. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../src/config/config';
import { waitUntilServing } from '../../src/engine/ready';
import { createProgram, openLog, type Part } from '../faults/program';
import { freePorts, type StageOptions } from '../faults/stage';
import { makeCertificates, serverName, type Certificates } from './certificates';
import { createPostgres, type Postgres } from './postgres';
import { temporalPrograms, type ServerPrograms } from './programs';
import { portsWanted, serverConfig } from './server-config';

const dynamicConfigFile = join(projectDir, 'config/engine/dynamic.yaml');
const host = '127.0.0.1';
const serveMostMs = 60_000;

export interface Cluster {
  /** The server, with the settings that workers and APIs need for it. */
  readonly temporal: NonNullable<StageOptions['temporal']>;
  /** The process id of its database. */
  readonly database: () => number | undefined;
  /** Replaces the server by one that requires client certificates, on the same data. */
  withTls(): Promise<NonNullable<StageOptions['temporal']>>;
  stop(): Promise<void>;
}

async function makeDatabases({ sql }: ServerPrograms, { port, user, password }: Postgres): Promise<void> {
  const env = { ...process.env, SQL_PASSWORD: password };
  for (const [database, schema] of [
    ['temporal', 'temporal'],
    ['temporal_visibility', 'visibility'],
  ] as const) {
    const at = ['--plugin', 'postgres12', '--ep', host, '--port', String(port), '--user', user, '--db', database];
    const tool = (...args: string[]) => promisify(execFile)(sql, [...at, ...args], { env });
    await tool('create');
    await tool('setup-schema', '-v', '0.0');
    await tool('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

/** The server silently ignores unknown names, so check them. */
async function checkDynamicConfig({ server }: ServerPrograms): Promise<void> {
  const { stdout } = await promisify(execFile)(server, ['validate-dynamic-config', dynamicConfigFile]);
  const wrong = stdout.split('\n').filter((line) => /^\s+(error|warning):/.test(line));
  if (wrong.length > 0) throw new Error(`${dynamicConfigFile}:\n${wrong.join('\n')}`);
}

const withCertificates = ({ authority, client }: Certificates) => ({
  TEMPORAL_TLS: 'true',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority,
  TEMPORAL_TLS_SERVER_NAME: serverName,
  TEMPORAL_TLS_CLIENT_CERT_PATH: client.cert,
  TEMPORAL_TLS_CLIENT_KEY_PATH: client.key,
});

export async function openCluster(say: (line: string) => void): Promise<Cluster> {
  const programs = await temporalPrograms(say);
  await checkDynamicConfig(programs);
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-cluster-'));
  // The user of Postgres needs access to its directory.
  chmodSync(dir, 0o711);
  const [postgresPort = 0, ...ports] = await freePorts(1 + portsWanted);
  const parts: Part[] = [];
  const remove = () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  const abandon = () => {
    for (const part of parts.toReversed()) part.abandon();
    remove();
  };
  process.once('exit', abandon);
  const stop = async () => {
    for (const part of parts.toReversed()) await part.terminate();
    process.off('exit', abandon);
    remove();
  };
  const settings = {
    TEMPORAL_ADDRESS: `${host}:${ports[0]}`,
    TEMPORAL_NAMESPACE: 'leadgate-cluster',
    LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  };
  try {
    const postgres = await createPostgres(dir, postgresPort);
    parts.push(postgres.part);
    await postgres.part.start();
    await makeDatabases(programs, postgres);

    const server = (name: string, certificates?: Certificates): Part => {
      const file = join(dir, `${name}.yaml`);
      writeFileSync(file, serverConfig({ ports, postgres, dynamicConfigFile, certificates }), { mode: 0o600 });
      const part = createProgram({
        name,
        command: programs.server,
        args: ['--config-file', file, '--allow-no-auth', 'start'],
        env: { PATH: process.env.PATH, HOME: process.env.HOME },
        log: openLog(join(dir, `${name}.log`)),
        // With TLS, its clients wait until it is ready.
        isReady: () => (certificates ? true : waitUntilServing(host, ports[0] ?? 0, () => false, serveMostMs)),
      });
      parts.push(part);
      return part;
    };
    const plain = server('temporal');
    await plain.start();
    return {
      temporal: { part: plain, settings },
      database: postgres.part.pid,
      stop,
      async withTls() {
        const certificates = makeCertificates(dir);
        await plain.terminate();
        const part = server('temporal-tls', certificates);
        await part.start();
        return { part, settings: { ...settings, ...withCertificates(certificates) } };
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
