import { readFileSync } from 'node:fs';

const error = globalThis.Error;
jest.requireActual('../../src/workflows/preload');

type Questions = (text: string) => () => unknown;
const asked: Questions = (text) => (Promise.resolve().constructor.constructor as Questions)(text);
const scope = globalThis as { __TEMPORAL_ACTIVATOR__?: object };

afterAll(() => void Reflect.deleteProperty(Promise, 'constructor'));

it('knows what the SDK asks a scope for each promise, word for word', () => {
  const sdk = readFileSync(require.resolve('@temporalio/worker/lib/workflow/vm-shared'), 'utf8');
  const texts = [...sdk.matchAll(/'(return globalThis\.\w+)'/g)].map(([, text = '']) => text);
  expect(new Set(texts)).toEqual(new Set(['return globalThis.__TEMPORAL_ACTIVATOR__', 'return globalThis.Error']));
});

it('says whose promise it is', () => {
  const activator = {};
  scope.__TEMPORAL_ACTIVATOR__ = activator;
  expect(asked('return globalThis.__TEMPORAL_ACTIVATOR__')()).toBe(activator);
  delete scope.__TEMPORAL_ACTIVATOR__;
  expect(asked('return globalThis.__TEMPORAL_ACTIVATOR__')()).toBeUndefined();
});

it('makes no trace of it', () => {
  const Untraced = asked('return globalThis.Error')() as new () => { stack?: string };
  expect(new Untraced().stack).toBeUndefined();
});

it('answers every other question as ever, and leaves errors as they are', () => {
  expect(asked('return 1 + 1')()).toBe(2);
  expect(globalThis.Error).toBe(error);
  expect(new Error().stack).toContain('preload.test');
});
