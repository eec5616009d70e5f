/** Relays TCP between the worker and the simulators. While it is closed, it refuses connections; the simulators keep their data. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface UpstreamRelay {
  open(): Promise<void>;
  /** Refuses new connections, and resets open ones. */
  close(): Promise<void>;
}

function relayConnection(client: Socket, port: number): void {
  const upstream = connect({ port, host: '127.0.0.1' });
  client.pipe(upstream);
  upstream.pipe(client);
  upstream.on('error', () => client.resetAndDestroy());
  client.on('error', () => upstream.resetAndDestroy());
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroySoon());
}

export function createRelay(port: number, to: number): UpstreamRelay {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    relayConnection(client, to);
  });

  return {
    async open() {
      if (server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
  };
}
