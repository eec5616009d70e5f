/** Callers take turns before a limit: whoever sends a large file first does not keep the others waiting for all of it. */
import { Connection } from '@temporalio/client';
import { parseConfig } from '../../src/config/config';
import { endpoints } from '../../src/contract';
import { prepareNamespace } from '../../src/engine/namespace';
import { startEngine } from '../../src/engine/start';
import { searchAttributes } from '../../src/temporal/engine';
import { csvOf } from '../support/csv';
import { testEngine } from '../support/engine';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { queueAt } from '../support/queue';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';

const limits = { UPSTREAM_LIMITS: 'screening=*1' };
const { questions: _, ...flat } = endpoints.sendPatient.example;

const file = (who: string, count: number) =>
  csvOf(Array.from({ length: count }, () => ({ ...flat, first_name: who, email: newLead().email })));

const imported = async ({ url }: Gateway, who: string, count: number) => {
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${who}-key` };
  const answer = await fetch(`${url}/api/imports?flow=screening&ratePerS=50`, { method: 'POST', headers, body: file(who, count) });
  expect(await answer.text()).toContain('"complete":true');
};

it('a small file is through while a large one of another caller waits', async () => {
  const settings = parseConfig({ TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0', LEADGATE_DATA_DIR: '', ENGINE_SYNC: 'normal', ...limits });
  const engine = await startEngine(settings, { isInMemory: true, executable: testEngine().executable });
  const screening = await openUpstream();
  let gateway: Gateway | undefined;
  try {
    const connection = await Connection.connect({ address: engine.address });
    await prepareNamespace(connection, { namespace: 'turns', retentionH: 24, searchAttributes });
    await connection.close();
    const running = (gateway = await startGateway({
      settings: {
        ...{ TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: 'turns', GATEWAY_API_KEYS: 'large:large-key,small:small-key' },
        // The first lead is at the upstream until all others wait.
        ...{ SCREENING_URL: screening.url, SCREENING_API_KEY: 'mine', SCREENING_TIMEOUT_MS: '100000', ...limits },
      },
    }));
    let pass = () => {};
    const isPassing = new Promise<void>((done) => (pass = done));
    for (let id = 1; id < 100; id++) screening.answerWith({ body: { success: true, id }, after: isPassing });
    const large = imported(running, 'large', 40);
    await until(async () => (await queueAt(running, 'screening')).waiting >= 39, 'the large file waits');
    const small = imported(running, 'small', 4);
    await until(async () => (await queueAt(running, 'screening')).waiting >= 43, 'the small file waits, too');
    pass();
    await Promise.all([small, large]);
    await until(() => screening.received.length >= 44, 'all are sent');
    const order = screening.received.map(({ body }) => body.first_name as string);
    // In turns the four are of the next eight or so; one after the other all forty would be first.
    expect(order.slice(0, 36).filter((who) => who === 'small')).toHaveLength(4);
    expect(new Set(screening.received.map(({ body }) => body.email)).size).toBe(44);
    expect(screening.received).toHaveLength(44);
  } finally {
    await gateway?.stop();
    await engine.stop();
    await screening.close();
  }
});
