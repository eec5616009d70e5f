/** Writes the Temporal server's configuration: all services in one process, four shards, loopback, Postgres. */
import { serverName, type Certificates } from './certificates';
import type { Postgres } from './postgres';

const host = '127.0.0.1';
const services = ['frontend', 'matching', 'history', 'worker'] as const;
/** An RPC port and a membership port for each service. */
export const portsWanted = services.length * 2;

export interface ServerSettings {
  /** The first port is for the frontend. */
  readonly ports: readonly number[];
  readonly postgres: Postgres;
  readonly dynamicConfigFile: string;
  /** If set, clients need a certificate, too. */
  readonly certificates?: Certificates;
}

const store = (databaseName: string, maxConns: number, { port, user, password }: Postgres) => ({
  sql: {
    pluginName: 'postgres12',
    databaseName,
    connectAddr: `${host}:${port}`,
    connectProtocol: 'tcp',
    user,
    password,
    maxConns,
    maxIdleConns: maxConns,
    maxConnLifetime: '1h',
  },
});

function tls({ authority, server, client }: Certificates) {
  const asClient = { serverName, rootCaFiles: [authority] };
  return {
    frontend: {
      server: { certFile: server.cert, keyFile: server.key, requireClientAuth: true, clientCaFiles: [authority] },
      client: asClient,
    },
    systemWorker: { certFile: client.cert, keyFile: client.key, client: asClient },
  };
}

/** Writes JSON, which is valid YAML. */
export function serverConfig({ ports, postgres, dynamicConfigFile, certificates }: ServerSettings): string {
  const rpc = (at: number) => ({ rpc: { grpcPort: ports[at * 2], membershipPort: ports[at * 2 + 1], bindOnLocalHost: true } });
  const frontend = `${host}:${ports[0]}`;
  return JSON.stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: store('temporal', 20, postgres), visibility: store('temporal_visibility', 10, postgres) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: host }, ...(certificates && { tls: tls(certificates) }) },
    services: Object.fromEntries(services.map((name, at) => [name, rpc(at)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontend } },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: frontend },
    dynamicConfigClient: { filepath: dynamicConfigFile, pollInterval: '10s' },
  });
}
