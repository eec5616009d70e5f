/** A small HTTP server of a process: it listens when `listening` resolves, and `close` ends its connections. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  /** The one that the system gave, where 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

/** An IPv6 address stands in brackets. */
export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

export async function listening(server: Server, port: number, host: string): Promise<Listening> {
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
