/**
 * Checks at a start that the key ring fits the stored runs, and counts the runs of each key. The fingerprint of its key is stored with each
 * run, so a count by the engine is enough.
 */
import { Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../config/config';
import type { KeyUse } from '../keys/key-change';
import type { KeyRing } from '../keys/ring';
import { indexLagMs } from '../leads/search';
import { codeOf } from '../lib/errors';
import { log } from '../lib/log';
import { attributeIn, attributes, type Engine } from '../temporal/engine';

const { name: mark } = attributes.key;
const isOpen = `ExecutionStatus = 'Running'`;
const isClosed = `ExecutionStatus != 'Running'`;
/** The gRPC codes if the namespace or its search attributes do not exist yet, so that no run exists. */
const namespaceMissing: readonly unknown[] = [3, 5];

const ofQueue = (taskQueue: string) => `TaskQueue = '${taskQueue}'`;

/** The condition for runs that were started with a key outside of this ring. */
const isOfOtherKey = (keys: KeyRing) =>
  [`${mark} IS NOT NULL`, ...[...keys.fingerprints.values()].map((known) => `${mark} != '${known}'`)].join(' AND ');

async function countOf(client: Client, ...conditions: string[]): Promise<number> {
  const { namespace } = client.options;
  return Number((await client.workflowService.countWorkflowExecutions({ namespace, query: conditions.join(' AND ') })).count);
}

/** Returns one of these runs without its memo, whose key may be missing. */
async function oneOf(
  client: Client,
  ...conditions: string[]
): Promise<(Pick<WorkflowExecutionInfo, 'startTime'> & { mark: string }) | undefined> {
  const { namespace } = client.options;
  const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, pageSize: 1, query: conditions.join(' AND ') });
  const [found] = executions ?? [];
  const value = attributeIn(found?.searchAttributes?.indexedFields?.[mark]);
  if (!found || value === undefined) return undefined;
  const seconds = Number(found.startTime?.seconds ?? 0) * 1000 + (found.startTime?.nanos ?? 0) / 1e6;
  return { startTime: new Date(seconds), mark: String(value) };
}

/**
 * Throws if this ring cannot decrypt open runs, or would derive other ids than those of the stored runs. Changes nothing. Closed runs that it
 * cannot decrypt are only logged.
 */
export async function assertKeysFit(engine: Engine, keys: KeyRing, taskQueue: string): Promise<void> {
  const client = new Client(engine);
  try {
    const queue = ofQueue(taskQueue);
    const open = await countOf(client, queue, isOpen, isOfOtherKey(keys));
    const unknown = await oneOf(client, queue, ...(open > 0 ? [isOpen] : []), isOfOtherKey(keys));
    if (!unknown) return;
    // An older open run may have payloads of the missing key, even if it was started with another key.
    const older = open > 0 ? open : await countOf(client, queue, isOpen, `StartTime <= '${unknown.startTime.toISOString()}'`);
    if (older > 0) throw new ConfigError(refusal(unknown.mark, older === 1 ? '1 open run' : `${older} open runs`, keys));
    // Another hash key would change every id, so repeats would be sent again. The last closed run shows which hash key was in use.
    const last = await oneOf(client, queue, isClosed, `${mark} IS NOT NULL`);
    if (last && hasOtherHashes(last.mark, keys)) throw new ConfigError(refusal(last.mark, 'the runs that are stored', keys));
    const key = partsOf(unknown.mark).id;
    if (!hasOtherHashes(unknown.mark, keys)) log.warn('these encryption keys cannot decrypt some closed runs', { key });
    if (partsOf(unknown.mark).hashPrint !== partsOf(keys.fingerprints.get(keys.current.id) ?? '').hashPrint)
      log.warn('repeats of some closed runs would be sent again: their ids were made with another key', { key });
  } catch (error) {
    if (!namespaceMissing.includes(codeOf(error))) throw error;
  }
}

function partsOf(mark: string) {
  const [id = '', print = '', hashPrint = ''] = mark.split(':');
  return { id, print, hashPrint };
}

/** True if a run was started with a key of this ring, but another hash key. */
function hasOtherHashes(marked: string, keys: KeyRing): boolean {
  const { id, print, hashPrint } = partsOf(marked);
  const own = partsOf(keys.fingerprints.get(id) ?? '');
  return own.print === print && own.hashPrint !== hashPrint;
}

function refusal(marked: string, runs: string, keys: KeyRing): string {
  const { id, print, hashPrint } = partsOf(marked);
  const { print: ownPrint, hashPrint: ownHashPrint } = partsOf(keys.fingerprints.get(id) ?? '');
  const what = !ownPrint
    ? `the encryption key "${id}" is needed, which is not in LEADGATE_KEYS (fingerprint ${print})`
    : ownPrint !== print
      ? `an encryption key "${id}" with the fingerprint ${print} is needed; the "${id}" of this ring is another key (${ownPrint})`
      : `ids and searches were made with another key (fingerprint ${hashPrint}; this ring has ${ownHashPrint}), so repeats would not be recognised`;
  return [
    `This start is refused: for ${runs} ${what}.`,
    '  Nothing was changed or deleted. Put that key back, at the end of LEADGATE_KEYS or its file, and start again;',
    '  a key may be removed when `leadgate keys check` counts no run for it: `leadgate keys retire` removes it without changing the hashes.',
  ].join('\n');
}

/** Counts the runs that were started with each key of the ring; the empty id is for all other keys. */
export async function keyUse(engine: Engine, keys: KeyRing, taskQueue: string): Promise<KeyUse[]> {
  // After the lag, runs that have just started are counted, too.
  await pause(indexLagMs);
  const client = new Client(engine);
  const queue = ofQueue(taskQueue);
  const rows = [...[...keys.fingerprints].map(([id, known]) => [id, `${mark} = '${known}'`] as const), ['', isOfOtherKey(keys)] as const];
  return Promise.all(
    rows.map(async ([id, condition]) => ({
      id,
      open: await countOf(client, queue, isOpen, condition),
      closed: await countOf(client, queue, isClosed, condition),
    })),
  );
}
