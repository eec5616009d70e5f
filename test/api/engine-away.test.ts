import { Connection } from '@temporalio/client';
import { prepareNamespace } from '../../src/temporal/namespace';
import { freePort } from '../../src/config/ports';
import { startEngine } from '../../src/engine/start';
import { searchAttributes } from '../../src/temporal/engine';
import { testEngine } from '../support/engine';
import { newLead, startGateway } from '../support/gateway';
import { until, untilHolds } from '../support/until';

const path = '/api/clinicsys/no-prescreen';

it.concurrent('without an engine, answers 503, starts nothing, and reports it in health and metrics', async () => {
  const port = await freePort();
  const settings = { TEMPORAL_PORT: port, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: '' };
  const engine = await startEngine(settings, { isInMemory: true, executable: testEngine().executable });
  const connection = await Connection.connect({ address: engine.address });
  await prepareNamespace(connection, { namespace: 'away', retentionH: 24, searchAttributes });
  await connection.close();
  const gateway = await startGateway({ settings: { TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: 'away' }, withoutWorker: true });
  try {
    expect((await gateway.get('/health/ready')).status).toBe(503);
    // A scrape leaves the counts out if the engine did not answer in time.
    await untilHolds(async () => expect((await gateway.get('/metrics')).body).toMatch(/^leadgate_leads\{.*\} 0$/m), 'leads are counted');
    await engine.stop();
    const reads = ['/api/leads', '/api/leads/b00000000000000000000-0000000000', '/api/redrives'];
    const headers = { 'content-type': 'application/json' };
    const post = fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(newLead()) });
    // Each of them waits some seconds for the engine.
    const [posted, ...found] = await Promise.all([post, ...reads.map((read) => fetch(`${gateway.url}${read}`))]);
    expect([posted.status, await posted.json()]).toMatchObject([503, { error: { code: 'NOT_ACCEPTED', retryable: true } }]);
    expect(Number(posted.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(found.map((answer) => answer.status)).toEqual([503, 503, 503]);
    expect((await gateway.sandbox()).calls).toEqual({});
    const metrics = (await gateway.get('/metrics')).body as string;
    expect(metrics).toMatch(/^leadgate_engine_reachable 0$/m);
    expect(metrics).toMatch(/^leadgate_oldest_open_lead_age_seconds nan$/im);
    // An old number would be a lie.
    expect(metrics).not.toMatch(/^leadgate_(leads|upstreams_held)\{/m);
  } finally {
    await gateway.stop();
    await engine.stop();
  }
});

it.concurrent('accepts a lead without a worker, and continues when a worker starts', async () => {
  const gateway = await startGateway({ withoutWorker: true });
  try {
    const { status, body } = await gateway.post(path, newLead(), { prefer: 'wait=1' });
    expect([status, body.state]).toEqual([202, 'running']);
    await gateway.startWorker();
    expect((await gateway.get(`${body.statusUrl}?wait=60`)).body.state).toBe('delivered');
  } finally {
    await gateway.stop();
  }
});

it.concurrent('a stop answers an unfinished lead with 202, and the worker finishes its send', async () => {
  const gateway = await startGateway();
  try {
    const answer = gateway.post(path, newLead('v1-hold'));
    await until(async () => (await gateway.sandbox()).calls.v1, 'the lead is at V1');
    await gateway.stopApi();
    const { status, body, headers } = await answer;
    expect([status, body.pending, headers.get('connection')]).toEqual([202, true, 'close']);
    await gateway.release();
    const run = gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '');
    expect(await run.result()).toMatchObject({ state: 'delivered' });
    expect((await gateway.sandbox()).calls.v1).toBe(1);
  } finally {
    await gateway.stop();
  }
});
