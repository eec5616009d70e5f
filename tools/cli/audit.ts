/** `leadgate audit …`: lists the audit trail through the API, verifies the files of the trail on this machine, and verifies copies. */
import { resolve } from 'node:path';
import { auditDir } from '../../src/audit/lines';
import { verifyTrail } from '../../src/audit/verify';
import type { ListAuditOutput } from '../client/generated/operators';
import { verifyCopy } from '../copies/verify';
import { exportAudit, signingKey } from './audit-export';
import {
  command,
  statuses,
  throwAsCommandError,
  CommandError,
  type Command,
  type ExitStatus,
  type Invocation,
  type Option,
} from './command';
import { gatewayOf } from './gateway';
import { assertDirectory } from './given-files';
import { span, timeForms } from './lead-filters';
import { requireKeys, requireDataDir } from './keyring';
import { columns, json, onOneLine, pluralize, shortTime } from './print';
import { program } from './program';

const group = 'Safety';

const by = (about: string, value: string) => ({ type: 'string', about, value }) as const satisfies Option;

type Entry = ListAuditOutput['entries'][number];
type Evidence = NonNullable<Entry['evidence']>;

/** What an entry without a lead is about. */
function subjectOf({ upstream, instance, route, count, ...ids }: Entry): string {
  const order = ids.decisionId ?? ids.redriveId ?? ids.resendId ?? ids.reconciliationId ?? ids.importId;
  const leads = typeof count === 'number' && pluralize(count, 'lead');
  return [upstream, instance, route, order, leads].filter(Boolean).join(' ');
}

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
    since: by(`entries from this time on: ${timeForms}`, 'time'),
    until: by('entries up to this time', 'time'),
    lead: by('entries about this lead', 'leadId'),
    action: by('entries of this action: resend, confirm, discard, redrive, erase, decode, read in clear, …', 'word'),
    limit: by('the most entries to list (100)', 'number'),
    clear: { type: 'boolean', about: 'show the changed values in clear; the audit trail records it' },
  },
  examples: ['audit list', 'audit list --action erase --json'],
  async run({ io, options, config }) {
    const { lead: leadId, action, limit } = options;
    const answer = await gatewayOf(config(), io.stopped).operators.listAudit({
      ...{ ...span(options), leadId, action, limit },
      clear: options.clear ? 'true' : undefined,
    });
    const rows = answer.entries.map((entry) => [
      shortTime(entry.at),
      entry.address === undefined ? entry.who : `${entry.who} (${entry.address})`,
      entry.dryRun === true ? `${entry.action} (dry run)` : entry.action,
      entry.outcome ?? '',
      entry.leadId ?? subjectOf(entry),
      entry.evidence ? describeEvidence(entry.evidence) : '',
    ]);
    if (options.json) io.out(json(answer));
    else io.out(rows.length > 0 ? `${columns(rows)}\n` : 'No entry of the audit trail matches.\n');
    return statuses.done;
  },
});

const verifyOptions = {
  key: by('with <dir>: the fingerprint of the key that must have signed the copy', 'fingerprint'),
} as const;

const verify = command({
  name: 'audit verify',
  group,
  summary: 'Verify a copy of the audit trail, or without <dir> the trail of this machine; status 1 if it is broken or missing',
  about: [
    'With <dir>: verifies what audit export or lead dossier wrote, and names the first entry that was changed, cut, added or moved. Works on any machine: it needs no service, no settings and no keys.',
    'Without <dir>: reads the files in LEADGATE_DATA_DIR/audit. Needs the encryption keys, not the API.',
  ],
  args: [{ name: 'dir', about: 'the directory of the copy', optional: true, file: true }],
  options: verifyOptions,
  examples: ['audit verify', `audit verify audit-2026-q3 --key ${'4f'.repeat(32)}`],
  run: (call) => (call.args[0] ? verifyOfCopy(call, call.args[0]) : verifyOfTrail(call)),
});

type VerifyCall = Invocation<typeof verifyOptions>;

/** Fingerprints are often written in groups. */
function readFingerprint(given: string): string {
  const plain = given.toLowerCase().replaceAll(/[\s:]/g, '');
  if (!/^[0-9a-f]{64}$/.test(plain)) throw new CommandError('--key must be a fingerprint: 64 hexadecimal digits');
  return plain;
}

async function verifyOfCopy({ io, options }: VerifyCall, dir: string): Promise<ExitStatus> {
  const expected = options.key === undefined ? undefined : readFingerprint(options.key);
  assertDirectory(dir);
  const report = await verifyCopy(dir, expected).catch(throwAsCommandError);
  const { manifest, fingerprint, problems, notes } = report;
  const isWhole = problems.length === 0;
  if (options.json) io.out(json({ success: isWhole, isKeyExpected: expected !== undefined, ...report }));
  else {
    io.out([...problems, ...notes.map((note) => `note: ${note}`)].map((line) => `${onOneLine(line)}\n`).join(''));
    const what = manifest ? `: ${manifest.what}, ${pluralize(manifest.entries, 'entry', 'entries')}, made ${manifest.madeAt}` : '';
    io.out(`${isWhole ? 'whole' : 'broken'}${what}\n`);
    if (fingerprint && !expected)
      io.out(
        `signed with the key ${fingerprint}\nCompare it with the fingerprint that you were given: anybody can sign with a key of their own.\n`,
      );
  }
  return isWhole ? statuses.done : statuses.no;
}

async function verifyOfTrail({ io, options, config }: VerifyCall): Promise<ExitStatus> {
  if (options.key !== undefined) throw new CommandError(`--key needs the directory of a copy; see ${program} audit verify --help`);
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
}

export const audits: readonly Command[] = [list, exportAudit, verify, signingKey];
