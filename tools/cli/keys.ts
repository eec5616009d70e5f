/** `leadgate keys …`: shows and changes the key ring. It never prints a key, except a new one that must be set by hand. */
import { startTrail } from '../../src/audit/start';
import type { Config } from '../../src/config/config';
import { claimDataVersion } from '../../src/config/data-version';
import { withNewKey, withoutKey, type KeyChange, type KeyUse } from '../../src/keys/key-change';
import { saveKeys } from '../../src/keys/key-file';
import { readKeys } from '../../src/keys/ring';
import { keyUse } from '../../src/runtime/key-use';
import { connect } from '../../src/temporal/engine';
import { command, statuses, type Call, type Command, type Status } from './command';
import { givenKeys } from './keyring';
import { columns, json } from './print';

const group = 'Safety';
const connectMs = 3_000;
const restart = 'Start every API and every worker again to use it.';

type Change = Pick<Call, 'io' | 'config'> & { readonly options: { readonly json?: boolean } };

async function useOf(config: Config): Promise<KeyUse[]> {
  const keys = givenKeys(config);
  const engine = await connect(config, connectMs);
  try {
    return await keyUse(engine, keys, config.TASK_QUEUE);
  } finally {
    await engine.connection.close();
  }
}

/** Changes the ring. Like all actions of operators, it is written to the audit trail first. */
async function change({ io, options, config }: Change, action: string, make: (written: string) => Promise<KeyChange>): Promise<Status> {
  const settings = config();
  const keys = givenKeys(settings);
  claimDataVersion(settings);
  const { written, file } = readKeys(settings);
  const trail = await startTrail(settings, keys);
  try {
    const { id, written: changed } = await make(written);
    const asked = await trail.write({ who: 'local', action, outcome: 'asked', key: id });
    if (file) saveKeys(file, changed);
    await trail.write({ who: 'local', action, outcome: file ? 'done' : 'shown', key: id, of: asked });
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
  summary: 'The keys by id and fingerprint, the one that writes first',
  examples: ['keys list'],
  async run({ io, options, config }) {
    const settings = config();
    const { current, fingerprints } = givenKeys(settings);
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
  summary: 'How many open and closed runs each key began; status 1 when some need a key that is not there',
  examples: ['keys check'],
  async run({ io, options, config }) {
    const use = await useOf(config());
    const strange = use.filter(({ id, open, closed }) => id === '' && open + closed > 0);
    if (options.json) io.out(json({ success: strange.length === 0, keys: use }));
    else
      io.out(
        `${columns([['key', 'open', 'closed'], ...use.map(({ id, open, closed }) => [id || 'not in the ring', `${open}`, `${closed}`])])}\n`,
      );
    return strange.length === 0 ? statuses.done : statuses.no;
  },
});

const add: Command = command({
  name: 'keys add',
  group,
  summary: 'A new key that writes from the next start on; the others go on reading',
  about: [
    'It needs a key ring; the service makes the first key when it starts. The new key goes into the keys file, or is shown if LEADGATE_KEYS holds the keys. Keep a copy elsewhere: without the keys, stored data cannot be read.',
    'With several machines all must have the new key before any of them writes with it: put the old key first for one round of starts, then the new one.',
  ],
  options: { id: { type: 'string', value: 'id', about: 'its name; k2, k3 and so on by default' } },
  examples: ['keys add', 'keys add --id 2027-01'],
  run: (call) => change(call, 'keys add', (written) => Promise.resolve(withNewKey(written, call.options.id))),
});

const retire: Command = command({
  name: 'keys retire',
  group,
  summary: 'Take a key out that no stored run needs any more',
  about: ['It is refused while runs that it began, or that an older key began, are open or kept. Ids and searches stay as they are.'],
  args: [{ name: 'id', about: 'the key, as keys list calls it' }],
  examples: ['keys retire k1'],
  run: (call) => change(call, 'keys retire', async (written) => withoutKey(written, call.args[0] ?? '', await useOf(call.config()))),
});

export const keyCommands: readonly Command[] = [list, check, add, retire];
