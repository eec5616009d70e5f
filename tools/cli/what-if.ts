/** `leadgate what-if`: prepares stored leads with the current and with new settings, and reports the differences. */
import { Client } from '@temporalio/client';
import { startTrail } from '../../src/audit/start';
import { withSettings, type Config } from '../../src/config/config';
import { claimDataVersion } from '../../src/config/data-version';
import { sandboxPort, upstreamsOf, type Upstreams } from '../../src/config/upstreams';
import { siteSystemFlows } from '../../src/domain/lead';
import { createStoredLeadPreparation } from './prepare-stored-lead';
import { createEffects, type SettingsEffects } from './what-if-effects';
import type { KeyRing } from '../../src/keys/ring';
import { createLeadList } from '../../src/leads/lead-list';
import { createSearch } from '../../src/leads/search';
import { storedLeads } from '../../src/leads/stored-leads';
import { connect, dataConverter } from '../../src/temporal/engine';
import { command, statuses, CommandError, type Io } from './command';
import { requireKeys } from './keyring';
import { moment, timeForms } from './lead-filters';
import { json, lineStart } from './print';
import { program } from './program';
import { withPlainErrors } from './replay';
import { effectLines } from './what-if-report';

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

/** The setting of each option, and the flows that it affects. */
const concerns: Readonly<Record<keyof typeof newSettings, { readonly setting: keyof Config; readonly flows: readonly string[] }>> = {
  sites: { setting: 'LEADFORMS_SITES_FILE', flows: leadforms },
  'campaign-template': { setting: 'LEADFORMS_CAMPAIGN_TEMPLATE', flows: leadforms },
  'screening-maps': { setting: 'SCREENING_MAPS_FILE', flows: ['screening'] },
  'v1-field-map': { setting: 'CLINICSYS_V1_FIELD_MAP', flows: siteSystemFlows },
};

export const whatIf = command({
  name: 'what-if',
  group: 'Proof',
  summary: 'Show how other sites, words or field names would change the leads of the last days',
  about: [
    'Prepares the newest input of each lead with the settings of this machine and with the new ones. It sends nothing, reads the engine, needs the keys, and is recorded on the audit trail.',
    'Status 1 if a lead would become invalid. With --exit-on-change, status 3 if none would, and a lead would be sent differently or become valid.',
    'Business terms and settings are shown, all other values are masked.',
  ],
  options: {
    ...newSettings,
    since: { type: 'string', value: 'time', about: `leads accepted or redriven since this time (7d): ${timeForms}` },
    limit: { type: 'string', value: 'number', about: 'the most leads to check, the newest first' },
    'exit-on-change': { type: 'boolean', about: 'status 3 if leads change and none becomes invalid' },
  },
  examples: ['what-if --sites new-sites.json', `what-if --v1-field-map '{"Zip":"PostalCode"}' --since 2d --exit-on-change --json`],
  async run({ io, options, config }) {
    const since = moment('since', options.since ?? '7d');
    const limit = limitOf(options.limit);
    const settings = config();
    const keys = requireKeys(settings);
    claimDataVersion(settings);
    const given = Object.entries(concerns).map(([option, concern]) => ({ ...concern, value: options[option as keyof typeof concerns] }));
    const { flows, changed } = applyNewSettings(settings, given);
    const comparison = { io, keys, current: prepareSettings(settings), changed: prepareSettings(changed), flows, since, limit };
    const effects = await withPlainErrors(() => audited(comparison, () => compare(comparison)));
    const { becomesInvalid, becomesValid, changed: sentOtherwise } = effects.counts;
    const looked = Object.values(effects.counts).reduce((sum, count) => sum + count, 0);
    const report = { since, flows, looked };
    io.out(options.json ? json({ success: becomesInvalid === 0, ...report, ...effects }) : effectLines(io, report, effects));
    if (becomesInvalid > 0) return statuses.no;
    return options['exit-on-change'] && sentOtherwise + becomesValid > 0 ? statuses.changed : statuses.done;
  },
});

type NewSetting = (typeof concerns)[keyof typeof concerns] & { readonly value?: string };

/** Applies the new settings, and validates them as at a start. */
function applyNewSettings(settings: Config, all: readonly NewSetting[]): { changed: Config; flows: readonly string[] } {
  const given = all.filter(({ value }) => value !== undefined);
  if (given.length === 0) {
    const options = Object.keys(newSettings).map((name) => `--${name}`);
    throw new CommandError(`Name at least one new setting: ${options.join(', ')}; see ${program} what-if --help`);
  }
  const changed = withSettings(settings, Object.fromEntries(given.map(({ setting, value = '' }) => [setting, value])));
  return { changed, flows: [...new Set(given.flatMap(({ flows }) => flows))] };
}

interface PreparedSettings {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly prepare: ReturnType<typeof createStoredLeadPreparation>;
}

/** Reads the files that the settings name. The sandbox replaces missing upstreams as in `npm start`. */
function prepareSettings(config: Config): PreparedSettings {
  const upstreams = upstreamsOf(config, sandboxPort(config, 'on'));
  return { config, upstreams, prepare: createStoredLeadPreparation(config, upstreams) };
}

interface Comparison {
  readonly io: Io;
  readonly keys: KeyRing;
  readonly current: PreparedSettings;
  readonly changed: PreparedSettings;
  readonly flows: readonly string[];
  readonly since: string;
  readonly limit: number;
}

async function compare({ io, keys, current: asIs, changed: asNew, flows, since, limit }: Comparison): Promise<SettingsEffects> {
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
      if (io.stopped.aborted) throw new CommandError(`stopped after ${looked}`);
      if (looked >= limit) break;
    }
    if (io.isTerminal) io.err(lineStart);
    return effects.read();
  } finally {
    await connection.close();
  }
}

/** Writes to the audit trail before stored leads are read, and afterwards with the counts. */
async function audited({ keys, current: { config } }: Comparison, read: () => Promise<SettingsEffects>): Promise<SettingsEffects> {
  const facts = { who: 'local', action: 'what-if' };
  const trail = await startTrail(config, keys);
  try {
    const requestEntry = await trail.write({ ...facts, outcome: 'asked' }).catch(() => {
      throw new CommandError('The audit trail cannot be written: nothing was read');
    });
    const effects = await read().catch(async (error: unknown) => {
      await trail.write({ ...facts, outcome: 'incomplete', of: requestEntry });
      throw error;
    });
    await trail.write({ ...facts, outcome: 'done', of: requestEntry, ...effects.counts });
    return effects;
  } finally {
    await trail.close();
  }
}

function limitOf(given?: string): number {
  if (given === undefined) return Infinity;
  if (!/^[1-9]\d{0,6}$/.test(given)) throw new CommandError(`--limit must be a number; see ${program} what-if --help`);
  return Number(given);
}
