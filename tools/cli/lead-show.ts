/** `leadgate lead show`: shows the steps of a lead, or of one of its attempts. */
import { LeadgateError, type Leadgate } from '../client';
import { maskedDecision } from '../../src/domain/mask';
import { command, statuses, type Invocation, type ExitStatus } from './command';
import { gatewayOf } from './gateway';
import { exchangeLines } from './lead-exchanges';
import { attempt, clear, leadId } from './lead-options';
import { onOneLine, json } from './print';
import {
  againLine,
  attemptLines,
  headline,
  correctedLines,
  nextSteps,
  stepLines,
  troubleLines,
  waitLine,
  type LeadDetail,
  type AttemptStory,
} from './report';

const options = {
  attempt,
  exchanges: { type: 'boolean', about: 'also show each request and its answer' },
  clear,
} as const;

export const leadShow = command({
  name: 'lead show',
  group: 'Leads',
  summary: 'Show a lead: its steps, decisions and result',
  about: ['If the lead was redriven, its attempts are listed, with the steps of the newest or of --attempt.'],
  args: [leadId],
  options,
  examples: [
    'lead show bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q',
    'lead show bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --clear --json',
    'lead show bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --attempt 1 --exchanges',
  ],
  async run(call) {
    const { io, args, options: flags, config } = call;
    const [id = ''] = args;
    const gateway = gatewayOf(config(), io.stopped);
    const lead = await gateway.leads.getLead({ leadId: id, clear: flags.clear ? undefined : 'false' });
    const story = await storyOf(call, gateway, id);
    if (flags.attempt !== undefined && story) return showAttempt(call, lead, story);
    if (flags.json) {
      io.out(json({ ...lead, ...(story && { decisions: shown(call, story) }), ...exchangesOf(call, story) }));
      return statuses.done;
    }
    io.out(`${headline(io, lead)}\ncreated ${lead.createdAt}, last changed ${lead.updatedAt}\n`);
    if (lead.reference) io.out(`reference ${lead.reference}\n`);
    if (lead.waitsFor) io.out(`${waitLine(lead.waitsFor)}\n`);
    if (lead.restored) io.out(`Open in the restored copy of ${lead.restored}: it may have been sent since.\n`);
    if (lead.sandbox) io.out('Answered by the sandbox: a simulator replaced an upstream without a URL.\n');
    const [{ temporalUrl } = {}] = lead.attempts;
    if (temporalUrl && !isOneOfMany(lead)) io.out(`${temporalUrl}\n`);
    if (isOneOfMany(lead))
      io.out(`\nAttempts (--attempt shows one)\n${attemptLines(io, lead.attempts)}\n${story ? correctedLines(story) : ''}`);
    io.out(`\n${stepLines(io, lead.steps)}\n${(story?.decisions ?? []).map(decisionLine).join('')}${troubleOf(call, story)}\n`);
    printExchanges(call, story);
    if (lead.result !== undefined) io.out(`${resultTitle(call, lead)}\n${json(lead.result)}\n`);
    io.out(`${story ? againLine(lead, story) : ''}${nextSteps(lead)}`);
    return statuses.done;
  },
});

type ShowCall = Invocation<typeof options>;

/** Reads the exchanges and decisions of one attempt. Only operators may: others get none, or an error if an option requires them. */
async function storyOf({ options: flags }: ShowCall, { leads }: Leadgate, leadId: string): Promise<AttemptStory | undefined> {
  const { attempt: number, clear: inClear, exchanges } = flags;
  const request = leads.getExchanges({ leadId, attempt: number, clear: inClear ? 'true' : undefined });
  if (exchanges || number !== undefined) return request;
  return request.catch((error: unknown) => {
    if (error instanceof LeadgateError && error.status !== undefined) return undefined;
    throw error;
  });
}

/** The requests that were refused, failed or were not sent. `--exchanges` prints all requests instead. */
const troubleOf = ({ options: flags }: ShowCall, story: AttemptStory | undefined): string =>
  flags.exchanges || !story ? '' : troubleLines(story);

function showAttempt(call: ShowCall, { leadId: id, flow, attempts }: LeadDetail, story: AttemptStory): ExitStatus {
  const { io, options: flags } = call;
  const { attempt: number, steps, decisions } = story;
  const known = attempts.filter((one) => one.attempt === number);
  if (flags.json) {
    const output = { success: true, leadId: id, flow, ...known[0], mended: story.mended, steps, decisions: shown(call, story) };
    io.out(json({ ...output, ...exchangesOf(call, story) }));
  } else {
    io.out(
      `${id}  ${flow}\n${attemptLines(io, known)}\n${correctedLines(story)}\n${stepLines(io, steps)}\n${decisions.map(decisionLine).join('')}${troubleOf(call, story)}`,
    );
    if (flags.exchanges) io.out('\n');
    printExchanges(call, story);
  }
  return statuses.done;
}

const title = (what: string, { options: flags }: ShowCall): string => (flags.clear ? what : `${what} (masked; --clear shows it)`);

/** The API masks the result for a key that may not read it in clear. */
const resultTitle = (call: ShowCall, { masked }: LeadDetail): string =>
  masked && call.options.clear ? 'Result (masked: another key sent the lead)' : title('Result', call);

const exchangesOf = ({ options: flags }: ShowCall, story: AttemptStory | undefined) =>
  flags.exchanges && story && { exchanges: story.exchanges };

function printExchanges(call: ShowCall, story: AttemptStory | undefined): void {
  const output = exchangesOf(call, story);
  if (output) call.io.out(`${title('Requests and answers', call)}\n${exchangeLines(output.exchanges)}\n`);
}

const isOneOfMany = ({ attempts }: LeadDetail): boolean => attempts.some((one) => one.attempt > 1);

const shown = ({ options: flags }: ShowCall, { decisions }: AttemptStory) => (flags.clear ? decisions : decisions.map(maskedDecision));

const decisionLine = ({ at, verb, reason, by = 'A person' }: AttemptStory['decisions'][number]): string =>
  `  ${onOneLine(by)} decided ${verb} at ${at}: ${onOneLine(reason)}\n`;
