import { inTurns } from '../../src/lib/in-turns';

it('runs one turn at a time, and shares the next among those who wait for it', async () => {
  let letGo = () => {};
  const held = new Promise<void>((done) => (letGo = done));
  const said: string[] = [];
  const turn = inTurns(async () => {
    said.push('begins');
    await held;
    said.push('ends');
  });
  const first = turn();
  await Promise.resolve();
  const [second, third] = [turn(), turn()];
  expect([second === third, second === first, said]).toEqual([true, false, ['begins']]);
  letGo();
  await second;
  expect(said).toEqual(['begins', 'ends', 'begins', 'ends']);
});

it('goes on after a turn that failed', async () => {
  const results = [Promise.reject(new Error('away')), Promise.resolve()];
  const turn = inTurns(() => results.shift() ?? Promise.resolve());
  const first = turn();
  await Promise.resolve();
  const second = turn();
  await expect(first).rejects.toThrow('away');
  await expect(second).resolves.toBeUndefined();
});
