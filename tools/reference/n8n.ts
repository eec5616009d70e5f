/** Writes docs/tools/n8n-lead.json from the contract: an n8n workflow that sends a lead and handles every answer. */
import { endpoints } from '../../src/contract';
import { errorCodes } from '../../src/contract/errors';
import { schemaOf } from '../../src/contract/json-schema';
import { deliveredStates, isDelivered, overStates, type ErrorCode, type State } from '../../src/domain/lead';
import { branches, httpRequest, respond, rule, workflow, type Node } from './n8n-nodes';

const { noPrescreen, getLead } = endpoints;

const statusesOf = (...codes: ErrorCode[]) => JSON.stringify([...new Set(codes.map((code) => errorCodes[code].status))]);
const stateIn = (states: readonly State[]) => `[${states.map((state) => `'${state}'`).join(', ')}].includes($json.body.state)`;
const oneOf = (statuses: string) => `${statuses}.includes($json.statusCode)`;

/** Every field of the route, taken from the field of the same name. Users rename them here. */
const fields = Object.keys(schemaOf(noPrescreen.input, 'input').properties ?? {});
const lead = fields.map((name) => `    ${name}: $json.body.${name},`).join('\n');

const mostTries = 60;
const mostTriesUnreached = 5;
const base = "{{ $('Lead').first().json.leadgate }}";
const sent = "$('Send the lead').first().json";

const nodes: readonly Node[] = [
  {
    name: 'A lead comes in',
    type: 'webhook',
    typeVersion: 2,
    at: [0, 0],
    parameters: { httpMethod: 'POST', path: 'leadgate-lead', responseMode: 'responseNode', options: {} },
    to: [['Lead']],
  },
  {
    name: 'Lead',
    type: 'set',
    typeVersion: 3.4,
    at: [1, 0],
    parameters: {
      mode: 'raw',
      jsonOutput: `={{ {
  leadgate: 'http://127.0.0.1:8080',
  idempotencyKey: $json.headers['idempotency-key'] || 'n8n-' + $workflow.id + '-' + $execution.id,
  lead: {
${lead}
  },
} }}`,
      options: {},
    },
    to: [['Send the lead']],
  },
  httpRequest('Send the lead', [2, 0], {
    method: noPrescreen.method,
    url: `=${base}${noPrescreen.path}`,
    headers: { 'Idempotency-Key': "={{ $('Lead').first().json.idempotencyKey }}" },
    body: "={{ JSON.stringify($('Lead').first().json.lead) }}",
    to: [['What came of it?'], ['No answer']],
  }),
  branches('What came of it?', [3, 0], {
    rules: [
      rule('done', '$json.statusCode === 200', 'Done'),
      rule('parked', "$json.body.state === 'parked'", 'A person decides'),
      rule('still under way', '$json.statusCode === 202', 'Look at the lead'),
      rule('refused: mend it', oneOf(statusesOf('VALIDATION_ERROR', 'UPSTREAM_REJECTED')), 'Refused'),
      rule(
        'nothing started: later',
        `${oneOf(statusesOf('RATE_LIMITED', 'NOT_ACCEPTED'))} && $json.body.error?.retryable === true && $runIndex < ${mostTries}`,
        'Wait as told',
      ),
    ],
    otherwise: ['something else', 'A person decides'],
  }),
  branches('No answer', [3, 3], {
    rules: [rule('the same again', `$runIndex < ${mostTriesUnreached}`, 'Wait as told')],
    otherwise: ['not reached', 'Not reached'],
  }),
  {
    name: 'Wait as told',
    type: 'wait',
    typeVersion: 1.1,
    at: [4, 3],
    parameters: { resume: 'timeInterval', amount: "={{ Number($json.headers?.['retry-after'] ?? 5) }}", unit: 'seconds' },
    to: [['Send the lead']],
  },
  httpRequest('Look at the lead', [4, 1], {
    method: getLead.method,
    url: `=${base}{{ ${sent}.body.statusUrl }}?wait=20`,
    to: [['Where is it?'], ['Look again soon']],
  }),
  branches('Where is it?', [5, 1], {
    rules: [
      rule('done', stateIn(deliveredStates), 'Done'),
      rule('ended without success', stateIn(overStates.filter((state) => !isDelivered({ state }))), 'Refused'),
      rule('a person decides', "$json.body.state === 'parked' || [401, 403, 404].includes($json.statusCode)", 'A person decides'),
    ],
    otherwise: ['still under way', 'Look again soon'],
  }),
  {
    name: 'Look again soon',
    type: 'wait',
    typeVersion: 1.1,
    at: [6, 2],
    parameters: { resume: 'timeInterval', amount: '={{ Math.min(300, 5 * ($runIndex + 1)) }}', unit: 'seconds' },
    to: [['Look at the lead']],
  },
  respond('Done', [7, 0], 200, {
    outcome: "'done'",
    leadId: "$json.body.leadId ?? $json.headers['x-lead-id']",
    patientId: '($json.body.result ?? $json.body).rtResponse?.PatientID',
  }),
  respond('Refused', [7, 1], 422, {
    outcome: "'refused'",
    leadId: '$json.body.leadId',
    code: '$json.body.error?.code ?? $json.body.steps?.findLast((step) => step.error)?.error.code',
    message: '$json.body.message ?? $json.body.steps?.findLast((step) => step.error)?.error.message',
    fields: '$json.body.error?.details ?? []',
  }),
  respond('A person decides', [7, 2], 502, {
    outcome: "'a person decides: do not send it again'",
    leadId: '$json.body.leadId',
    console: "$('Lead').first().json.leadgate + '/console#/leads/' + ($json.body.leadId ?? '')",
    code: '$json.body.error?.code',
    message: '$json.body.message',
  }),
  respond('Not reached', [7, 3], 503, {
    outcome: "'Leadgate was not reached: send it again with the same Idempotency-Key'",
    idempotencyKey: "$('Lead').first().json.idempotencyKey",
  }),
];

const note = `## A lead to Leadgate
1. **Lead**: set the address of Leadgate, and say which of your fields is which.
2. Where Leadgate asks for a key: in **Send the lead** and **Look at the lead** choose *Generic credential*, *Header Auth*, with the name \`x-gateway-key\`.
3. Each lead needs an \`Idempotency-Key\` of its own: the one that came in, or one made from the execution. Whatever is sent again with it arrives once.`;

export const n8nWorkflow = (): string => `${JSON.stringify(workflow('leadgateLead0001', 'Leadgate: send a lead', note, nodes), null, 2)}\n`;
