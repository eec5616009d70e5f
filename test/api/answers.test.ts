/**
 * The examples that the reference shows of answers are answers: recorded from the sandbox, and what is answered now has the same shape.
 * After an intended change: `RECORD_ANSWERS=1 npm test -- test/api/answers`, then `npm run reference`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { answers } from '../../tools/reference/answers';
import { startGateway, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { acceptances, dryRuns, errors, otherGateways, pending, successes } from './answers';

const started = new Map<string, Gateway>();
const gatewayOf = (name = 'usual') => {
  const found = started.get(name);
  if (!found) throw new Error(`no gateway ${name}`);
  return found;
};
beforeAll(async () => {
  const TEMPORAL_NAMESPACE = await ownNamespace(`answers-${process.pid}`);
  started.set('usual', await startGateway({ settings: { TEMPORAL_NAMESPACE } }));
  await Promise.all(Object.entries(otherGateways).map(async ([name, options]) => started.set(name, await startGateway(options))));
});

/** A person of the test's own making is called what the other examples call her. */
const readable = (text: string) => text.replaceAll(/\bann-\d+-\d+-[0-9a-f]{6}/g, 'ann');

const isRecording = process.env.RECORD_ANSWERS === '1';
const recorded: Record<string, Record<string, unknown>> = {};
afterAll(async () => {
  await Promise.all([...started.values()].map((gateway) => gateway.stop()));
  if (isRecording) writeFileSync(join(projectDir, 'tools/reference/answers.json'), readable(`${JSON.stringify(recorded, null, 2)}\n`));
});

/** What a value looks like, whatever it says: of a list, how one of its members looks. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shape(part)]));
}

function check(kind: keyof typeof answers, name: string, body: unknown) {
  recorded[kind] = { ...recorded[kind], [name]: body };
  if (!isRecording) expect(shape(body)).toEqual(shape(answers[kind][name]));
}

describe('the example of a success equals the answer of the sandbox for', () => {
  // Each by itself: a person who was sent by one route is known to the next.
  beforeEach(async () => void (await fetch(`${gatewayOf().sandboxUrl}/__reset`, { method: 'POST' })));

  it.each(successes)('%s', async (name, play) => {
    const { status, body } = await play(gatewayOf());
    // A refusal says why in its body.
    expect([status === 200 ? 200 : body, body]).toEqual([200, expect.anything()]);
    check('success', name, body);
  });
  it.each(dryRuns)('%s in a dry run', async (name, play) => {
    const { status, body } = await play(gatewayOf());
    expect([status, body.dryRun]).toEqual([200, true]);
    check('dryRun', name, body);
  });
  it.each(acceptances)('%s, accepted', async (name, play) => {
    const { status, body } = await play(gatewayOf());
    expect(status).toBe(202);
    check('accepted', name, body);
  });
  it('a lead in progress', async () => {
    const { status, body } = await pending(gatewayOf());
    expect(status).toBe(202);
    check('pending', 'lead', body);
    // The reset before the next example must not come in its way: the same body would find it.
    await gatewayOf().get(`${body.statusUrl}?wait=60`);
  });
});

describe('the example of an error equals the answer of the sandbox for', () => {
  it.concurrent.each(errors.map((play) => [play.code, play.on, play] as const))('%s on %s', async (code, on, { gateway, play }) => {
    // Written in the order of the table, whichever is answered first.
    recorded.errors = { ...recorded.errors, [`${code} ${on}`]: undefined };
    const { body } = await play(gatewayOf(gateway ?? 'failing'));
    // An error of another kind says why in its body.
    expect([body.error?.code, body]).toEqual([code, expect.anything()]);
    check('errors', `${code} ${on}`, body);
  });
});
