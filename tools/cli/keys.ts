/** `leadgate keys …`: shows and changes the key ring. It prints a key only if it is new and must be set by hand. */
import { startTrail } from '../../src/audit/start';
import type { Config } from '../../src/config/config';
import { claimDataVersion } from '../../src/config/data-version';
import { withNewKey, withoutKey, type KeyChange, type KeyUse } from '../../src/keys/key-change';
import { saveKeys } from '../../src/keys/key-file';
import { readKeys } from '../../src/keys/ring';
import { keyUse } from '../../src/runtime/key-use';
import { connect } from '../../src/temporal/engine';
import { command, statuses, type Invocation, type Command, type ExitStatus } from './command';
import { evidenceUse, requireKeys } from './keyring';
import { columns, json } from './print';

const group = 'Safety';
const connectMs = 3_000;
const restart = 'Restart every API and every worker to use it.';

type KeyCommand = Pick<Invocation, 'io' | 'config'> & { readonly options: { readonly json?: boolean } };

async function useOf(config: Config): Promise<KeyUse[]> {
  const keys = requireKeys(config);
  const engine = await connect(config, connectMs);
  try {
    const use = await keyUse(engine, keys, config.TASK_QUEUE);
    const evidence = await evidenceUse(config, keys);
    return use.map((each) => ({ ...each, evidence: evidence.get(each.id) ?? 0 }));
  } finally {
    await engine.connection.close();
  }
}

/** Changes the key ring. Like every operator action, it is written to the audit trail first. */
async function change(
  { io, options, config }: KeyCommand,
  action: string,
  make: (written: string) => Promise<KeyChange>,
): Promise<ExitStatus> {
  const settings = config();
  const keys = requireKeys(settings);
  claimDataVersion(settings);
  const { written, file } = readKeys(settings);
  const trail = await startTrail(settings, keys);
  try {
    const { id, written: changed } = await make(written);
    const requestEntry = await trail.write({ who: 'local', action, outcome: 'asked', key: id });
    if (file) saveKeys(file, changed);
    await trail.write({ who: 'local', action, outcome: file ? 'done' : 'shown', key: id, of: requestEntry });
    const value = changed.replaceAll('\n', ',');
    if (options.json) io.out(json({ success: true, key: id, ...(file ? { file } : { LEADGATE_KEYS: value }) }));
    else if (file) io.out(`${action}: ${id}, in ${file}\n${restart}\n`);
    else io.out(`Set this:\n\nLEADGATE_KEYS=${value}\n\n${restart}\n`);
    return statuses.done;
  } finally {
    await trail.close();
  }
}

const list: Command = command({
  name: 'keys list',
  group,
  summary: 'List the keys by id and fingerprint, the encrypting key first',
  examples: ['keys list'],
  async run({ io, options, config }) {
    const settings = config();
    const { current, fingerprints } = requireKeys(settings);
    const keys = [...fingerprints].map(([id, mark]) => ({ id, fingerprint: mark.split(':')[1] ?? '', writes: id === current.id }));
    io.out(
      options.json
        ? json({ success: true, keys })
        : `${columns(keys.map(({ id, fingerprint, writes }) => [id, fingerprint, writes ? 'writes' : 'reads']))}\n`,
    );
    return statuses.done;
  },
});

const check: Command = command({
  name: 'keys check',
  group,
  summary: 'Count the open and closed runs of each key, and its evidence on the audit trail; status 1 if a missing key is needed',
  examples: ['keys check'],
  async run({ io, options, config }) {
    const use = await useOf(config());
    const missing = use.filter(({ id, open, closed, evidence = 0 }) => id === '' && open + closed + evidence > 0);
    if (options.json) io.out(json({ success: missing.length === 0, keys: use }));
    else
      io.out(
        `${columns([
          ['key', 'open', 'closed', 'evidence'],
          ...use.map(({ id, open, closed, evidence }) => [id || 'not in the ring', `${open}`, `${closed}`, `${evidence}`]),
        ])}\n`,
      );
    return missing.length === 0 ? statuses.done : statuses.no;
  },
});

const add: Command = command({
  name: 'keys add',
  group,
  summary: 'Add a key that encrypts after the next start; the others still decrypt',
  about: [
    'Requires a key ring: the service creates the first key at its start. The new key is written to the keys file, or printed if the keys are in LEADGATE_KEYS. Keep a copy elsewhere: without the keys, stored data cannot be read.',
    'With several machines, all must have the new key before one encrypts with it: put the old key first and restart all, then the new key.',
  ],
  options: { id: { type: 'string', value: 'id', about: 'its name; k2, k3 and so on by default' } },
  examples: ['keys add', 'keys add --id 2027-01'],
  run: (call) => change(call, 'keys add', (written) => Promise.resolve(withNewKey(written, call.options.id))),
});

const retire: Command = command({
  name: 'keys retire',
  group,
  summary: 'Remove a key that no stored run needs',
  about: [
    'Refused while runs of this key or of an older key are open or retained, or while the audit trail of this machine has evidence of this key. Lead ids and searches do not change.',
    'If several machines have an audit trail, run keys check on each of them first.',
  ],
  args: [{ name: 'id', about: 'the id of the key, from keys list' }],
  examples: ['keys retire k1'],
  run: (call) => change(call, 'keys retire', async (written) => withoutKey(written, call.args[0] ?? '', await useOf(call.config()))),
});

export const keyCommands: readonly Command[] = [list, check, add, retire];
