jest.requireActual('../../src/workflows/preload');

class Own extends Error {}

const thrown = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

it('takes no trace for an error without a message, which the SDK makes for each promise', () => {
  expect(new Error()).toBeInstanceOf(Error);
  expect(new Error().stack).toBeUndefined();
});

it.each([
  ['an error with a message', () => new Error('said')],
  ['an error of an own class', () => new Own()],
  ['a mistake in the code', () => thrown(() => (undefined as unknown as { name: string }).name)],
])('leaves its trace to %s', (_, made) => {
  expect(made()).toHaveProperty('stack', expect.stringContaining('preload.test'));
});
