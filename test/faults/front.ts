/** A TCP relay between the worker and the simulators. While it is closed, connections are refused and the simulators keep their memory. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Front {
  open(): Promise<void>;
  /** New connections are refused, and those that stand are reset. */
  close(): Promise<void>;
}

function relay(client: Socket, port: number): void {
  const upstream = connect({ port, host: '127.0.0.1' });
  client.pipe(upstream);
  upstream.pipe(client);
  upstream.on('error', () => client.resetAndDestroy());
  client.on('error', () => upstream.resetAndDestroy());
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroySoon());
}

export function createFront(port: number, to: number): Front {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    relay(client, to);
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
