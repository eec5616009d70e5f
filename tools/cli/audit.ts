/** `leadgate audit …`: lists the audit trail through the API, and verifies the files of the trail on this machine. */
import { resolve } from 'node:path';
import { auditDir } from '../../src/audit/lines';
import { verifyTrail } from '../../src/audit/verify';
import type { ListAuditOutput } from '../client/generated/operators';
import { command, statuses, CommandError, type Command, type Option } from './command';
import { gatewayOf } from './gateway';
import { requireKeys, requireDataDir } from './keyring';
import { columns, json, onOneLine, pluralize, shortTime } from './print';

const group = 'Safety';

const by = (about: string, value: string) => ({ type: 'string', about, value }) as const satisfies Option;

type Evidence = NonNullable<ListAuditOutput['entries'][number]['evidence']>;

function describeEvidence({ reason, upstreamId, changed = {}, erased, unreadable }: Evidence): string {
  const written = (value: unknown) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));
  const changes = Object.entries(changed).map(([field, { before, after }]) => `${field}: ${written(before)} → ${written(after)}`);
  const parts = [reason, upstreamId && `upstream id ${upstreamId}`, ...changes, erased && 'evidence erased', unreadable];
  return onOneLine(parts.filter(Boolean).join('; '));
}

const list = command({
  name: 'audit list',
  group,
  summary: 'List who did what to leads, people and keys, and why, newest first',
  options: {
    since: by('entries from this time on: 2026-11-21 or 2026-11-21T14:00Z', 'time'),
    until: by('entries up to this time', 'time'),
    lead: by('entries about this lead', 'leadId'),
    action: by('entries of this action: resend, confirm, discard, redrive, erase, decode, read in clear, …', 'word'),
    limit: by('the most entries to list (100)', 'number'),
    clear: { type: 'boolean', about: 'show the changed values in clear; the audit trail records it' },
  },
  examples: ['audit list', 'audit list --action erase --json'],
  async run({ io, options, config }) {
    const { since, until, lead: leadId, action, limit } = options;
    const answer = await gatewayOf(config(), io.stopped).operators.listAudit({
      ...{ since, until, leadId, action, limit },
      clear: options.clear ? 'true' : undefined,
    });
    const cell = (value: unknown) => (value === undefined ? '' : String(value));
    const rows = answer.entries.map(({ at, who, action, outcome, leadId, upstream, instance, route, evidence }) => [
      shortTime(at),
      cell(who),
      cell(action),
      cell(outcome),
      leadId === undefined ? [upstream, instance, route].filter(Boolean).join(' ') : cell(leadId),
      evidence ? describeEvidence(evidence) : '',
    ]);
    if (options.json) io.out(json(answer));
    else io.out(rows.length > 0 ? `${columns(rows)}\n` : 'No entry of the audit trail matches.\n');
    return statuses.done;
  },
});

const verify: Command = command({
  name: 'audit verify',
  group,
  summary: 'Verify the audit trail of this machine; status 1 if it is broken or missing',
  about: ['Reads the files in LEADGATE_DATA_DIR/audit. Needs the keys, not the API.'],
  examples: ['audit verify'],
  async run({ io, options, config }) {
    const settings = config();
    requireDataDir(settings);
    const keys = requireKeys(settings);
    const dir = auditDir(resolve(settings.LEADGATE_DATA_DIR));
    const verdict = await verifyTrail(dir, keys);
    const { files, entries, problems, notes } = verdict;
    if (files === 0)
      throw new CommandError(
        `There is no audit trail at ${dir}. The first operator action creates it; if there was one, its files were removed`,
        statuses.no,
      );
    const isWhole = problems.length === 0;
    if (options.json) io.out(json({ success: isWhole, ...verdict }));
    else {
      io.out([...problems, ...notes.map((note) => `note: ${note}`)].map((line) => `${line}\n`).join(''));
      io.out(`${isWhole ? 'whole' : 'broken'}: ${pluralize(entries, 'entry', 'entries')} in ${pluralize(files, 'file')}\n`);
    }
    return isWhole ? statuses.done : statuses.no;
  },
});

export const audits: readonly Command[] = [list, verify];
