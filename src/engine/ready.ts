/** Waits until the engine serves requests. */
import { Connection } from '@temporalio/client';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const service = 'temporal.api.workflowservice.v1.WorkflowService';
const serving = 1;
const pollMs = 20;

async function isListening(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function isServing(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 2000 });
    try {
      const { status } = await connection.withDeadline(Date.now() + 2000, () => connection.healthService.check({ service }));
      return status === serving;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}

/** False after `timeoutMs`, or once `isHopeless` returns true. */
export async function waitUntilServing(host: string, port: number, isHopeless: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline && !isHopeless()) {
    // The client pauses a second after a refused connection, so use it only once the port is open.
    if ((await isListening(host, port)) && (await isServing(`${host}:${port}`))) return true;
    await pause(pollMs);
  }
  return false;
}
