/** `leadgate what-if`: prepares stored leads with the settings as they are and with new ones, and tells what differs. */
import { Client } from '@temporalio/client';
import { startTrail } from '../../src/audit/start';
import { withSettings, type Config } from '../../src/config/config';
import { claimDataVersion } from '../../src/config/data-version';
import { sandboxPort, upstreamsOf, type Upstreams } from '../../src/config/upstreams';
import { instant } from '../../src/contract/fields';
import { siteSystemFlows } from '../../src/domain/lead';
import { createPrepareAgain } from './prepare-again';
import { createEffects, type Effects } from './what-if-effects';
import type { KeyRing } from '../../src/keys/ring';
import { createLeadList } from '../../src/leads/lead-list';
import { createSearch } from '../../src/leads/search';
import { storedLeads } from '../../src/leads/stored-leads';
import { connect, dataConverter } from '../../src/temporal/engine';
import { command, statuses, Unable, type Io } from './command';
import { givenKeys } from './keyring';
import { moment, timeForms } from './lead-filters';
import { json, lineStart } from './print';
import { program } from './program';
import { readably } from './replay';
import { effectLines } from './what-if-words';

const connectMs = 2_000;
const leadforms = ['leadforms', 'leadforms-sandbox'] as const;
const file = { type: 'string', value: 'file', file: true } as const;

/** The options that are new settings. */
const newSettings = {
  sites: { ...file, about: 'a new LEADFORMS_SITES_FILE' },
  'campaign-template': { type: 'string', value: 'text', about: 'a new LEADFORMS_CAMPAIGN_TEMPLATE' },
  'screening-maps': { ...file, about: 'a new SCREENING_MAPS_FILE' },
  'v1-field-map': { type: 'string', value: 'json', about: 'a new CLINICSYS_V1_FIELD_MAP' },
} as const;

/** The setting of each of these options, and the flows that it concerns. */
const concerns: Readonly<Record<keyof typeof newSettings, { readonly setting: keyof Config; readonly flows: readonly string[] }>> = {
  sites: { setting: 'LEADFORMS_SITES_FILE', flows: leadforms },
  'campaign-template': { setting: 'LEADFORMS_CAMPAIGN_TEMPLATE', flows: leadforms },
  'screening-maps': { setting: 'SCREENING_MAPS_FILE', flows: ['screening'] },
  'v1-field-map': { setting: 'CLINICSYS_V1_FIELD_MAP', flows: siteSystemFlows },
};

export const whatIf = command({
  name: 'what-if',
  group: 'Proof',
  summary: 'Would other sites, words or field names change or break the leads of the last days? Nothing is sent',
  about: [
    'The newest input of each lead is prepared with the settings of this machine and with the new ones. It reads the engine, needs the keys, and goes on the audit trail.',
    'Status 1 when a lead would become invalid. With --exit-on-change status 3 when none would, and one would be sent otherwise or become valid.',
    'Business terms and settings are shown, all other values are masked.',
  ],
  options: {
    ...newSettings,
    since: { type: 'string', value: 'time', about: `leads that came, or were redriven, since then (7d): ${timeForms}` },
    limit: { type: 'string', value: 'number', about: 'at most so many, the newest' },
    'exit-on-change': { type: 'boolean', about: 'status 3 when leads change and none becomes invalid' },
  },
  examples: ['what-if --sites new-sites.json', `what-if --v1-field-map '{"Zip":"PostalCode"}' --since 2d --exit-on-change --json`],
  async run({ io, options, config }) {
    const since = sinceOf(options.since);
    const limit = limitOf(options.limit);
    const settings = config();
    const keys = givenKeys(settings);
    claimDataVersion(settings);
    const given = Object.entries(concerns).map(([option, concern]) => ({ ...concern, value: options[option as keyof typeof concerns] }));
    const { flows, changed } = withNew(settings, given);
    const asked = { io, keys, asIs: sideOf(settings), asNew: sideOf(changed), flows, since, limit };
    const effects = await readably(() => audited(asked, () => compare(asked)));
    const { becomesInvalid, becomesValid, changed: sentOtherwise } = effects.counts;
    const looked = Object.values(effects.counts).reduce((sum, count) => sum + count, 0);
    const told = { since, flows, looked };
    io.out(options.json ? json({ success: becomesInvalid === 0, ...told, ...effects }) : effectLines(io, told, effects));
    if (becomesInvalid > 0) return statuses.no;
    return options['exit-on-change'] && sentOtherwise + becomesValid > 0 ? statuses.changed : statuses.done;
  },
});

type New = (typeof concerns)[keyof typeof concerns] & { readonly value?: string };

/** The settings with the new ones in them. A wrong one is refused as at a start. */
function withNew(settings: Config, all: readonly New[]): { changed: Config; flows: readonly string[] } {
  const given = all.filter(({ value }) => value !== undefined);
  if (given.length === 0) {
    const options = Object.keys(newSettings).map((name) => `--${name}`);
    throw new Unable(`Name what would be new: ${options.join(', ')}; see ${program} what-if --help`);
  }
  const changed = withSettings(settings, Object.fromEntries(given.map(({ setting, value = '' }) => [setting, value])));
  return { changed, flows: [...new Set(given.flatMap(({ flows }) => flows))] };
}

interface Side {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly prepare: ReturnType<typeof createPrepareAgain>;
}

/** Reads the files that the settings name. The sandbox stands in as in `npm start`. */
function sideOf(config: Config): Side {
  const upstreams = upstreamsOf(config, sandboxPort(config, 'on'));
  return { config, upstreams, prepare: createPrepareAgain(config, upstreams) };
}

interface Asked {
  readonly io: Io;
  readonly keys: KeyRing;
  readonly asIs: Side;
  readonly asNew: Side;
  readonly flows: readonly string[];
  readonly since: string;
  readonly limit: number;
}

async function compare({ io, keys, asIs, asNew, flows, since, limit }: Asked): Promise<Effects> {
  const { connection, namespace } = await connect(asIs.config, connectMs);
  try {
    const client = new Client({ connection, namespace, dataConverter: dataConverter(keys) });
    const list = createLeadList(createSearch(client), keys, asIs.upstreams);
    const effects = createEffects();
    let looked = 0;
    for await (const lead of storedLeads(client, list, { flows, since })) {
      effects.add(lead, asIs.prepare(lead), asNew.prepare(lead));
      looked++;
      if (io.isTerminal) io.err(`${lineStart}${looked} `);
      if (io.stopped.aborted) throw new Unable(`stopped after ${looked}`);
      if (looked >= limit) break;
    }
    if (io.isTerminal) io.err(lineStart);
    return effects.read();
  } finally {
    await connection.close();
  }
}

/** Notes on the audit trail that stored leads are read: before it, and afterwards how many. */
async function audited({ keys, asIs: { config } }: Asked, read: () => Promise<Effects>): Promise<Effects> {
  const facts = { who: 'local', action: 'what-if' };
  const trail = await startTrail(config, keys);
  try {
    const asked = await trail.write({ ...facts, outcome: 'asked' }).catch(() => {
      throw new Unable('The audit trail cannot be written: nothing was read');
    });
    const effects = await read().catch(async (error: unknown) => {
      await trail.write({ ...facts, outcome: 'incomplete', of: asked });
      throw error;
    });
    await trail.write({ ...facts, outcome: 'done', of: asked, ...effects.counts });
    return effects;
  } finally {
    await trail.close();
  }
}

function sinceOf(given = '7d'): string {
  const { data } = instant().safeParse(moment(given));
  if (data === undefined) throw new Unable(`--since must be a time: ${timeForms}; see ${program} what-if --help`);
  return data;
}

function limitOf(given?: string): number {
  if (given === undefined) return Infinity;
  if (!/^[1-9]\d{0,6}$/.test(given)) throw new Unable(`--limit must be a number; see ${program} what-if --help`);
  return Number(given);
}
