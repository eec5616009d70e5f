import type { Config } from '../config/config';
import { version } from '../config/version';
import { addresses, type Upstreams } from '../config/upstreams';
import { endpoints } from '../contract';

/** The addresses that the sample lead is sent to. */
const siteSystem = [...addresses['key-service'], ...addresses.V1, ...addresses.V2];

interface Running {
  readonly api: string;
  readonly namespace: string;
  readonly temporalUi?: string;
  readonly sandbox?: number;
}

/**
 * Builds the message that `npm start` prints. The sample lead is a dry run if it would reach a real system.
 */
export function welcome(config: Config, upstreams: Upstreams, { api, namespace, temporalUi, sandbox }: Running): string {
  const rows = [
    ['Version', version],
    ['API', api],
    ['Docs', `${api}/docs`],
    ['Console', `${api}/console`],
    ['Temporal UI', temporalUi && `${temporalUi}/namespaces/${namespace}/workflows`],
    ['Sandbox', sandbox === undefined ? undefined : `http://127.0.0.1:${sandbox}  (stands in for every upstream without a URL)`],
  ];
  const lines = rows.flatMap(([name, value]) => (value ? [`  ${name?.padEnd(12)} ${value}`] : []));
  const isHarmless = siteSystem.every((need) => upstreams.find(need)?.sandbox);
  const title = isHarmless ? 'Send a sample lead:' : 'Send a sample lead as a dry run, which sends nothing to an upstream:';
  const headers = [
    'Content-Type: application/json',
    'Idempotency-Key: sample-1',
    ...(isHarmless ? [] : ['X-Dry-Run: true']),
    ...(config.GATEWAY_API_KEYS || config.OIDC_ISSUER ? ['x-gateway-key: YOUR-KEY'] : []),
  ].map((header) => ` -H '${header}'`);
  const { path, example } = endpoints.noPrescreen;
  const curl = `  curl -s ${api}${path}${headers.join('')} -d '${JSON.stringify(example)}'`;
  return ['', 'Leadgate is ready.', '', ...lines, '', title, '', curl, '', ''].join('\n');
}
