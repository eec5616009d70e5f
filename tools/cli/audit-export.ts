/** `leadgate audit export`: copies the audit trail for an inspector. `leadgate audit key`: shows the key that copies are signed with. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { linesFromEnd } from '../../src/lib/lines-from-end';
import type { Leadgate } from '../client';
import { createOutput } from '../copies/lines';
import type { Form } from '../copies/write';
import { command, statuses, type Io } from './command';
import { copyTo, out } from './copy';
import { gatewayOf } from './gateway';
import { clear } from './lead-options';
import { span, timeForms } from './lead-filters';
import { json, lineStart, pluralize } from './print';
import { loadSigner } from './signing-key';
import { trailColumns } from './trail-columns';
import { trailPages, type TrailEntry, type TrailFilter } from './trail-pages';

const group = 'Safety';

const form: Form<TrailEntry> = { columns: Object.values(trailColumns), trailLineOf: (entry) => entry };

export const exportAudit = command({
  name: 'audit export',
  group,
  summary: 'Copy the audit trail for an inspector: a page, a table, and a signed manifest that shows any change',
  about: [
    'Reasons and changed values are masked; with --clear they are in clear, which the service records on the trail.',
    'An erasure does not reach a copy.',
    'The copy is signed with AUDIT_SIGNING_KEY, or with a key that is made once in the data directory; audit key shows its fingerprint.',
  ],
  options: {
    since: { type: 'string', value: 'time', about: `entries of this time or later: ${timeForms}; by default from the beginning` },
    until: { type: 'string', value: 'time', about: 'entries of this time or earlier; by default until now' },
    lead: { type: 'string', value: 'leadId', about: 'only entries about this lead' },
    clear,
    out,
  },
  examples: ['audit export --since 2026-07-01 --until 2026-10-01 --out audit-2026-q3'],
  async run({ io, options, config }) {
    const { lead: leadId, out: dir = '' } = options;
    const { since, until } = span(options);
    const settings = config();
    const gateway = gatewayOf(settings, io.stopped);
    const filter = {
      since,
      until: notAfterNow(until),
      leadId,
      clear: options.clear === true,
    };
    const entriesIn = (place: string) => oldestFirst(io, gateway, filter, place);
    return copyTo({ io, config: settings, gateway, options }, { dir, form, about: { what: 'audit trail', ...filter }, entriesIn });
  },
});

/** The copy must not claim a time that is still to come. */
function notAfterNow(until: string | undefined): string {
  const now = new Date().toISOString();
  return until !== undefined && until < now ? until : now;
}

/** The API lists the newest first. The pages go into a file, which is then read from its end, so that a long trail needs little memory. */
async function* oldestFirst(io: Io, gateway: Leadgate, filter: TrailFilter, dir: string): AsyncGenerator<TrailEntry> {
  const name = '.newest-first';
  const pages = await createOutput(dir, name);
  try {
    let read = 0;
    for await (const page of trailPages(gateway, filter)) {
      for (const entry of page) await pages.write(`${JSON.stringify(entry)}\n`);
      read += page.length;
      if (io.isTerminal) io.err(`${lineStart}${pluralize(read, 'entry', 'entries')} read `);
    }
    if (io.isTerminal) io.err('\n');
    await pages.end();
  } finally {
    await pages.close();
  }
  for await (const line of linesFromEnd(join(dir, name))) yield JSON.parse(line) as TrailEntry;
  await rm(join(dir, name));
}

export const signingKey = command({
  name: 'audit key',
  group,
  summary: 'Show the public key that copies are signed with, and its fingerprint',
  about: ['Makes the key if there is none. Give an inspector the fingerprint before the first copy.'],
  examples: ['audit key'],
  run({ io, options, config }) {
    const { fingerprint, publicKey } = loadSigner(config());
    io.out(options.json ? json({ success: true, fingerprint, publicKey }) : `${fingerprint}\n${publicKey}`);
    return Promise.resolve(statuses.done);
  },
});
