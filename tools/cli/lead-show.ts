/** `leadgate lead show`: shows what happened to a lead, or in one of its attempts. */
import { LeadgateError, type Leadgate } from '../client';
import { maskedDecision } from '../../src/domain/mask';
import { command, statuses, type Call, type Status } from './command';
import { gatewayOf } from './gateway';
import { exchangeLines } from './lead-exchanges';
import { attempt, clear, leadId } from './lead-words';
import { inLine, json } from './print';
import { attemptLines, headline, mendedLines, nextSteps, stepLines, troubleLines, waitLine, type Lead, type Story } from './report';

const options = {
  attempt,
  exchanges: { type: 'boolean', about: 'each request and its answer, too' },
  clear,
} as const;

export const leadShow = command({
  name: 'lead show',
  group: 'Leads',
  summary: 'What happened to one lead, step by step, and what it became',
  about: ['Of a lead that was sent again its attempts are listed, and the steps are those of the newest. With --attempt: of that one.'],
  args: [leadId],
  options,
  examples: [
    'lead show bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q',
    'lead show bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --clear --json',
    'lead show bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --attempt 1 --exchanges',
  ],
  async run(call) {
    const { io, args, options: given, config } = call;
    const [id = ''] = args;
    const gateway = gatewayOf(config(), io.stopped);
    const lead = await gateway.leads.getLead({ leadId: id, clear: given.clear ? undefined : 'false' });
    const story = await storyOf(call, gateway, id);
    if (given.attempt !== undefined && story) return showAttempt(call, lead, story);
    if (given.json) {
      io.out(json({ ...lead, ...(story && { decisions: shown(call, story) }), ...exchangesOf(call, story) }));
      return statuses.done;
    }
    io.out(`${headline(io, lead)}\ncreated ${lead.createdAt}, last changed ${lead.updatedAt}\n`);
    if (lead.waitsFor) io.out(`${waitLine(lead.waitsFor)}\n`);
    if (lead.restored) io.out(`Open in the copy of ${lead.restored}, which was restored: it may have been sent since.\n`);
    if (lead.sandbox) io.out('Answered by the sandbox: a simulator stood in where no upstream was set.\n');
    const [{ temporalUrl } = {}] = lead.attempts;
    if (temporalUrl && !isOneOfMany(lead)) io.out(`${temporalUrl}\n`);
    if (isOneOfMany(lead))
      io.out(`\nIts attempts (--attempt shows one)\n${attemptLines(io, lead.attempts)}\n${story ? mendedLines(story) : ''}`);
    io.out(`\n${stepLines(io, lead.steps)}\n${(story?.decisions ?? []).map(said).join('')}${troubleOf(call, story)}\n`);
    printExchanges(call, story);
    if (lead.result !== undefined) io.out(`${resultTitle(call, lead)}\n${json(lead.result)}\n`);
    io.out(nextSteps(lead));
    return statuses.done;
  },
});

type ShowCall = Call<typeof options>;

/** The exchanges and decisions of one attempt. Only operators may read them; others see none, unless they asked for them by an option. */
async function storyOf({ options: given }: ShowCall, { leads }: Leadgate, leadId: string): Promise<Story | undefined> {
  const { attempt: number, clear: inClear, exchanges } = given;
  const asked = leads.getExchanges({ leadId, attempt: number, clear: inClear ? 'true' : undefined });
  if (exchanges || number !== undefined) return asked;
  return asked.catch((error: unknown) => {
    if (error instanceof LeadgateError && error.status !== undefined) return undefined;
    throw error;
  });
}

/** The requests that were refused, failed or were not sent. With --exchanges all requests are printed instead. */
const troubleOf = ({ options: given }: ShowCall, story: Story | undefined): string =>
  given.exchanges || !story ? '' : troubleLines(story);

function showAttempt(call: ShowCall, { leadId: id, flow, attempts }: Lead, story: Story): Status {
  const { io, options: given } = call;
  const { attempt: number, steps, decisions } = story;
  const known = attempts.filter((one) => one.attempt === number);
  if (given.json) {
    const told = { success: true, leadId: id, flow, ...known[0], mended: story.mended, steps, decisions: shown(call, story) };
    io.out(json({ ...told, ...exchangesOf(call, story) }));
  } else {
    io.out(
      `${id}  ${flow}\n${attemptLines(io, known)}\n${mendedLines(story)}\n${stepLines(io, steps)}\n${decisions.map(said).join('')}${troubleOf(call, story)}`,
    );
    if (given.exchanges) io.out('\n');
    printExchanges(call, story);
  }
  return statuses.done;
}

const title = (what: string, { options: given }: ShowCall): string => (given.clear ? what : `${what} (masked; --clear shows it)`);

/** The key may be one that sees the lead only masked. */
const resultTitle = (call: ShowCall, { masked }: Lead): string =>
  masked && call.options.clear ? 'Result (masked: another key sent the lead)' : title('Result', call);

const exchangesOf = ({ options: given }: ShowCall, story: Story | undefined) => given.exchanges && story && { exchanges: story.exchanges };

function printExchanges(call: ShowCall, story: Story | undefined): void {
  const told = exchangesOf(call, story);
  if (told) call.io.out(`${title('What was sent, and what came back', call)}\n${exchangeLines(told.exchanges)}\n`);
}

const isOneOfMany = ({ attempts }: Lead): boolean => attempts.some((one) => one.attempt > 1);

const shown = ({ options: given }: ShowCall, { decisions }: Story) => (given.clear ? decisions : decisions.map(maskedDecision));

const said = ({ at, verb, reason, by = 'A person' }: Story['decisions'][number]): string =>
  `  ${inLine(by)} said ${verb} at ${at}: ${inLine(reason)}\n`;
