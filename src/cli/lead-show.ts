/** `leadgate lead show`: shows what happened to a lead, or in one of its attempts. */
import { isObject } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { maskedDecision, maskedLead } from '../domain/mask';
import { command, statuses, type Call, type Status } from './command';
import { gatewayOf, leadPath, type Gateway } from './gateway';
import { exchangeLines, exchangesIn } from './lead-exchanges';
import { attempt, clear, leadId } from './lead-words';
import { inLine, json } from './print';
import { attemptIn, attemptLines, headline, leadIn, mendedLines, nextSteps, stepLines, troubleLines, waitLine, type Lead } from './report';

const options = {
  attempt,
  exchanges: { type: 'boolean', about: 'each request and its answer, too; with --clear this goes on the audit trail' },
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
    'lead show pk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q',
    'lead show pk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --clear --json',
    'lead show pk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --attempt 1 --exchanges',
  ],
  async run(call) {
    const { io, args, options: given, config } = call;
    const [id = ''] = args;
    const gateway = gatewayOf(config(), io.stopped);
    const body = await gateway.get(leadPath(id));
    const lead = leadIn(body);
    const story = await storyOf(call, gateway, id);
    if (given.attempt !== undefined) return showAttempt(call, lead, story ?? {});
    const seen = given.clear ? body : maskedLead(body);
    const decisions = story && decisionsIn(story);
    if (given.json) {
      io.out(json({ ...seen, ...(decisions && { decisions: shown(call, decisions) }), ...exchangesOf(call, story) }));
      return statuses.done;
    }
    io.out(`${headline(io, lead)}\ncreated ${lead.createdAt}, last changed ${lead.updatedAt}\n`);
    if (lead.waitsFor) io.out(`${waitLine(lead.waitsFor)}\n`);
    if (lead.sandbox) io.out('Answered by the sandbox: a simulator stood in where no upstream was set.\n');
    const [{ temporalUrl } = {}] = lead.attempts;
    if (temporalUrl && !isOneOfMany(lead)) io.out(`${temporalUrl}\n`);
    if (isOneOfMany(lead)) io.out(`\nIts attempts (--attempt shows one)\n${attemptLines(io, lead.attempts)}\n${mendedLines(story ?? {})}`);
    io.out(`\n${stepLines(io, lead.steps)}\n${(decisions ?? []).map(said).join('')}${troubleOf(call, story)}\n`);
    printExchanges(call, story);
    if (seen.result !== undefined) io.out(`${title('Result', call)}\n${json(seen.result)}\n`);
    io.out(nextSteps(lead));
    return statuses.done;
  },
});

type ShowCall = Call<typeof options>;
type Story = JsonObject | undefined;

/** The exchanges and decisions of one attempt. Only operators may read them; others see none, unless they asked for them by an option. */
async function storyOf({ options: given }: ShowCall, gateway: Gateway, id: string): Promise<Story> {
  const query = new URLSearchParams({
    ...(given.attempt !== undefined && { attempt: given.attempt }),
    ...(given.clear && { clear: 'true' }),
  });
  const path = `${leadPath(id, 'exchanges')}?${query.toString()}`;
  if (given.exchanges || given.attempt !== undefined) return gateway.get(path);
  const { status, body } = await gateway.ask('GET', path);
  return status === 200 ? body : undefined;
}

/** The requests that were refused, failed or were not sent. With --exchanges all requests are printed instead. */
const troubleOf = ({ options: given }: ShowCall, story: Story): string => (given.exchanges ? '' : troubleLines(story ?? {}));

function showAttempt(call: ShowCall, { leadId: id, flow, attempts }: Lead, story: JsonObject): Status {
  const { io, options: given } = call;
  const { number, steps, decisions } = attemptIn(story);
  const known = attempts.filter((one) => one.attempt === number);
  if (given.json) {
    const told = { success: true, leadId: id, flow, ...known[0], mended: story.mended, steps, decisions: shown(call, decisions) };
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

const exchangesOf = ({ options: given }: ShowCall, story: Story) => given.exchanges && story && { exchanges: exchangesIn(story) };

function printExchanges(call: ShowCall, story: Story): void {
  const told = exchangesOf(call, story);
  if (told) call.io.out(`${title('What was sent, and what came back', call)}\n${exchangeLines(told.exchanges)}\n`);
}

const isOneOfMany = ({ attempts }: Lead): boolean => attempts.some((one) => one.attempt > 1);

const decisionsIn = ({ decisions }: JsonObject): JsonObject[] | undefined =>
  Array.isArray(decisions) ? decisions.filter(isObject) : undefined;

const shown = ({ options: given }: ShowCall, decisions: readonly JsonObject[]) => (given.clear ? decisions : decisions.map(maskedDecision));

const said = ({ at, verb, reason, by = 'A person' }: JsonObject): string =>
  `  ${inLine(by)} said ${String(verb)} at ${String(at)}: ${inLine(reason)}\n`;
