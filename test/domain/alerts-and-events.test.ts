import { limitHoldAlerts, subjectOf, summaryOf, updateAlerts, type OpenAlert, type Trouble } from '../../src/domain/alerts';
import { eventOf, type LeadChange } from '../../src/domain/events';

const parked: Trouble = { kind: 'parked', upstream: 'V1', count: 2, leadIds: ['a', 'b'], reason: 'look' };
const held = (instance: string): Trouble => ({ kind: 'held', upstream: 'V2', instance, count: 1, leadIds: [], reason: 'it fails' });
const at = (nowMs: number, ...troubles: Trouble[]) => ({ troubles, nowMs, clearMs: 60_000, consoleUrl: 'https://c.example/console' });

let ids = 0;
const newId = () => `id-${++ids}`;
const first = (): readonly OpenAlert[] => updateAlerts([], at(0, parked), newId).open;

describe('an alert', () => {
  it('opens once, even if the problem lasts and grows', () => {
    const later = updateAlerts(first(), at(3_600_000, { ...parked, count: 90 }), newId);
    expect(later).toMatchObject({ opened: [], closed: [], open: [{ count: 2 }] });
  });

  it('closes only after the problem has stayed away for long enough', () => {
    const soon = updateAlerts(first(), at(10_000), newId);
    expect(soon).toMatchObject({ closed: [], open: [{ clearSince: 10_000 }] });
    expect(updateAlerts(soon.open, at(69_999), newId).closed).toEqual([]);
    const over = updateAlerts(soon.open, at(70_000), newId);
    expect(over).toMatchObject({ open: [], closed: [{ kind: 'parked', closedAt: '1970-01-01T00:01:10.000Z' }] });
    expect(over.closed.map(summaryOf)).toEqual(['Resolved: 2 leads parked at V1']);
  });

  it('stays open if the problem returns before it closes', () => {
    const soon = updateAlerts(first(), at(10_000), newId);
    const again = updateAlerts(soon.open, at(50_000, parked), newId);
    expect(again).toMatchObject({ opened: [], closed: [] });
    expect(updateAlerts(again.open, at(75_000), newId).closed).toEqual([]);
  });

  it('is separate for each upstream, instance and kind', () => {
    const troubles = [parked, { ...parked, upstream: 'screening' as const }, held('ERG/a'), held('ERG/b')];
    expect(updateAlerts(first(), at(1, ...troubles), newId).opened.map(subjectOf)).toEqual([
      'parked:screening:',
      'held:V2:ERG/a',
      'held:V2:ERG/b',
    ]);
  });
});

describe('in an outage of all upstreams', () => {
  const many = Array.from({ length: 100 }, (_, at) => held(`ERG/${at}`));

  it('ten holds get their own alerts, and the others share one', () => {
    const told = limitHoldAlerts([parked, ...many], []);
    expect(told).toHaveLength(12);
    expect(told.at(-1)).toMatchObject({ kind: 'held', count: 90 });
    expect(told.at(-1)?.instance).toBeUndefined();
  });

  it('no new alert opens while the upstreams recover one by one', () => {
    let known = limitHoldAlerts(many, []).map(subjectOf);
    const all = new Set(known);
    for (let left = 99; left >= 0; left--) {
      known = limitHoldAlerts(many.slice(100 - left), known).map(subjectOf);
      for (const subject of known) all.add(subject);
    }
    expect(known).toEqual([]);
    expect(all.size).toBe(11);
  });
});

describe('an event', () => {
  const at = '2026-11-23T10:00:00.000Z';
  const change: LeadChange = { type: 'lead.parked', attempt: 1, number: 2, at, leadId: 'p1', flow: 'recruit', state: 'parked' };
  const idAfter = (copiedAt?: string) =>
    eventOf(change, { receivers: [], terms: {} }, copiedAt === undefined ? undefined : Date.parse(copiedAt)).id;

  describe('the id of an event', () => {
    it('is the same for every retry', () => expect(idAfter()).toBe('p1-1-2-parked'));

    it('is unchanged after a restore of a later copy', () => expect(idAfter('2026-11-23T11:00:00.000Z')).toBe('p1-1-2-parked'));

    it('changes after a restore of an earlier copy: the lost service may have posted another event under it', () =>
      expect(idAfter('2026-11-23T09:00:00.000Z')).toMatch(/^p1-1-2-parked-\w+$/));
  });
});
