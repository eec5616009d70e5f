/** Starts the sandbox on loopback only, because it accepts any data from any program. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../../src/config/config';
import { createSandbox, type SandboxOptions } from './app';

export type RunningSandbox = { url: string; port: number; close(): Promise<void> };

/** An error with a message for the user. */
export class SandboxCannotListen extends Error {
  override name = 'SandboxCannotListen';
}

const reasons: Record<string, string> = { EADDRINUSE: 'the port is in use', EACCES: 'permission denied' };

export async function startSandbox({ SANDBOX_PORT }: Pick<Config, 'SANDBOX_PORT'>, options?: SandboxOptions): Promise<RunningSandbox> {
  const { handler, reset } = createSandbox(options);
  const server = createServer(handler);
  // Longer than the keep-alive of clients, so that no request is sent on a closing connection.
  server.keepAliveTimeout = 120_000;
  server.listen(SANDBOX_PORT, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? (reasons[String(error.code)] ?? error.message) : String(error);
    throw new SandboxCannotListen(`The sandbox cannot listen on port ${SANDBOX_PORT}: ${why}. Set SANDBOX_PORT to a free port.`);
  }
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    reset();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  return { url: `http://127.0.0.1:${port}`, port, close };
}
