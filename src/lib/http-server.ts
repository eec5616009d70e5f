/** Starts small HTTP servers, and checks the headers of their requests. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  /** The actual port if 0 was given. */
  readonly port: number;
  close(): Promise<void>;
}

/** Puts an IPv6 address in brackets. */
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

/** The most headers of a request. Node silently drops headers after the 2,000th, so a request with too many is refused. */
const mostHeaders = 200;

export interface HeaderFault {
  readonly status: 400 | 431;
  readonly message: string;
}

/** Returns why the headers of a request must be refused. Uses `rawHeaders`, which has every header as received. */
export function headerFault({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): HeaderFault | undefined {
  if (rawHeaders.length / 2 > mostHeaders) return { status: 431, message: `A request has at most ${mostHeaders} headers` };
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length > 1 ? { status: 400, message: 'The header Host is given more than once' } : undefined;
}
