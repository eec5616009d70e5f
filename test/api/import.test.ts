import { auditDir } from '../../src/audit/lines';
import { readTrail } from '../../src/audit/read';
import { workflowIdOf } from '../../src/domain/ids';
import { csvOf } from '../support/csv';
import { newLead, startGateway } from '../support/gateway';
import { csv, importing, noPrescreen, people } from '../support/imports';
import { until } from '../support/until';

const { gateway, imported, post, sendsOf } = importing();

describe('a file that is right', () => {
  it('is sent row by row, each once, and once only when it comes again', async () => {
    const leads = people(6);
    const first = await imported(csvOf(leads));
    expect(first.begin).toEqual({
      kind: 'begin',
      importId: expect.stringMatching(/^i[0-9a-z]{20}$/),
      flow: 'no-prescreen',
      sandbox: true,
      rows: 6,
      good: 6,
      badRows: 0,
      duplicateRows: 0,
      knownRows: 0,
    });
    expect(first.rows.map(({ line, state, status }) => [line, state, status])).toEqual(
      [2, 3, 4, 5, 6, 7].map((line) => [line, 'delivered', 200]),
    );
    expect(first.end).toEqual({ kind: 'end', complete: true, begun: 6, started: 6 });
    expect(await sendsOf(leads)).toEqual(leads.map(() => 1));
    const again = await imported(csvOf(leads.toReversed()));
    expect(again.end).toEqual({ kind: 'end', complete: true, begun: 6, started: 0 });
    expect(again.rows.map(({ leadId }) => leadId)).toEqual(first.rows.map(({ leadId }) => leadId).toReversed());
    expect(again.rows.every(({ state, replayed }) => state === 'delivered' && replayed)).toBe(true);
    expect(await sendsOf(leads)).toEqual(leads.map(() => 1));
    for (const { email } of leads) expect(first.text).not.toContain(email);
  });

  it('is only looked at with check=true', async () => {
    const leads = people(2);
    const { status, body } = await post(csvOf(leads), `${noPrescreen}&check=true`);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        right: true,
        rows: 2,
        good: 2,
        badRows: 0,
        duplicateRows: 0,
        knownRows: 0,
        bad: [],
        duplicates: [],
        unknownColumns: [],
      },
    ]);
    expect(await sendsOf(leads)).toEqual([0, 0]);
  });

  it('is on the audit trail with its counts and nothing of its rows', async () => {
    const [lead] = people(1);
    await imported(csvOf([lead!]));
    const entries = await readTrail(auditDir(gateway().config.LEADGATE_DATA_DIR), { action: 'import' });
    expect(entries[0]).toMatchObject({ action: 'import', outcome: 'done', flow: 'no-prescreen', rows: 1, begun: 1, started: 1 });
    expect(JSON.stringify(entries)).not.toContain(lead!.email);
  });

  it('names its leads, also those that were sent again, so that they are found and counted by it', async () => {
    const { begin, rows } = await imported(csvOf([newLead(), newLead('', { instanceName: 'erg-oct.key-404' })]));
    await imported(csvOf(people(1)));
    const { importId } = begin!;
    const failed = rows.find(({ state }) => state === 'failed')?.leadId;
    const mended = { reason: 'mistyped', fields: { instanceName: 'erg-oct' } };
    expect((await gateway().post(`/api/leads/${failed}/redrive`, mended)).status).toBe(200);
    await gateway().get(`/api/leads/${failed}?wait=60`);
    const { leads } = (await gateway().get(`/api/leads?importId=${importId}`)).body;
    expect(leads.map(({ leadId }: { leadId: string }) => leadId).toSorted()).toEqual(rows.map(({ leadId }) => leadId).toSorted());
    const { counts } = (await gateway().get(`/api/leads/counts?importId=${importId}`)).body;
    expect(counts).toMatchObject({ delivered: 2, failed: 0 });
    const [entry] = (await readTrail(auditDir(gateway().config.LEADGATE_DATA_DIR), { action: 'import' })).filter(
      (each) => each.importId === importId,
    );
    expect(entry).toMatchObject({ outcome: 'done', started: 2 });
  });

  it('keeps its id when it is sent again with the same Idempotency-Key', async () => {
    const idOf = async (key: string) => String((await imported(csvOf(people(1)), noPrescreen, { 'idempotency-key': key })).begin?.importId);
    expect(await idOf('one')).toBe(await idOf('one'));
    expect(await idOf('one')).not.toBe(await idOf('two'));
  });

  it('stops when its caller goes, and goes on when it comes again', async () => {
    const leads = people(8);
    const hangUp = new AbortController();
    const response = await fetch(`${gateway().url}/api/imports?flow=no-prescreen&ratePerS=1`, {
      method: 'POST',
      headers: csv,
      body: csvOf(leads),
      signal: hangUp.signal,
    });
    const reader = response.body!.getReader();
    await until(
      async () =>
        Buffer.from((await reader.read()).value ?? [])
          .toString()
          .includes('"row"'),
      'the first row is told',
    );
    hangUp.abort();
    const ended = await until(async () => {
      const [newest] = await readTrail(auditDir(gateway().config.LEADGATE_DATA_DIR), { action: 'import' });
      return newest?.outcome === 'incomplete' ? newest : undefined;
    }, 'the import has ended');
    expect(Number(ended.begun)).toBeLessThan(8);
    const { end } = await imported(csvOf(leads));
    expect(end).toEqual({ kind: 'end', complete: true, begun: 8, started: 8 - Number(ended.started) });
    expect(await sendsOf(leads)).toEqual(leads.map(() => 1));
  });

  it('says of each row what a request of its own would have been answered', async () => {
    const { rows } = await imported(csvOf([newLead('v1-422'), newLead('comment-422'), newLead()]));
    expect(rows.map(({ state, status, code }) => [state, status, code])).toEqual([
      ['failed', 422, 'UPSTREAM_REJECTED'],
      ['parked', 422, 'UPSTREAM_REJECTED'],
      ['delivered', 200, undefined],
    ]);
  });

  it('tells what became of a lead that was driven again since', async () => {
    const file = csvOf([newLead('', { instanceName: 'erg-oct.key-404' })]);
    const [failed] = (await imported(file)).rows;
    expect(failed).toMatchObject({ state: 'failed', status: 422 });
    await gateway().post(`/api/leads/${failed!.leadId}/redrive`, { reason: 'mistyped', fields: { instanceName: 'erg-oct' } });
    expect((await imported(file)).rows).toMatchObject([{ state: 'delivered', leadId: failed!.leadId, replayed: true }]);
  });
});

describe('the door', () => {
  it('begins leads that come in one by one before those of a file', async () => {
    const { rows } = await imported(csvOf(people(1)));
    const alone = await gateway().post('/api/clinicsys/no-prescreen', newLead());
    const priorityOf = async (leadId: unknown) =>
      (
        await gateway()
          .client.workflow.getHandle(workflowIdOf(String(leadId)))
          .describe()
      ).priority?.priorityKey;
    expect(await priorityOf(rows[0]?.leadId)).toBe(5);
    expect(await priorityOf(alone.headers.get('x-lead-id'))).not.toBe(5);
  });

  it('takes a file from who may send leads, and from nobody else', async () => {
    const guarded = await startGateway({ settings: { GATEWAY_API_KEYS: 'n8n:first,board:second:board' }, withoutWorker: true });
    try {
      const as = (key: string) =>
        guarded.post(`/api/imports?${noPrescreen}&check=true`, Buffer.from(csvOf(people(1))), { ...csv, authorization: `Bearer ${key}` });
      expect([(await as('none')).status, (await as('second')).status, (await as('first')).status]).toEqual([401, 403, 200]);
    } finally {
      await guarded.stop();
    }
  });

  it('that is closed for a while is waited at', async () => {
    const narrow = await startGateway({ settings: { STARTS_PER_S_PER_CALLER: '3' } });
    try {
      const response = await fetch(`${narrow.url}/api/imports?${noPrescreen}`, { method: 'POST', headers: csv, body: csvOf(people(5)) });
      const lines = (await response.text()).trim().split('\n');
      expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ kind: 'end', complete: true, begun: 5, started: 5 });
    } finally {
      await narrow.stop();
    }
  });
});
