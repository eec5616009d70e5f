/** `leadgate lead send`: sends one lead through the API, as any other caller does. */
import { readFile } from 'node:fs/promises';
import { flows, pathOf } from '../contract/flows';
import { isObject, text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { maskedAnswer, maskedDryRun } from '../domain/mask';
import { command, statuses, Unable, type Io } from './command';
import { gatewayOf, refused } from './gateway';
import { clear } from './lead-words';
import { json } from './print';

export const leadSend = command({
  name: 'lead send',
  group: 'Leads',
  summary: 'Send a lead from a JSON file, or from the standard input',
  about: ['A file that is sent again while its lead is under way finds that lead; with --idempotency-key it does so for 72 hours.'],
  args: [
    { name: 'flow', about: 'the way it takes', words: flows },
    { name: 'file', about: 'the lead as JSON; - reads it from the standard input', file: true },
  ],
  options: {
    'dry-run': { type: 'boolean', about: 'do everything but the sending, and show the request' },
    'no-wait': { type: 'boolean', about: 'return when the lead is accepted, not when it is done' },
    'idempotency-key': { type: 'string', value: 'key', about: 'the same key gets the first answer again' },
    clear,
  },
  examples: ['lead send no-prescreen lead.json', 'lead send recruit - --dry-run --clear < lead.json'],
  async run({ io, args: [flow = '', file = ''], options, config }) {
    const lead = await leadFrom(file, io);
    const asked = {
      ...(options['dry-run'] && { 'X-Dry-Run': 'true' }),
      ...(options['no-wait'] && { Prefer: 'respond-async' }),
      ...(options['idempotency-key'] !== undefined && { 'Idempotency-Key': options['idempotency-key'] }),
    };
    const answered = await gatewayOf(config(), io.stopped).ask('POST', pathOf(flow), lead, asked);
    const { status, headers, body } = answered;
    const seen = options.clear ? body : (options['dry-run'] ? maskedDryRun : maskedAnswer)(body);
    const leadId = headers.get('x-lead-id');
    if (status < 300 && !leadId && body.dryRun !== true) throw refused(answered);
    if (options.json) io.out(json({ status, ...(leadId && { leadId }), body: seen }));
    if (status >= 300) {
      const refusal = refused(answered, Object.keys(asked));
      if (options.json) return refusal.status;
      if (leadId) io.out(`Lead ${leadId}: leadgate lead show ${leadId}\n`);
      throw refusal;
    }
    if (!options.json)
      io.out(`${said(status, leadId)}${headers.has('x-leadgate-sandbox') ? ' (answered by the sandbox)' : ''}\n${json(seen)}`);
    return statuses.done;
  },
});

function said(status: number, leadId: string | null): string {
  if (!leadId) return 'Nothing was sent.';
  return status === 202 ? `Lead ${leadId} is accepted: leadgate lead watch ${leadId}` : `Lead ${leadId} is done.`;
}

async function leadFrom(file: string, io: Io): Promise<JsonObject> {
  const written =
    file === '-' ? await io.read() : await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => unreadable(file, error));
  try {
    const lead: unknown = JSON.parse(written.replace(/^\uFEFF/, ''));
    if (isObject(lead)) return lead;
  } catch {
    throw new Unable(`${file === '-' ? 'The standard input' : file} is not valid JSON`);
  }
  throw new Unable(`${file === '-' ? 'The standard input' : file} must hold one JSON object`);
}

const unreadable = (file: string, { code }: NodeJS.ErrnoException): never => {
  throw new Unable(code === 'ENOENT' ? `There is no file ${file}` : `${file} cannot be read (${text(code) ?? 'no reason given'})`);
};
