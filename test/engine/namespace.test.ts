import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { prepareNamespace, type EngineConnection } from '../../src/engine/namespace';
import { testEngine } from '../support/engine';

let connection: Connection;
beforeAll(async () => (connection = await Connection.connect({ address: testEngine().address })));
afterAll(() => connection.close());

const wanted = (retentionH = 48) => ({
  namespace: `n-${randomUUID()}`,
  retentionH,
  searchAttributes: { Colour: 'Keyword', Made: 'Datetime' } as const,
});

async function retentionOf(namespace: string): Promise<number> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  return Number(config?.workflowExecutionRetentionTtl?.seconds) / 3600;
}

it('makes a namespace that can be used at once, search attributes included', async () => {
  const settings = wanted();
  await prepareNamespace(connection, settings);
  const client = new Client({ connection, namespace: settings.namespace });
  const typedSearchAttributes = [{ key: defineSearchAttributeKey('Colour', 'KEYWORD'), value: 'red' }];
  await client.workflow.start('any', { workflowId: 'one', taskQueue: 'none', typedSearchAttributes });
  expect(await retentionOf(settings.namespace)).toBe(48);
});

it('changes nothing the second time, and adds what is new', async () => {
  const settings = wanted();
  await prepareNamespace(connection, settings);
  await prepareNamespace(connection, settings);
  await prepareNamespace(connection, { ...settings, searchAttributes: { ...settings.searchAttributes, Shape: 'Keyword' } });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: settings.namespace });
  expect(Object.keys(customAttributes).sort()).toEqual(['Colour', 'Made', 'Shape']);
});

it('follows the retention setting up and down', async () => {
  const settings = wanted();
  for (const retentionH of [48, 168, 24]) {
    await prepareNamespace(connection, { ...settings, retentionH });
    expect(await retentionOf(settings.namespace)).toBe(retentionH);
  }
});

it('can be done by several processes at once', async () => {
  const settings = wanted();
  await Promise.all(Array.from({ length: 4 }, () => prepareNamespace(connection, settings)));
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: settings.namespace });
  expect(Object.keys(customAttributes).sort()).toEqual(['Colour', 'Made']);
});

it('says what to make by hand where it may not prepare anything', async () => {
  const refused = () => Promise.reject(Object.assign(new Error('operator service unavailable'), { code: 12 }));
  const cloud = { workflowService: connection.workflowService, operatorService: { listSearchAttributes: refused } };
  const settings = wanted();
  await expect(prepareNamespace(cloud as unknown as EngineConnection, settings)).rejects.toThrow(
    /by hand, with these search attributes:\s+Colour {2}Keyword/,
  );
});

it('refuses an attribute that has another type', async () => {
  const settings = wanted();
  await prepareNamespace(connection, settings);
  const changed = { ...settings, searchAttributes: { Made: 'Keyword', Shape: 'Keyword' } as const };
  await expect(prepareNamespace(connection, changed)).rejects.toThrow('Made Keyword');
});
