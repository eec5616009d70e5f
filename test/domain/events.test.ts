import { eventOf, type LeadChange } from '../../src/domain/events';

const at = '2026-11-23T10:00:00.000Z';
const change: LeadChange = { type: 'lead.parked', attempt: 1, number: 2, at, leadId: 'p1', flow: 'recruit', state: 'parked' };
const idAfter = (copiedAt?: string) =>
  eventOf(change, { receivers: [], terms: {} }, copiedAt === undefined ? undefined : Date.parse(copiedAt)).id;

describe('the id of an event', () => {
  it('is the same each time', () => expect(idAfter()).toBe('p1-1-2-parked'));

  it('stays after a restore of a later copy', () => expect(idAfter('2026-11-23T11:00:00.000Z')).toBe('p1-1-2-parked'));

  it('is another after a restore of an earlier copy: the lost service may have told something else under it', () =>
    expect(idAfter('2026-11-23T09:00:00.000Z')).toMatch(/^p1-1-2-parked-\w+$/));
});
