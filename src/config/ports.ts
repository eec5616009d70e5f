/** Finds free ports, and checks before a start that ports are free. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { ConfigError } from './config';
import { codeOf, messageOf } from '../lib/errors';

export interface Port {
  /** The setting to name in the error. */
  readonly setting: string;
  readonly port: number;
  readonly host?: string;
}

const loopback = '127.0.0.1';

async function listenOnce(port: number, host: string): Promise<number> {
  const server = createServer();
  server.listen({ port, host, exclusive: true });
  await once(server, 'listening');
  const { port: given } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return given;
}

/** Below the range of outgoing connections, from which another program could get the port before it is used. */
const ports = { first: 20_000, last: 32_767 };
let next = ports.first + Math.floor(Math.random() * (ports.last - ports.first));

/** Returns a free port, and no port twice until all were tried. */
export async function freePort(host = loopback): Promise<number> {
  for (let tries = ports.last - ports.first; ; tries--) {
    next = next < ports.last ? next + 1 : ports.first;
    const port = next;
    try {
      return await listenOnce(port, host);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || tries === 0) throw error;
    }
  }
}

const noHost = (_port: Port, host: string) => `HOST must be an address or a name of this machine; ${host} cannot be resolved`;

const reasons: Record<string, (port: Port, host: string) => string> = {
  ENOTFOUND: noHost,
  EAI_AGAIN: noHost,
  EADDRINUSE: ({ setting, port }, host) =>
    `${setting} ${port} is in use on ${host} by another program; stop that one, or set ${setting} to a free port`,
  EACCES: ({ setting, port }) => `${setting} ${port} may not be used by this user; set ${setting} to a port above 1023`,
  EADDRNOTAVAIL: ({ setting, port }, host) => `${setting} ${port} cannot be opened on ${host}: this is not an address of this machine`,
};

export async function assertPortFree(setting: string, port: number, host = loopback): Promise<void> {
  if (port === 0) return;
  try {
    await listenOnce(port, host);
  } catch (error) {
    throw new ConfigError(
      reasons[codeOf(error) ?? '']?.({ setting, port }, host) ?? `${setting} ${port} cannot be opened on ${host}: ${messageOf(error)}`,
    );
  }
}

export async function assertPortsFree(ports: readonly Port[]): Promise<void> {
  for (const { setting, port, host } of ports) await assertPortFree(setting, port, host);
}
