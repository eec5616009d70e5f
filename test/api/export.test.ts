import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createExport, type ExportLeads } from '../../src/api/bulk/export';
import { createLeadList } from '../../src/leads/lead-list';
import { createSearch } from '../../src/leads/search';
import { csvRows, csvText } from '../../src/lib/csv';
import { newLead, startGateway, type Gateway } from '../support/gateway';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const send = async (protocol: string, fields = {}) => {
  const lead = newLead('', { protocol, ...fields });
  const { headers } = await gateway.post('/api/clinicsys/no-prescreen', lead);
  return { ...lead, leadId: String(headers.get('x-lead-id')) };
};

async function rowsOf(query: string, url = gateway.url) {
  const response = await fetch(`${url}/api/leads.csv?${query}`);
  const read: (readonly string[])[] = [];
  for await (const { cells } of csvRows(csvText(new Uint8Array(await response.arrayBuffer())))) read.push(cells);
  const [head = [], ...rows] = read;
  return { response, rows: rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [head[at] ?? '', cell]))) };
}

/** The leads of a protocol as a file that this export writes. */
async function rowsOfExport(write: ExportLeads, protocol: string) {
  const app = express().get('/api/leads.csv', (_request, response, next) => {
    write(response, { protocol }, false).then(() => response.end(), next);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return (await rowsOf('', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)).rows;
  } finally {
    server.close();
  }
}

/** The same, from a list whose pages are this short. */
async function rowsInPages(protocol: string, limit: number) {
  const { client, keys } = gateway;
  const list = createLeadList(createSearch(client), keys, { sites: () => undefined });
  const write = createExport(client, { page: (filter) => list.page(filter, limit) });
  return rowsOfExport(write, protocol);
}

describe('leads as a CSV file', () => {
  it('has a row for each lead of the filter, over all pages of the list, newest first', async () => {
    const sent = await Promise.all(Array.from({ length: 5 }, () => send('EXPORT-1')));
    const { response, rows } = await rowsOf('protocol=EXPORT-1');
    expect(await rowsInPages('EXPORT-1', 2)).toEqual(rows);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="leads.csv"');
    expect(rows.map(({ leadId }) => leadId).toSorted()).toEqual(sent.map(({ leadId }) => leadId).toSorted());
    const times = rows.map(({ createdAt }) => String(createdAt));
    expect(times).toEqual(times.toSorted().toReversed());
    expect(rows[0]).toMatchObject({ state: 'delivered', flow: 'no-prescreen', site: 'erg-oct', studyId: '12', protocol: 'EXPORT-1' });
  });

  it('waits for a slow reader page by page, and leaves no listener behind', async () => {
    const pages = 20;
    const leads = Array.from({ length: 20 }, (_, at) => ({ leadId: String(at), protocol: 'x'.repeat(10_000) }));
    const listeners: number[] = [];
    const rows = await rowsOfExport((response, ...asked) => {
      const page = async () => {
        listeners.push(response.listenerCount('close') + response.listenerCount('drain') + response.listenerCount('error'));
        return { leads, ...(listeners.length < pages && { nextCursor: 'more' }) };
      };
      return createExport(gateway.client, { page })(response, ...asked);
    }, '');
    expect(rows).toHaveLength(pages * leads.length);
    expect(listeners).toEqual(Array.from({ length: pages }, () => listeners[0]));
  });

  it('shows no person, and in clear the person with an entry on the audit trail', async () => {
    const { email, leadId } = await send('EXPORT-2', { lastName: 'Featherstone' });
    const { rows: masked } = await rowsOf('protocol=EXPORT-2');
    expect(masked).toEqual([expect.not.objectContaining({ email: expect.anything() })]);
    expect(JSON.stringify(masked)).not.toContain('Featherstone');
    const { rows: clear } = await rowsOf('protocol=EXPORT-2&clear=true');
    expect(clear).toEqual([
      expect.objectContaining({ leadId, email, firstName: 'Ann', lastName: 'Featherstone', phone: '(555) 201-3344' }),
    ]);
    const { body } = await gateway.get('/api/audit?action=export+in+clear');
    // The other tests export in clear, too.
    expect(body.entries.slice(0, 2)).toEqual([
      expect.objectContaining({ who: 'local', outcome: 'done', leads: 1 }),
      expect.objectContaining({ who: 'local', outcome: 'asked' }),
    ]);
  });

  it.each(['=1+1', '+1', '-1', '@x'])('makes the formula %s text', async (formula) => {
    const { email } = await send('EXPORT-3', { firstName: formula });
    const { rows } = await rowsOf(`email=${encodeURIComponent(email)}&clear=true`);
    expect(rows).toEqual([expect.objectContaining({ firstName: `'${formula}` })]);
  });

  it('is only a head when no lead matches, and an error for a filter that it does not know', async () => {
    expect((await rowsOf('protocol=nobody')).rows).toEqual([]);
    const { status, body } = await gateway.get('/api/leads.csv?stat=failed');
    expect([status, body.error.details[0].field]).toEqual([400, 'stat']);
  });
});
