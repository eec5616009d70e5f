/** Serves /metrics of a worker without an API, if WORKER_METRICS_PORT is set. The metrics have no personal data and need no key. */
import { createServer } from 'node:http';
import { Registry } from 'prom-client';
import { ConfigError, type Config } from '../config/config';
import { version } from '../config/version';
import { listening, urlOf } from '../lib/http-server';
import { codeOf } from '../lib/errors';
import { processMetrics } from '../lib/process-metrics';

export interface ServedMetrics {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveMetrics(
  { WORKER_METRICS_PORT: port, HOST: host }: Pick<Config, 'WORKER_METRICS_PORT' | 'HOST'>,
  worker: Registry,
): Promise<ServedMetrics | undefined> {
  if (port === 0) return undefined;
  const all = Registry.merge([processMetrics(version), worker]);
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    all.metrics().then(
      (text) => response.writeHead(200, { 'content-type': all.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  const { port: given, close } = await listening(server, port, host).catch((error: unknown) => {
    throw new ConfigError(`WORKER_METRICS_PORT ${port} cannot be opened on ${host}: ${String(codeOf(error))}`);
  });
  return { url: `${urlOf(host, given)}/metrics`, close };
}
