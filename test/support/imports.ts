/** Sends files of leads to a gateway, and reads the results. */
import { newLead, startGateway, type Gateway } from './gateway';

export const csv = { 'content-type': 'text/csv' };
export const noPrescreen = 'flow=no-prescreen&ratePerS=50';

export interface ImportLine {
  readonly kind: string;
  readonly [name: string]: any; // eslint-disable-line -- a test reads into it and states what it expects
}

export const people = (count: number, sentinels = '') => Array.from({ length: count }, () => newLead(sentinels));

export const importsOf = (gateway: () => Gateway) => ({
  post: (file: string | Buffer, query = noPrescreen, headers: Record<string, string> = csv) =>
    gateway().post(`/api/imports?${query}`, Buffer.isBuffer(file) ? file : Buffer.from(file), headers),

  async imported(file: string | Buffer, query = noPrescreen, headers: Record<string, string> = {}) {
    const response = await fetch(`${gateway().url}/api/imports?${query}`, {
      method: 'POST',
      headers: { ...csv, ...headers },
      body: Uint8Array.from(Buffer.from(file)),
    });
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ImportLine);
    return {
      lines,
      text,
      begin: lines[0],
      end: lines.at(-1),
      rows: lines.filter(({ kind }) => kind === 'row').toSorted((one, other) => one.line - other.line),
    };
  },

  /** How often the upstream received each lead. */
  async sendsOf(leads: readonly { email: string }[]) {
    const sent = (await gateway().sandbox()).requests.filter(({ call }) => call === 'v1');
    return leads.map(({ email }) => sent.filter(({ body }) => body.includes(encodeURIComponent(email))).length);
  },
});

/** Starts a gateway with small limits for the tests of one file. */
export function importing() {
  let started: Gateway | undefined;
  const gateway = (): Gateway => {
    if (!started) throw new Error('The gateway is started before the first test');
    return started;
  };
  beforeAll(async () => {
    started = await startGateway({
      settings: { IMPORT_ROWS_MAX: '40', JSON_KEYS_MAX: '80', BODY_LIMIT_BYTES: '18000' },
    });
  });
  afterAll(() => started?.stop());
  return { gateway, ...importsOf(gateway) };
}
