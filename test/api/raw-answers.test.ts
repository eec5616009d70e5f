/** Tests an answer that does not fit: its message has the reason, and operators can read its text in clear. */
import { temporal } from '@temporalio/proto';
import { logged, newLead, startGateway, type Gateway, type GatewayAnswer } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream, type UpstreamAnswer } from '../support/upstream';

const person = { firstName: 'Kanariella', lastName: 'Zeisig', phone: '(913) 724-5668' };
const html = (words = '') => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: `<html>${words}</html>` });
const keyOfAnswer = 'aK7-not-to-be-seen-91';
const said = 'Kanariella said so';
/** V2 answers its look-up with a subject that has no id. */
const oddEmail = 'odd@example.org';
const nobody = { body: { data: [], error: {}, meta: { totalItems: 0 }, links: {} } };

let gateway: Gateway;
let keyService: Upstream;
let v1: Upstream;
let v2: Upstream;
let forwarded: Upstream;

beforeAll(async () => {
  [keyService, v1, v2, forwarded] = await Promise.all([openUpstream(), openUpstream(), openUpstream(), openUpstream()]);
  v2.answerBy(({ method, url }) => {
    if (method === 'POST') return { body: { data: { subjectId: 'P7' }, comment: said } };
    return url.includes(encodeURIComponent(oddEmail)) ? { body: { data: [{ firstName: said }] } } : nobody;
  });
  gateway = await startGateway({
    settings: {
      ...{ KEY_SERVICE_URL_FUTURO: keyService.url, CLINICSYS_V1_APPLY_URL: v1.url, CLINICSYS_V1_FORMAT: 'json', CLINICSYS_V2_URL: v2.url },
      ...{ RECRUIT_URL_US: forwarded.url, LEADFORMS_URL: forwarded.url, SCREENING_URL: forwarded.url },
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([keyService, v1, v2, forwarded].map((one) => one.close()));
});

const siteLead = (fields: object = {}) => newLead('', { ...person, ...fields });
let leads = 0;
/** An identical body would be a repeat of the parked lead. */
const email = () => `k${++leads}@example.org`;
const names = { first_name: person.firstName, last_name: person.lastName, phone_number: person.phone };
const recruited = () => ({
  email: email(),
  ...person,
  bearerToken: 'secret-of-the-caller-1',
  clientId: '1',
  siteId: '1263',
  environment: 'us',
});
const formOf = () => ({
  ...names,
  key: 'secret-of-the-caller-2',
  form_code: 'f',
  account_id: 1,
  location_id: 'l',
  source_url: 'https://e.org',
});
const patient = () => ({ email: email(), ...names, key: 'secret-of-the-caller-3', study_id: 1, site_id: 2 });

interface RawExchange {
  readonly error?: { readonly message: string };
  readonly rawAnswer?: { readonly text?: string; readonly bytes: number; readonly contentType?: string; readonly isCut?: true };
}

/** The exchange whose answer was not understood. */
async function rawExchange(leadId: string, query: string): Promise<RawExchange> {
  return until(async () => {
    const { body } = await gateway.get(`/api/leads/${leadId}/exchanges${query}`);
    return (body.exchanges as RawExchange[]).find(({ rawAnswer }) => rawAnswer);
  }, 'the answer is kept');
}

async function engineView(workflowId: string): Promise<string> {
  const { namespace, connection } = gateway.engine;
  const history = await connection.workflowService.getWorkflowExecutionHistory({ namespace, execution: { workflowId } });
  const History = temporal.api.workflowservice.v1.GetWorkflowExecutionHistoryResponse;
  return Buffer.from(History.encode(history).finish()).toString('latin1');
}

const send = (path: string, body: object): Promise<GatewayAnswer> => gateway.post(path, body, { prefer: 'respond-async' });
const idOf = ({ headers }: GatewayAnswer): string => headers.get('x-lead-id') ?? '';

const noPrescreen = '/api/clinicsys/no-prescreen';
const recruit = '/api/recruit/send-to-recruit';
const forms = '/api/scr/send-to-leadforms';
const screening = '/api/screening/send-patient';

describe.each<[string, string, () => object, () => Upstream, readonly UpstreamAnswer[], string]>([
  ['the key service', noPrescreen, () => siteLead({ account: 'Futuro' }), () => keyService, [], 'answered 200 without `key`'],
  ['the e-mail look-up', noPrescreen, () => siteLead({ email: oddEmail }), () => v2, [], 'answered 200 without `data[].subjectId`'],
  ['V1', noPrescreen, siteLead, () => v1, [{ body: { status: 0, message: said } }], 'answered 200 without `PatientID`'],
  ['the comments', noPrescreen, siteLead, () => v2, [], 'answered 200 with a `data.subjectId` that is not a whole number above 0'],
  ['the recruitment system', recruit, recruited, () => forwarded, [html(said)], 'answered 200 with HTML instead of JSON'],
  [
    'the lead-form system',
    forms,
    formOf,
    () => forwarded,
    [{ status: 502, body: `{"success": "${said}` }],
    'answered 502 with JSON that is cut',
  ],
  ['the screening platform', screening, patient, () => forwarded, [{ body: { success: true, note: said } }], 'answered 200 without `id`'],
])('an answer of %s that does not fit', (_name, path, lead, upstream, answers, expected) => {
  let leadId: string;
  beforeAll(async () => {
    keyService.answerAlways({ body: { data: keyOfAnswer, said, filler: 'x '.repeat(35_000) } });
    v1.answerAlways({ body: { status: 0, PatientID: 7, message: 'added' } });
    for (const answer of answers) upstream().answerWith(answer);
    leadId = idOf(await send(path, lead()));
  });

  it('is named in the message, and kept for those who read in clear', async () => {
    const masked = await rawExchange(leadId, '');
    expect(masked.error?.message).toContain(expected);
    expect(masked.rawAnswer).toEqual({
      contentType: expect.stringMatching(/^(application\/json|text\/html)$/),
      bytes: expect.any(Number),
      ...(masked.rawAnswer?.isCut && { isCut: true }),
    });
    const clear = await rawExchange(leadId, '?clear=true');
    expect(clear.rawAnswer?.text).toContain(said);
    const { body } = await gateway.get(`/api/audit?leadId=${leadId}`);
    expect(body.entries).toContainEqual(expect.objectContaining({ action: 'read in clear', route: '/api/leads/{leadId}/exchanges' }));
  });

  it('is not readable in the lead, the log and the engine', async () => {
    const { body, headers } = await gateway.get(`/api/leads/${leadId}?clear=false`);
    const seen = [JSON.stringify(body), logged.join(''), await engineView(headers.get('x-workflow-id') ?? '')].join('\n');
    for (const word of [said, 'Kanariella', keyOfAnswer]) expect(seen).not.toContain(word);
  });
});

describe('the text that is kept', () => {
  it('is cut at 64 KB', async () => {
    forwarded.answerWith(html(`${said}${'ä'.repeat(60_000)}`));
    const leadId = idOf(await send(recruit, recruited()));
    const { rawAnswer } = await rawExchange(leadId, '?clear=true');
    expect(rawAnswer).toMatchObject({ contentType: 'text/html', bytes: 120_000 + said.length + 13, isCut: true });
    const bytes = Buffer.byteLength(rawAnswer?.text ?? '');
    expect([bytes <= 65_536, bytes > 65_530]).toEqual([true, true]);
  });

  it('of a larger answer than is read is its beginning', async () => {
    forwarded.answerWith({ body: { said, filler: 'x'.repeat(300_000) } });
    const leadId = idOf(await send(screening, patient()));
    const { rawAnswer, error } = await rawExchange(leadId, '?clear=true');
    expect(rawAnswer).toMatchObject({ bytes: 262_144, isCut: true });
    expect(error?.message).toContain('answered 200 with more than 256 KB');
  });

  it('has no secrets, however they are written', async () => {
    const secret = 'secret-of-the-caller-3';
    forwarded.answerWith(
      html(`${said}: ${secret}, ${secret.replaceAll('-', '\\u002d')}, "api_key": "another-one", Authorization: Bearer third`),
    );
    const { rawAnswer } = await rawExchange(idOf(await send(screening, patient())), '?clear=true');
    expect(rawAnswer?.text).toBe(`<html>${said}: [secret], [secret], "api_key": "[secret]", Authorization: Bearer [secret]</html>`);
  });

  it('of the key service has nothing that may be a key', async () => {
    const { rawAnswer } = await rawExchange(idOf(await send(noPrescreen, siteLead({ account: 'Futuro' }))), '?clear=true');
    expect(rawAnswer?.text).toContain('"data":"[secret]"');
  });
});

describe("an upstream's own words", () => {
  const messageAfter = async (answer: UpstreamAnswer, lead: object = recruited()): Promise<string> => {
    forwarded.answerWith(answer);
    return (await gateway.post(recruit, lead)).body.message as string;
  };

  it.each([
    ['of a refusal', { status: 400, body: { errors: [{ field: 'siteId', message: 'Site not found' }] } }],
    ['of a failure', { status: 500, body: { message: 'Site not found' } }],
  ])('%s are in the message', async (_, answer) => expect(await messageAfter(answer)).toContain('("Site not found")'));

  it.each([
    'Kanariella is known',
    'Site 1263 not found',
    'call (913) 724-5668',
    'see mail a@b.org',
    'patient 48213 exists',
    'token abc123def456 expired',
    'see https://example.org/a now',
    '<b>not found</b> here',
    'too long '.repeat(20),
  ])('are not, if they may repeat something: %s', async (message) => {
    for (const status of [422, 500]) {
      const shown = await messageAfter({ status, body: { message } });
      expect(shown).not.toContain('("');
      expect(shown).not.toContain(message.trim());
    }
  });
});
