/** `leadgate lead send`: sends one lead through the API, as any other caller does. */
import { flows, pathOf } from '../../src/contract/flows';
import { isObject, text } from '../../src/domain/formats';
import type { JsonObject } from '../../src/domain/lead';
import { maskedAnswer, maskedDryRun } from '../../src/domain/mask';
import { command, statuses, CommandError, type Io } from './command';
import { gatewayOf, isErrorAnswer, commandErrorOf } from './gateway';
import { readGivenFile } from './given-files';
import { clear } from './lead-options';
import { json } from './print';
import { program } from './program';

export const leadSend = command({
  name: 'lead send',
  group: 'Leads',
  summary: 'Send a lead from a JSON file, or from the standard input',
  about: ['If you send the file again while its lead is open, you get that lead. With --idempotency-key you get it for 72 hours.'],
  args: [
    { name: 'flow', about: 'the flow', words: flows },
    { name: 'file', about: 'the lead as JSON; - reads it from the standard input', file: true },
  ],
  options: {
    'dry-run': { type: 'boolean', about: 'do everything except sending, and show the request' },
    'no-wait': { type: 'boolean', about: 'return when the lead is accepted, before it ends' },
    'idempotency-key': { type: 'string', value: 'key', about: 'a repeat with the same key gets the first answer' },
    clear,
  },
  examples: ['lead send no-prescreen lead.json', 'lead send recruit - --dry-run --clear < lead.json'],
  async run({ io, args: [flow = '', file = ''], options, config }) {
    const lead = await leadFrom(file, io);
    const masked = options.clear ? (body: JsonObject) => body : options['dry-run'] ? maskedDryRun : maskedAnswer;
    let replayed = false;
    const sendOptions = {
      dryRun: options['dry-run'],
      until: options['no-wait'] ? 'accepted' : 'answer',
      idempotencyKey: options['idempotency-key'] ?? false,
      onAnswer: ({ headers }: { readonly headers: Headers }) => {
        const warnings = headers.get('x-leadgate-warnings');
        if (warnings) io.err(`warning: ${warnings}\n`);
        replayed = headers.has('idempotency-replayed');
      },
    } as const;
    const show = (status: number, leadId: string | undefined, body: JsonObject) =>
      io.out(json({ status, ...(leadId && { leadId }), ...(replayed && { replayed }), body: masked(body) }));
    try {
      const sent = await gatewayOf(config(), io.stopped).leadRoute(pathOf(flow))(lead, sendOptions);
      const leadId = 'leadId' in sent ? sent.leadId : undefined;
      const body: JsonObject = { ...sent.body };
      if (options.json) show(sent.status, leadId, body);
      else
        io.out(
          `${summaryOf(sent.status, leadId, replayed, body)}${sent.sandbox ? ' (answered by the sandbox)' : ''}\n${json(masked(body))}`,
        );
      return statuses.done;
    } catch (error) {
      if (!isErrorAnswer(error)) throw error;
      const { status = 0, leadId, body } = error;
      const refusal = commandErrorOf(error, ['X-Dry-Run', 'Prefer', 'Idempotency-Key']);
      if (options.json) show(status, leadId, body);
      else if (leadId) io.out(`Lead ${leadId}${replayed ? ` ${repeatWords};` : ':'} ${program} lead show ${leadId}\n`);
      if (options.json) return refusal.status;
      throw refusal;
    }
  },
});

const repeatWords = 'was sent before: this is the answer to its first sending';

/** Why the lead was skipped, if it was. */
function skippedWords({ bounceMode, message, rtResponse }: JsonObject): string | undefined {
  if (bounceMode === true) return text(message);
  return isObject(rtResponse) && rtResponse.skipped === true ? text(rtResponse.message) : undefined;
}

function summaryOf(status: number, leadId: string | undefined, replayed: boolean, body: JsonObject): string {
  if (!leadId) return 'Nothing was sent.';
  if (status === 202) return `Lead ${leadId} ${replayed ? 'was sent before, and is open' : 'is accepted'}: ${program} lead watch ${leadId}`;
  const skipped = skippedWords(body);
  return `Lead ${leadId} ${replayed ? repeatWords : skipped ? 'is skipped' : 'is done'}.${skipped ? ` ${skipped}.` : ''}`;
}

async function leadFrom(file: string, io: Io): Promise<JsonObject> {
  const written = file === '-' ? await io.read() : (await readGivenFile(file)).toString();
  try {
    const lead: unknown = JSON.parse(written.replace(/^\uFEFF/, ''));
    if (isObject(lead)) return lead;
  } catch {
    throw new CommandError(`${file === '-' ? 'The standard input' : file} is not valid JSON`);
  }
  throw new CommandError(`${file === '-' ? 'The standard input' : file} must hold one JSON object`);
}
