import type { Config } from '../config/config';
import { addresses, type Upstreams } from '../config/upstreams';
import { endpoints } from '../contract';

/** The addresses that the sample lead needs. */
const siteSystem = [...addresses['key-service'], ...addresses.V1, ...addresses.V2];

interface Running {
  readonly api: string;
  readonly namespace: string;
  readonly temporalUi?: string;
  readonly sandbox?: number;
}

/**
 * What `npm start` prints for the person who typed it: plain text, also where stdout is no terminal. It shows a sample lead only where that
 * reaches nothing but the sandbox, and needs no key.
 */
export function welcome(config: Config, upstreams: Upstreams, { api, namespace, temporalUi, sandbox }: Running): string {
  const places = [
    ['API', api],
    ['Docs', `${api}/docs`],
    ['Console', `${api}/console`],
    ['Temporal UI', temporalUi && `${temporalUi}/namespaces/${namespace}/workflows`],
    ['Sandbox', sandbox === undefined ? undefined : `http://127.0.0.1:${sandbox}  (stands in for every upstream without a URL)`],
  ];
  const lines = places.flatMap(([name, address]) => (address ? [`  ${name?.padEnd(12)} ${address}`] : []));
  const isTrial = !config.GATEWAY_API_KEYS && siteSystem.every((need) => upstreams.find(need)?.sandbox);
  const { path, example } = endpoints.noPrescreen;
  const curl = `  curl -s ${api}${path} -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'`;
  return ['', 'Leadgate is ready.', '', ...lines, '', ...(isTrial ? ['Send a sample lead:', '', curl, ''] : []), ''].join('\n');
}
