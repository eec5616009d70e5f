/** Of which runs the journal's entries may go: asked of a real engine. */
import { createLocalRuns } from '../../src/leads/local-runs';
import { createCommitted } from '../../src/send-journal/committed';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { newestRun } from '../support/runs';

const runs = createLocalRuns();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ shared: { runs } });
});
afterAll(() => gateway.stop());

async function runOf(sentinel?: string) {
  const { headers } = await gateway.post('/api/clinicsys/no-prescreen', newLead(sentinel));
  const { workflowId, runId } = await newestRun(gateway.client, headers.get('x-lead-id') ?? '');
  return { workflowId, runId };
}
const noted = (run: { readonly workflowId: string; readonly runId: string }, place: string) => ({ ...run, place, length: 3 });

it('those of runs that are over or gone, and of open ones that have them in their history', async () => {
  const [over, open, behind] = await Promise.all([runOf(), runOf('comment-422'), runOf('comment-422')]);
  const gone = { workflowId: 'lead-gone', runId: '01a2021b-0443-7762-a4dc-b3b00c8b1682' };
  const committed = await createCommitted(gateway.client, { hasEnded: () => false })([
    noted(over, 'sendToRt:9'),
    noted(gone, 'sendToRt:1'),
    ...['sendToRt:1', 'sendComments:1'].map((place) => noted(open, place)),
    ...['sendToRt:1', 'sendToRt:2'].map((place) => noted(behind, place)),
  ]);
  expect(committed).toEqual(new Set([over.runId, open.runId, gone.runId]));
});

it('a run whose end this process was told is not asked about again', async () => {
  const [over, failed, open] = await Promise.all([runOf(), runOf('v1-422'), runOf('comment-422')]);
  const asked = jest.spyOn(gateway.client.workflowService, 'describeWorkflowExecution');
  try {
    const committed = await createCommitted(gateway.client, runs)([over, failed, open].map((run) => noted(run, 'sendToRt:1')));
    expect(committed).toEqual(new Set([over.runId, failed.runId, open.runId]));
    expect(asked.mock.calls.map(([{ execution }]) => execution?.runId)).toEqual([open.runId]);
  } finally {
    asked.mockRestore();
  }
});
