import { Connection } from '@temporalio/client';
import { prepareNamespace } from '../../src/engine/namespace';
import { searchAttributes } from '../../src/temporal/engine';
import { testEngine } from './engine';

/** A namespace that no other file's leads are in, for what lists or counts all of them: theirs are of other keys. */
export async function ownNamespace(name: string): Promise<string> {
  const connection = await Connection.connect({ address: testEngine().address });
  await prepareNamespace(connection, { namespace: name, retentionH: 24, searchAttributes });
  await connection.close();
  return name;
}
