import { BoundedMap } from '../../src/lib/bounded-map';

it('keeps the latest entries; one that is set again is new', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

it('keeps no outdated entry when another comes', () => {
  let oldest = 0;
  const map = new BoundedMap<string, number>(9, (age) => age < oldest);
  map.set('a', 1).set('b', 2);
  oldest = 2;
  expect([...map.keys()]).toEqual(['a', 'b']);
  map.set('c', 3);
  expect([...map.keys()]).toEqual(['b', 'c']);
  oldest = 3;
  map.prune();
  expect([...map.keys()]).toEqual(['c']);
});
