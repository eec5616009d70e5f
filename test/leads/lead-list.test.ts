import { createLeadList } from '../../src/leads/lead-list';
import { parseKeyRing } from '../../src/keys/ring';

it('the count of failed leads is read again after a moment, though the index counts as many as before', async () => {
  const lists: string[] = [];
  const search = {
    caughtUp: async () => {},
    count: async (query: string) => (query.includes('lead-r') || query.includes("'failed'") ? 1 : 0),
    list: async (query: string) => {
      lists.push(query);
      return [];
    },
  };
  const keys = parseKeyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
  const { counts } = createLeadList(search as never, keys, { sites: () => undefined });
  const readBy = async () => {
    await counts({});
    return lists.splice(0).length;
  };
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
  expect(await readBy()).toBeGreaterThan(0);
  expect(await readBy()).toBe(0);
  clock.mockReturnValue(now + 10_001);
  expect(await readBy()).toBeGreaterThan(0);
  clock.mockRestore();
});
