/** Recommends REPEATS for flows whose leads without an Idempotency-Key were sent twice lately. Counts only, so that many leads cost no more. */
import type { Config } from '../../src/config/config';
import { flows } from '../../src/contract/flows';
import { LeadgateError, type Leadgate } from '../client';
import { note, type Finding } from './doctor-checks';
import { commandErrorOf, gatewayOf, isErrorAnswer, isUnavailable } from './gateway';
import { moment } from './lead-filters';
import { pluralize } from './print';
import { program } from './program';

const what = 'Repeats';
const days = 7;
/** The windows to recommend. The longest limits what counts as a repeat. */
const windows = ['10m', '1h', '24h'] as const;
type Window = (typeof windows)[number];

interface SentTwice {
  readonly flow: string;
  readonly count: number;
  /** The shortest window that has all of them. */
  readonly window: Window;
}

async function findSentTwice(gateway: Leadgate, known: Config['REPEATS']): Promise<SentTwice[]> {
  const since = moment('since', `${days}d`);
  const countOf = async (repeatedWithin: Window, flow?: string) => {
    const { counts } = await gateway.leads.countLeads({ since, repeatedWithin, flow });
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  };
  if ((await countOf('24h')) === 0) return [];
  const open = flows.filter((flow) => known?.[flow] === undefined);
  const found = open.map(async (flow) => {
    const counts = await Promise.all(windows.map((window) => countOf(window, flow)));
    const count = Math.max(...counts);
    return { flow, count, window: windows.find((_, at) => counts[at] === count) ?? '24h' };
  });
  return (await Promise.all(found)).filter(({ count }) => count > 0);
}

function findingOf(twice: readonly SentTwice[], known: Config['REPEATS']): Finding[] {
  if (twice.length === 0) return [];
  const sums = twice.map(({ flow, count, window }) => `${flow} ${pluralize(count, 'lead')} within ${window}`);
  const longest = windows.findLast((one) => twice.some(({ window }) => window === one)) ?? '24h';
  const value = twice.map(({ flow, window }) => `${flow}:answer@${window}`).join(',');
  return [
    note(
      what,
      `sent twice in the last ${days} days, without an Idempotency-Key: ${sums.join(', ')} of the first one's end`,
      `${known ? `add ${value} to REPEATS` : `set REPEATS=${value}`}: such a repeat gets the first answer; ${program} lead find --since ${days}d --repeated-within ${longest} lists them`,
    ),
  ];
}

/** An API that does not answer is another check's finding. */
export async function repeats(config: Config): Promise<readonly Finding[]> {
  try {
    return findingOf(await findSentTwice(gatewayOf(config), config.REPEATS), config.REPEATS);
  } catch (error) {
    if (!(error instanceof LeadgateError)) throw error;
    return isErrorAnswer(error) && !isUnavailable(error) ? [note(what, `not counted: ${commandErrorOf(error).message}`)] : [];
  }
}
