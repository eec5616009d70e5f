import { newLead } from '../support/gateway';
import { startService, type Service } from '../support/service';
import { openUpstream, type Upstream } from '../support/upstream';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string; readonly intValue?: number } }[];
}

interface Traces {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const canary = { firstName: 'Kanariette', lastName: 'Zeisigmann', phone: '5559871234', zipCode: 'ZK-90219-Q', condition: 'Kanarienfieber' };
const person = { firstName: canary.firstName, lastName: canary.lastName, email: 'kanari@voliere.example', phone: canary.phone };
const delivered = newLead('', canary);
const refused = newLead('v1-422', canary);
const unknown = newLead('v1-500', canary);
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';
const path = '/api/clinicsys/no-prescreen';

let collector: Upstream;
let service: Service;
let leadId: string | null;
let spans: readonly Span[];

beforeAll(async () => {
  collector = await openUpstream();
  service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const answer = await service.post(path, delivered, { traceparent: `00-${callersTrace}-${callersSpan}-01`, tracestate: 'canary=1' });
  leadId = answer.headers.get('x-lead-id');
  await service.post(path, refused);
  await service.post(path, unknown, { prefer: 'wait=0', 'x-request-id': 'canary-request' });
  await service.post('/api/recruit/send-to-recruit', {
    bearerToken: 'canary-7731',
    clientId: '1',
    siteId: '9999',
    environment: 'us',
    ...person,
  });
  await service.post('/api/clinicsys/with-prescreen', { ...delivered, dob: 'canary-dob' });
  await fetch(`${service.url}/api/leads?email=${encodeURIComponent(person.email)}`);
  await fetch(`${service.url}/api/canary-path?canary-query=1`, { headers: { authorization: 'Bearer canary-key' } });
  // The stop sends the rest.
  await service.stop();
  spans = collector.received.flatMap(({ body }) =>
    (body as Traces).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
});
afterAll(async () => {
  await service?.remove();
  await collector?.close();
});

function valueOf(span: Span | undefined, key: string) {
  const value = span?.attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
}

it('a lead is one trace: its request, the start of its run, and every call to an upstream', () => {
  const ours = spans.filter(({ traceId }) => traceId === callersTrace);
  const named = (name: string) => ours.find((span) => span.name === name);
  const names = ['POST /api/clinicsys/no-prescreen', 'start noPrescreen', 'getApiKey', 'checkEmail', 'sendToRt', 'sendComments'];
  expect(names.filter((name) => !named(name))).toEqual([]);
  const [request, start, ...calls] = names.map(named);
  expect(request?.parentSpanId).toBe(callersSpan);
  expect(start?.parentSpanId).toBe(request?.spanId);
  expect(calls.map((call) => call?.parentSpanId)).toEqual(calls.map(() => start?.spanId));
  expect(ours.map((span) => valueOf(span, 'leadgate.lead_id'))).toEqual(ours.map(() => leadId));
  expect([valueOf(named('sendToRt'), 'leadgate.step'), valueOf(named('sendToRt'), 'leadgate.flow')]).toEqual([
    'send-to-rt',
    'no-prescreen',
  ]);
  expect(valueOf(request, 'http.response.status_code')).toBe(200);
});

it('reports what failed, and how', () => {
  const failed = spans.filter(({ name, status }) => name === 'sendToRt' && status.code === 2);
  const said = failed.map((span) => [valueOf(span, 'error.type'), valueOf(span, 'leadgate.upstream_status')]);
  expect(said).toEqual(expect.arrayContaining([['REFUSED', 422]]));
});

it('contains no personal data, secret, query or host name, whatever the outcome', () => {
  const said = JSON.stringify(collector.received.map(({ body, url }) => [url, body])).toLowerCase();
  expect(spans.length).toBeGreaterThan(15);
  const secrets = [
    ...Object.values(canary),
    ...Object.values(person),
    delivered.email,
    refused.email,
    unknown.email,
    'canary',
    service.dataDir,
  ];
  for (const secret of [...secrets, process.execPath, process.env.HOSTNAME ?? 'canary']) expect(said).not.toContain(secret.toLowerCase());
});
