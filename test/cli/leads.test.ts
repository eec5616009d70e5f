/** Many leads from the command line: counted by error, redriven, decided about, reported and stopped. */
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { openUpstream } from '../support/upstream';
import { leadgate } from './support';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const here = (...argv: string[]) => leadgate(argv, { settings: { LEADGATE_URL: gateway.url } });

async function send(count: number, sentinel: string): Promise<string[]> {
  const protocol = `P${process.pid}-${Math.random()}`;
  const leads = Array.from({ length: count }, () => newLead(sentinel, { protocol }));
  for (const lead of leads) await gateway.post('/api/clinicsys/no-prescreen', lead);
  return ['--protocol', protocol];
}

it('finds and counts leads by error code and upstream', async () => {
  const of = [...(await send(2, 'comment-422')), '--code', 'UPSTREAM_REJECTED', '--upstream', 'V2'];
  expect((await here('lead', 'find', ...of)).out).toMatch(/^(\S+ .* parked {2}send-comments\n){2}$/);
  expect(await here('leads', 'count', ...of)).toEqual({
    status: 0,
    out: '2  parked  UPSTREAM_REJECTED  V2\n',
    err: '2 leads stand still or failed\n',
  });
});

it('counts leads by the day on which they came in', async () => {
  await send(1, '');
  const { status, out, err } = await here('leads', 'history', '--flow', 'no-prescreen', '--days', '1');
  const [, leads = ''] = /^\d{4}-\d\d-\d\d {2}(\d+)(?: {2}\d+){6}\n$/.exec(out) ?? [];
  expect([status, Number(leads) > 0, err]).toEqual([0, true, `${leads} ${leads === '1' ? 'lead' : 'leads'} in 1 day\n`]);
  const { days } = JSON.parse((await here('leads', 'history', '--days', '1', '--json')).out) as { days: unknown[] };
  expect(days).toEqual([expect.objectContaining({ day: out.slice(0, 10) })]);
  expect(await here('leads', 'history', '--days', '31')).toMatchObject({ status: 2, err: expect.stringContaining('days') });
});

it('counts before a decision, and then carries it out and says how it went', async () => {
  const of = await send(2, 'comment-422');
  const order = ['leads', 'discard', ...of, '--reason', 'a test', '--rate', '50'];
  expect(await here(...order)).toEqual({ status: 0, out: '2 leads; to start: the same with --expect 2\n', err: '' });
  expect((await here(...order, '--expect', '3')).err).toContain('The filter matches 2 parked leads now: nothing was started');
  const { status, out, err } = await here(...order, '--expect', '2');
  expect([status, out]).toEqual([0, 'done: 2 of 2, 0 to go\n2  decided\n']);
  const [, id = ''] = /^Order (d\w+);/.exec(err) ?? [];
  expect((await here('leads', 'report', id)).out).toBe(out);
  expect(JSON.parse((await here('leads', 'report', id, '--outcome', 'unknown', '--json')).out)).toMatchObject({ done: 2, results: [] });
  expect(await here('leads', 'stop', id, '--reason', 'too late')).toMatchObject({ status: 1, err: expect.stringContaining('has ended') });
});

it('sends failed leads again, and ends with 1 and the reason if some were left', async () => {
  const of = await send(1, 'v1-refused-once');
  const order = ['leads', 'redrive', ...of, '--reason', 'a test', '--expect', '1'];
  const refused = await here(...order, '--set', 'dob=x');
  expect(refused).toMatchObject({ status: 1, out: expect.stringMatching(/^done: 1 of 1, 0 to go\n1 {2}invalid {2}.*dob\n$/) });
  expect(await here(...order)).toMatchObject({ status: 0, out: 'done: 1 of 1, 0 to go\n1  started\n' });
});

it('refuses an unknown upstream', async () =>
  expect(await here('leads', 'count', '--upstream', 'V3')).toMatchObject({
    status: 2,
    err: expect.stringContaining('--upstream must be one of'),
  }));

it('waits for the report of an order while the gateway cannot tell it', async () => {
  const busy = await openUpstream();
  const decisionId = 'd0000000000000000000';
  const away = { success: false, message: 'No worker answers', error: { code: 'NOT_ACCEPTED', retryable: true } };
  const report = { success: true, decisionId, state: 'done', count: 1, done: 1, remaining: 0, notDecided: 0, reasons: [], results: [] };
  busy.answerWith({ status: 202, body: { success: true, decisionId, state: 'running', count: 1, statusUrl: '' } });
  busy.answerWith({ status: 503, body: away });
  busy.answerWith({ body: report });
  try {
    const order = ['leads', 'discard', '--protocol', 'P', '--reason', 'a test', '--expect', '1'];
    const { status, out, err } = await leadgate(order, { settings: { LEADGATE_URL: busy.url } });
    expect([status, out]).toEqual([0, 'done: 1 of 1, 0 to go\n']);
    expect(err).toContain('NOT_ACCEPTED: No worker answers\nThe order goes on by itself');
  } finally {
    await busy.close();
  }
});
