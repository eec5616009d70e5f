/** The small HTTP servers of a process: one listens when `listening` resolves, and `close` ends its connections. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
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

/** The most headers of a request. Node drops those after the 2,000th from `headers` unseen, so more than anybody needs are refused. */
const mostHeaders = 200;

export interface HeadFault {
  readonly status: 400 | 431;
  readonly message: string;
}

/** Why the headers of a request cannot be trusted, whatever they say. It counts `rawHeaders`: a name and a value for each header that came. */
export function headFault({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): HeadFault | undefined {
  if (rawHeaders.length / 2 > mostHeaders) return { status: 431, message: `A request has at most ${mostHeaders} headers` };
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length > 1 ? { status: 400, message: 'The header Host is given more than once' } : undefined;
}
