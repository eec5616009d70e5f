/** Creates a namespace for one test file, for tests that list or count all leads. */
import { Connection } from '@temporalio/client';
import { prepareNamespace } from '../../src/temporal/namespace';
import { searchAttributes } from '../../src/temporal/engine';
import { testEngine } from './engine';

/** Leads in the shared namespace are encrypted with the keys of other files. */
export async function ownNamespace(name: string, address = testEngine().address, retentionH = 24): Promise<string> {
  const connection = await Connection.connect({ address });
  await prepareNamespace(connection, { namespace: name, retentionH, searchAttributes });
  await connection.close();
  return name;
}
