import { patientOf } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { callers, keyOf } from '../support/keys';

const noPrescreen = '/api/clinicsys/no-prescreen';
let gateway: Gateway;
beforeAll(
  async () =>
    void (gateway = await startGateway({
      settings: { KEY_CACHE_TTL_S: '60', GATEWAY_API_KEYS: callers('tool:leads', 'chief:leads+operator') },
    })),
);
afterAll(() => gateway.stop());

const chief = { 'x-gateway-key': keyOf('chief') };
const send = async (path: string, body: object) => (await gateway.post(path, body, chief)).headers.get('x-lead-id') ?? '';
const story = async (leadId: string, query = '') => (await gateway.get(`/api/leads/${leadId}/exchanges${query}`, chief)).body;
const callsOf = ({ exchanges }: { exchanges: readonly { call: string }[] }) => exchanges.map(({ call }) => call);

describe('what was sent for a lead and what came back', () => {
  it('is told call by call, in their order', async () => {
    const told = await story(await send(noPrescreen, newLead()));
    expect(callsOf(told)).toEqual(['getApiKey', 'checkEmail', 'formatData', 'sendToRt', 'sendComments']);
    expect(told.exchanges.map(({ step }: { step: string }) => step)).toEqual([
      'get-api-key',
      'check-email',
      'format-data',
      'send-to-rt',
      'send-comments',
    ]);
    expect(told).toMatchObject({ success: true, clear: false, flow: 'no-prescreen', decisions: [] });
  });

  it('is masked unless it is asked for in clear, and then who asked is on record', async () => {
    const lead = newLead();
    const leadId = await send(noPrescreen, lead);
    const masked = JSON.stringify(await story(leadId));
    for (const word of [lead.email, 'Lee', '201-3344', '1980-03-05', 'Eczema']) expect(masked).not.toContain(word);
    const clear = await story(leadId, '?clear=true');
    expect(clear.lead).toEqual(lead);
    expect(clear.exchanges[3].request).toMatchObject({ FirstName: 'Ann', Phone: '555-201-3344', DOB: '1980-03-05' });
    expect(clear.exchanges[3].answer).toMatchObject({ status: 0, PatientID: expect.any(Number) });
    const { subjectId, comment } = clear.exchanges[4].answer.data;
    expect(clear.exchanges[4].request).toEqual({ subjectId, comment });
    expect(comment).toContain('Eczema');
    const { entries } = (await gateway.get(`/api/audit?leadId=${leadId}`, chief)).body;
    expect(entries).toEqual([expect.objectContaining({ who: 'chief', action: 'read in clear', outcome: 'done' })]);
  });

  it('has the HTTP status of every answer, and when each exchange began and ended', async () => {
    const fresh = { instanceName: 'erg-tampa' };
    const { exchanges } = await story(await send(noPrescreen, newLead('', fresh)));
    const statusesOf = (told: { status?: number }[]) => told.map(({ status }) => status);
    expect(statusesOf(exchanges)).toEqual([200, 200, undefined, 200, 201]);
    const withCachedKey = await story(await send(noPrescreen, newLead('', fresh)));
    expect(statusesOf(withCachedKey.exchanges)).toEqual([undefined, 200, undefined, 200, 201]);
    const times = exchanges.flatMap(({ startedAt, endedAt }: Record<string, string>) => [startedAt, endedAt]);
    expect(times).toEqual(times.toSorted());
    expect(times).not.toContain(undefined);
    expect(JSON.stringify(exchanges)).not.toContain('httpStatus');
  });

  it('has the status of an answer that proves nothing, whose body is not kept', async () => {
    const { exchanges } = await story(await send(noPrescreen, newLead('comment-500-once+readback-405')));
    const [comment] = exchanges.filter(({ call }: { call: string }) => call === 'sendComments');
    expect(comment).toMatchObject({ status: 500, error: { code: 'UNKNOWN', status: 500 } });
    expect(comment).not.toHaveProperty('answer');
  });

  it('shows the sentences of a refusal, masked too, unless they may hold something of the lead', async () => {
    const refused = (fields: object) => send(noPrescreen, newLead('', { instanceName: 'erg-oct.v1-refused', ...fields }));
    const answerOf = async (leadId: string) => (await story(leadId)).exchanges.at(-1).answer;
    expect(await answerOf(await refused({}))).toEqual({ status: 1, message: 'The lead was refused' });
    expect(await answerOf(await refused({ lastName: 'Refused' }))).toEqual({ status: 1, message: '•••' });
  });

  it('holds no credential, in clear neither', async () => {
    const patient = { siteId: 12, clientId: 'c', environment: 'us', firstName: 'Bo', lastName: 'Ray', email: 'bo.ray@example.org' };
    const leadId = await send('/api/recruit/send-to-recruit', { ...patient, bearerToken: 'tok-31415' });
    const told = await story(leadId, '?clear=true');
    expect(told.lead.bearerToken).toBe('[secret]');
    expect(told.exchanges[0].request).toMatchObject({ siteId: '12', patientInfo: expect.any(Object) });
    expect(JSON.stringify(told)).not.toContain('tok-31415');
    const { key } = (await gateway.post('/api/clinicsys/no-prescreen/get-api-key', { instanceName: 'erg-oct' }, chief)).body;
    const site = await story(await send(noPrescreen, newLead()), '?clear=true');
    expect(key).toMatch(/^sandbox-key-/);
    expect(JSON.stringify(site)).not.toContain('sandbox-key-');
  });

  it('points at the field that the upstream speaks of', async () => {
    const patient = { siteId: 9999, clientId: 'c', environment: 'us', firstName: 'Bo', lastName: 'Ray', email: 'bo2@example.org' };
    const told = await story(await send('/api/recruit/send-to-recruit', { ...patient, bearerToken: 'tok' }));
    expect(told.exchanges).toMatchObject([
      { call: 'forwardLead', step: 'send', fields: ['siteId'], error: { code: 'REFUSED', message: expect.any(String) } },
    ]);
  });

  it('goes on with what people decided, and why', async () => {
    const leadId = await send(noPrescreen, newLead('comment-422-once'));
    await gateway.post(`/api/leads/${leadId}/resend`, { reason: 'it is mended' }, chief);
    await until(async () => (await gateway.get(`/api/leads/${leadId}`, chief)).body.state === 'delivered', 'delivered');
    const told = await story(leadId);
    expect(told.decisions).toMatchObject([{ verb: 'resend', reason: 'it is mended', at: expect.any(String) }]);
    expect(callsOf(told).slice(4)).toEqual(['sendComments', 'sendComments']);
    expect(told.exchanges[4].error).toMatchObject({ code: 'REFUSED', status: 422 });
  });

  it.each([['confirm'], ['discard'], ['resend']])('says who decided: %s', async (verb) => {
    const leadId = await send(noPrescreen, newLead('comment-422'));
    const more = verb === 'confirm' ? { upstreamId: await patientOf(gateway, leadId, chief) } : {};
    expect((await gateway.post(`/api/leads/${leadId}/${verb}`, { reason: 'looked it up', ...more }, chief)).status).toBe(200);
    expect((await story(leadId)).decisions).toEqual([{ at: expect.any(String), verb, reason: 'looked it up', by: 'chief', ...more }]);
  });

  it('says who sent a failed lead again, and why', async () => {
    const leadId = await send(noPrescreen, newLead('v1-refused-once'));
    await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'V1 is well again' }, chief);
    await until(async () => (await gateway.get(`/api/leads/${leadId}`, chief)).body.state === 'delivered', 'delivered');
    const { decisions, exchanges } = await story(leadId);
    expect(decisions).toEqual([{ at: expect.stringMatching(/^\d{4}-.*Z$/), verb: 'redrive', reason: 'V1 is well again', by: 'chief' }]);
    expect(decisions[0].at <= exchanges[3].endedAt).toBe(true);
  });

  it('is told of each attempt by itself, with its steps', async () => {
    const failing = newLead('', { instanceName: 'erg-oct.key-404' });
    const leadId = await send(noPrescreen, failing);
    await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'mistyped', fields: { instanceName: 'erg-oct' } }, chief);
    await until(async () => (await gateway.get(`/api/leads/${leadId}`, chief)).body.state === 'delivered', 'delivered');
    const statesOf = ({ steps }: { steps: readonly { state: string }[] }) => steps.map(({ state }) => state);
    const first = await story(leadId, '?attempt=1');
    expect(first).toMatchObject({ attempt: 1, lead: { instanceName: 'erg-oct.key-404' }, decisions: [] });
    expect([callsOf(first), statesOf(first)]).toEqual([['getApiKey'], ['failed', 'pending', 'pending', 'pending', 'pending']]);
    const newest = await story(leadId);
    expect(newest).toMatchObject({ attempt: 2, lead: { instanceName: 'erg-oct' }, decisions: [{ verb: 'redrive' }] });
    expect(statesOf(newest)).toEqual(['done', 'done', 'done', 'done', 'done']);
    expect((await gateway.get(`/api/leads/${leadId}/exchanges?attempt=3`, chief)).body).toMatchObject({
      message: 'The lead has no such attempt; it has: 1, 2',
    });
  });

  it('tells what a redrive changed: each field as it was and as it is, masked or in clear', async () => {
    const failing = newLead('', { instanceName: 'erg-oct.key-404' });
    const leadId = await send(noPrescreen, failing);
    const fields = { instanceName: 'erg-oct', firstName: 'Bea', race: 'Other' };
    await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'mistyped', fields }, chief);
    const instance = { field: 'instanceName', before: 'erg-oct.key-404', after: 'erg-oct' };
    const masked = [instance, { field: 'firstName', before: 'A…', after: 'B…' }, { field: 'race', after: '•••' }];
    expect((await story(leadId, '?attempt=2')).mended).toEqual(masked);
    const clear = [instance, { field: 'firstName', before: 'Ann', after: 'Bea' }, { field: 'race', after: 'Other' }];
    expect((await story(leadId, '?attempt=2&clear=true')).mended).toEqual(clear);
    expect(await story(leadId, '?attempt=1')).not.toHaveProperty('mended');
  });

  it('is for operators, and for leads that are there', async () => {
    const leadId = await send(noPrescreen, newLead());
    expect((await gateway.get(`/api/leads/${leadId}/exchanges`, { 'x-gateway-key': keyOf('tool') })).status).toBe(403);
    expect((await gateway.get('/api/leads/b00000000000000000000-0000000000/exchanges', chief)).status).toBe(404);
    expect((await gateway.get(`/api/leads/${leadId}/exchanges?clear=perhaps`, chief)).status).toBe(400);
  });
});
