import { endpointTable } from '../../src/contract';
import * as workflows from '../../src/workflows';

describe('the table of endpoints', () => {
  const carried = endpointTable.filter(([, { carried: how }]) => how !== 'here');

  it('has a workflow for every row that a run carries, by the same name', () => {
    expect(carried.map(([name]) => name).filter((name) => !(name in workflows))).toEqual([]);
  });

  it('names a flow for every lead, so that it can be found', () =>
    expect(carried.filter(([, { carried: how, flow }]) => how === 'lead' && !flow)).toEqual([]));

  it('has no path twice', () => {
    const paths = endpointTable.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(paths).size).toBe(paths.length);
  });
});
