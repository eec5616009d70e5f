/** An import that is run again: no row is sent twice, whatever stopped it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { csvOf } from '../support/csv';
import { newLead, startGateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { openUpstream } from '../support/upstream';
import { people, results, startImports, statesIn, type Imports } from './imports';

let imports: Imports;
beforeAll(async () => void (imports = await startImports()));
afterAll(() => imports.stop());

describe('leadgate import, run again', () => {
  it('tells a row that stands there twice as a duplicate each time', async () => {
    const [ann, bob] = people(2);
    const { path, out } = imports.fileOf(csvOf([ann!, bob!, ann!]));
    const told = '3 rows: 2 delivered, 1 duplicate';
    const states = ['delivered', 'delivered', 'duplicate'];
    for (const before of ['', '; 2 sent before']) {
      expect(await imports.imported(path)).toMatchObject({ status: 0, out: expect.stringContaining(`${told}${before}. Each is in`) });
      expect(statesIn(out).map(([, state]) => state)).toEqual(states);
    }
    expect(await imports.sendsOf([ann!, bob!])).toEqual([1, 1]);
  });

  it('goes on after it was stopped: each row is sent once', async () => {
    const leads = people(6);
    const { path, out } = imports.fileOf(csvOf(leads));
    const stopped = new AbortController();
    const seen = (text: string) => void (text.includes('"row"') && stopped.abort());
    const first = await imports.imported(path, ['--json', '--rate', '1'], {
      settings: { LEADGATE_URL: imports.gateway.url },
      io: { stopped: stopped.signal, out: seen },
    });
    expect([first.status, first.err]).toEqual([2, expect.stringContaining('run the same command again')]);
    expect(results(out).length).toBeLessThan(6);
    expect((await imports.imported(path)).status).toBe(0);
    expect(statesIn(out)).toEqual([2, 3, 4, 5, 6, 7].map((line) => [String(line), 'delivered']));
    expect(await imports.sendsOf(leads)).toEqual(leads.map(() => 1));
  });

  it('goes on after the API went away', async () => {
    const leads = people(5);
    const { path, out } = imports.fileOf(csvOf(leads));
    const other = await startGateway();
    try {
      let stopping: Promise<void> | undefined;
      const seen = (text: string) => void (text.includes('"row"') && (stopping ??= other.stopApi()));
      const settings = { LEADGATE_URL: other.url };
      const said = await imports.imported(path, ['--json', '--rate', '1', '--wait', '0'], { settings, io: { out: seen } });
      expect(said.status).toBe(2);
      await stopping;
    } finally {
      await other.stop();
    }
    expect(results(out).length).toBeLessThan(5);
  });

  it('asks again about a lead that waits for a person, and never sends it again', async () => {
    const lead = newLead('comment-422');
    const { path, out } = imports.fileOf(csvOf([lead]));
    expect((await imports.imported(path)).status).toBe(1);
    const [[, state, leadId] = []] = results(out);
    expect(state).toBe('parked');
    await imports.gateway.post(`/api/leads/${leadId}/confirm`, { reason: 'there', upstreamId: '139712' });
    await imports.gateway.get(`/api/leads/${leadId}?wait=60`);
    expect((await imports.imported(path)).status).toBe(0);
    expect([statesIn(out), await imports.sendsOf([lead])]).toEqual([[['2', 'delivered']], [1]]);
  });

  it('believes no result file of another service: its rows are told as not known, and not sent', async () => {
    const leads = [newLead(), newLead('comment-422')];
    const { path, out } = imports.fileOf(csvOf(leads));
    await imports.imported(path);
    const ids = results(out).map(([, , leadId]) => leadId);
    // As a kill leaves it.
    writeFileSync(out, readFileSync(out, 'utf8').replace(/,parked,(.*?),422,.*,/, ',running,$1,202,,'));
    const before = statesIn(out);
    const other = await startGateway({ settings: { TEMPORAL_NAMESPACE: await ownNamespace('import-elsewhere') } });
    const elsewhere = { settings: { LEADGATE_URL: other.url } };
    try {
      const words = /^2 rows have a lead id in \S+ that this service does not know: .* Not sent again\.\n.*--out\.\n$/;
      const looked = await imports.imported(path, ['--check'], elsewhere);
      expect(looked).toMatchObject({ status: 1, out: expect.stringContaining('0 to send'), err: expect.stringMatching(words) });
      expect(JSON.parse((await imports.imported(path, ['--check', '--json'], elsewhere)).out)).toMatchObject({
        notHere: [{ line: 2 }, { line: 3 }],
      });
      expect(statesIn(out)).toEqual(before);

      for (const _ of ['once', 'and again']) {
        const said = await imports.imported(path, [], elsewhere);
        expect(said).toEqual({ status: 1, out: `2 rows: 2 not-here. Each is in ${out}\n`, err: expect.stringMatching(words) });
        expect(results(out).map(([, state, leadId, status]) => [state, leadId, status])).toEqual(ids.map((id) => ['not-here', id, '404']));
        expect(readFileSync(out, 'utf8')).toMatch(/last known as delivered.*\n.*last known as running/);
      }
      expect((await imports.imported(path, ['--json'], elsewhere)).out).toMatch(
        /"line":2,"state":"not-here","leadId":"\S+","status":404,"message":"not known/,
      );
      // Nor are rows that were not sent yet: it is not the service that they are for.
      writeFileSync(path, csvOf([...leads, newLead()]));
      expect(await imports.imported(path, [], elsewhere)).toMatchObject({
        status: 1,
        out: '',
        err: expect.stringMatching(/Nothing was sent: /),
      });
      writeFileSync(path, csvOf(leads));
      expect((await other.sandbox()).calls.v1 ?? 0).toBe(0);

      // Its own service knows them.
      expect((await imports.imported(path)).out).toMatch(/1 delivered, 1 parked.*\nAnswered by the sandbox\.\n/);
      expect([results(out).map(([, , leadId]) => leadId), await imports.sendsOf(leads)]).toEqual([ids, [1, 1]]);

      const sent = await imports.imported(path, ['--skip-bad', '--out', `${out}.other`], elsewhere);
      expect([sent.out, (await other.sandbox()).calls.v1]).toEqual([expect.stringContaining('1 delivered, 1 parked'), 2]);
    } finally {
      await other.stop();
    }
  });

  it('sends a row again that may have been taken and was not, unless the service is another', async () => {
    const leads = [newLead(), newLead()];
    const { path, out } = imports.fileOf(csvOf(leads));
    await imports.imported(path);
    const strange = `k${'a'.repeat(20)}-${'b'.repeat(10)}`;
    const altered = (line: string, state: string) =>
      writeFileSync(out, readFileSync(out, 'utf8').replace(new RegExp(`^${line},\\w+,[^,]+,`, 'm'), `${line},${state},${strange},`));
    altered('2', 'unknown');
    expect((await imports.imported(path, ['--check'])).out).toContain('1 to send');
    altered('3', 'delivered');
    expect(await imports.imported(path)).toMatchObject({ status: 1, out: expect.stringContaining('1 unknown, 1 not-here') });
    expect(await imports.sendsOf(leads)).toEqual([1, 1]);
  });

  it('takes nothing for known while the service cannot say', async () => {
    const { path, out } = imports.fileOf(csvOf([newLead()]));
    await imports.imported(path);
    const written = readFileSync(out, 'utf8');
    const upstream = await openUpstream();
    upstream.answerWith({ status: 503, body: { success: false, message: 'Too much is under way', error: { code: 'NOT_ACCEPTED' } } });
    expect(await imports.imported(path, [], { settings: { LEADGATE_URL: upstream.url } })).toEqual({
      status: 2,
      out: '',
      err: 'leadgate: NOT_ACCEPTED: Too much is under way\n',
    });
    await upstream.close();
    expect([upstream.received.length, readFileSync(out, 'utf8')]).toEqual([1, written]);
  });
});
