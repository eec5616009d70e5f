/** Asks the configured upstreams harmless questions for `leadgate doctor --probe`, and says which answer does not fit. */
import type { Config } from '../../src/config/config';
import { addresses, boardAddress, ofAccount, settingOf, upstreamsOf, type AccountSetting, type Need } from '../../src/config/upstreams';
import { readText } from '../../src/domain/answer-text';
import { readKey, readSubjects, readV2List, type Account } from '../../src/domain/clinicsys';
import { quotable } from '../../src/domain/masked-refusal';
import { outcomeOfRead, sentenceIn, type BodyReading, type HttpResult, type Outcome } from '../../src/domain/outcome';
import { boardHeaders } from '../../src/domain/taskboard';
import { boardOutcome } from '../../src/domain/taskboard-answers';
import { codeOf } from '../../src/lib/errors';
import { clockFinding, note, ok, trouble, type Finding } from './doctor-checks';

/** No mailbox can have this address. */
const nobody = 'nobody@leadgate.invalid';
const boardQuery =
  'query ($companyId: String!) { projectList(filter: { companyIds: [$companyId] }, skip: 0, take: 1) { items { id name } totalCount } }';

interface Probed {
  readonly account: Account;
  /** Absent: the site system is not asked. */
  readonly instanceName?: string;
}

const unfit = (what: string, found: string): Finding => trouble(what, found, 'docs/upstreams.md says what it must answer');

const finding = (what: string, name: string, outcome: Outcome<unknown>): Finding => {
  if (outcome.outcome === 'delivered') return ok(what, `${name}: the answer fits`);
  if (outcome.outcome !== 'refused') return unfit(what, `${name}: it ${outcome.reason}`);
  const words = quotable(sentenceIn(outcome.body), {});
  return unfit(what, `${name}: it refused the request (${[outcome.status, outcome.unreadable, words].filter(Boolean).join('; ')})`);
};

/** The Date headers of the answers, each with the time of its arrival. */
type Clocks = (readonly [date: string, arrivedAt: number])[];

/** Compares this machine's clock with those of the upstreams. Only if all differ so much, it is this one that is off. */
function upstreamClocks(clocks: Readonly<Clocks>): Finding[] {
  const offs = clocks.map(([date, arrivedAt]) => arrivedAt - Date.parse(date)).filter(Number.isFinite);
  const [least = 0] = offs.toSorted((one, other) => Math.abs(one) - Math.abs(other));
  return clockFinding(least, 'every upstream that answered');
}

async function ask(
  clocks: Clocks,
  url: string,
  timeoutMs: number,
  init: RequestInit,
  secrets: readonly string[] = [],
): Promise<HttpResult> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    clocks.push([answer.headers.get('date') ?? '', Date.now()]);
    const text = await answer.text();
    const contentType = answer.headers.get('content-type') ?? undefined;
    return { saw: 'answer', status: answer.status, ...readText({ text, bytes: Buffer.byteLength(text), contentType }, { secrets }) };
  } catch (error) {
    const why = error instanceof Error ? (codeOf(error.cause) ?? error.name) : 'no reason given';
    return { saw: 'no-answer', reason: `gave no answer (${String(why)})` };
  }
}

const posted = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Asks for a key and throws it away, looks up an e-mail that nobody has, and lists the sites. */
async function siteSystem(config: Config, clocks: Clocks, { account, instanceName }: Probed): Promise<Finding[]> {
  const upstreams = upstreamsOf(config);
  const urlOf = (setting: AccountSetting) => upstreams.find(ofAccount(setting, account))?.value;
  const [keyUrl, v2Url] = [urlOf('KEY_SERVICE_URL'), urlOf('CLINICSYS_V2_URL')];
  if (keyUrl === undefined) return [];
  if (instanceName === undefined) return [note('Key service, V2', 'not asked: --instance must name one of your instances')];
  const keyAnswer = await ask(clocks, keyUrl, config.TIMEOUT_MS['key-service'], posted({ account, instanceName }));
  const keyed = outcomeOfRead(keyAnswer, readKey);
  const first = finding('Key service', 'a key', keyed);
  if (keyed.outcome !== 'delivered' || v2Url === undefined) return [first];
  const { key } = keyed.value;
  const v2 = async <T>(path: string, query: Record<string, string>, read: (body: unknown) => BodyReading<T>): Promise<Outcome<T>> => {
    const url = `${v2Url.replace(/\/+$/, '')}/api/v2/${path}?${new URLSearchParams({ instanceName, ...query }).toString()}`;
    return outcomeOfRead(
      await ask(clocks, url, config.TIMEOUT_MS['site-system'], { headers: { authorization: `Bearer ${key}` } }, [key]),
      read,
    );
  };
  const subjects = await v2('subjects', { email: nobody }, readSubjects);
  const sites = await v2('sites', {}, readV2List);
  const findsAnybody = subjects.outcome === 'delivered' && subjects.value.emailExists;
  return [
    first,
    findsAnybody
      ? unfit('V2', 'the e-mail look-up: it finds somebody for an e-mail that nobody has')
      : finding('V2', 'the e-mail look-up', subjects),
    finding('V2', 'the list of sites', sites),
  ];
}

async function taskBoard(config: Config, clocks: Clocks): Promise<Finding[]> {
  const { find } = upstreamsOf(config);
  const valueOf = (...need: Need) => find(need)?.value ?? '';
  const url = find(boardAddress)?.value;
  if (url === undefined) return [];
  const [tokenId, secret, companyId] = [valueOf('TASKBOARD_TOKEN_ID'), valueOf('TASKBOARD_TOKEN_SECRET'), valueOf('TASKBOARD_COMPANY_ID')];
  const names = boardHeaders[config.TASKBOARD_HEADER_STYLE];
  const headers = { [names.tokenId]: tokenId, [names.secret]: secret, [names.company]: companyId };
  const question = posted({ query: boardQuery, variables: { companyId } }, headers);
  const outcome = boardOutcome(await ask(clocks, url, config.TIMEOUT_MS['task-board'], question, [secret, tokenId]));
  return ['failure' in outcome ? unfit('Task board', outcome.failure.message) : ok('Task board', 'the list of projects: the answer fits')];
}

/** These upstreams have only writes. */
function writesOnly(config: Config): Finding[] {
  const { find } = upstreamsOf(config);
  const takers = {
    V1: addresses.V1,
    Recruitment: addresses.recruitment,
    'Lead forms': addresses.leadforms,
    Screening: addresses.screening,
  };
  return Object.entries(takers).flatMap(([what, needs]) => {
    const names = new Set(needs.filter((need) => find(need)).map(settingOf));
    return names.size > 0 ? [note(what, `${[...names].join(', ')}: only takes leads: not asked`)] : [];
  });
}

export async function probe(config: Config, probed: Probed): Promise<Finding[]> {
  const clocks: Clocks = [];
  const found = await Promise.all([siteSystem(config, clocks, probed), taskBoard(config, clocks)]);
  const probes = [...found.flat(), ...writesOnly(config), ...upstreamClocks(clocks)];
  return probes.length > 0
    ? probes
    : [note('Probe', 'no upstream was asked: none has its URL set. The sandbox, where it stands in, needs no probe')];
}
