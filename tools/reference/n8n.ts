/** Generates docs/tools/n8n-lead.json from the contract: an n8n workflow that sends a lead and handles every answer. */
import { endpoints } from '../../src/contract';
import { errorCodes } from '../../src/contract/errors';
import { schemaOf } from '../../src/contract/json-schema';
import { deliveredStates, isDelivered, overStates, type ErrorCode, type State } from '../../src/domain/lead';
import { branches, httpRequest, respond, rule, workflow, type Node } from './n8n-nodes';

const { noPrescreen, getLead } = endpoints;

const statusesOf = (...codes: ErrorCode[]) => JSON.stringify([...new Set(codes.map((code) => errorCodes[code].status))]);
const stateIn = (states: readonly State[]) => `[${states.map((state) => `'${state}'`).join(', ')}].includes($json.body.state)`;
const oneOf = (statuses: string) => `${statuses}.includes($json.statusCode)`;

/** Maps every field of the route from an input field of the same name. Users change the mapping here. */
const fields = Object.keys(schemaOf(noPrescreen.input, 'input').properties ?? {});
const lead = fields.map((name) => `    ${name}: $json.body.${name},`).join('\n');

const mostTries = 60;
const mostTriesUnreached = 5;
const base = "{{ $('Lead').first().json.leadgate }}";
const sentLead = "$('Send the lead').first().json";

const nodes: readonly Node[] = [
  {
    name: 'Receive a lead',
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
    to: [['What is the answer?'], ['No answer']],
  }),
  branches('What is the answer?', [3, 0], {
    rules: [
      rule('done', '$json.statusCode === 200', 'Done'),
      rule('parked', "$json.body.state === 'parked'", 'A person decides'),
      rule('in progress', '$json.statusCode === 202', 'Get the lead'),
      rule('rejected: correct it', oneOf(statusesOf('VALIDATION_ERROR', 'UPSTREAM_REJECTED')), 'Refused'),
      rule(
        'nothing started: retry',
        `${oneOf(statusesOf('RATE_LIMITED', 'NOT_ACCEPTED'))} && $json.body.error?.retryable === true && $runIndex < ${mostTries}`,
        'Wait for Retry-After',
      ),
    ],
    otherwise: ['any other answer', 'A person decides'],
  }),
  branches('No answer', [3, 3], {
    rules: [rule('retry', `$runIndex < ${mostTriesUnreached}`, 'Wait for Retry-After')],
    otherwise: ['not reached', 'Not reached'],
  }),
  {
    name: 'Wait for Retry-After',
    type: 'wait',
    typeVersion: 1.1,
    at: [4, 3],
    parameters: { resume: 'timeInterval', amount: "={{ Number($json.headers?.['retry-after'] ?? 5) }}", unit: 'seconds' },
    to: [['Send the lead']],
  },
  httpRequest('Get the lead', [4, 1], {
    method: getLead.method,
    url: `=${base}{{ ${sentLead}.body.statusUrl }}?wait=20`,
    to: [['What is its state?'], ['Wait']],
  }),
  branches('What is its state?', [5, 1], {
    rules: [
      rule('done', stateIn(deliveredStates), 'Done'),
      rule('failed or discarded', stateIn(overStates.filter((state) => !isDelivered({ state }))), 'Refused'),
      rule('a person decides', "$json.body.state === 'parked' || [401, 403, 404].includes($json.statusCode)", 'A person decides'),
    ],
    otherwise: ['in progress', 'Wait'],
  }),
  {
    name: 'Wait',
    type: 'wait',
    typeVersion: 1.1,
    at: [6, 2],
    parameters: { resume: 'timeInterval', amount: '={{ Math.min(300, 5 * ($runIndex + 1)) }}', unit: 'seconds' },
    to: [['Get the lead']],
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
    outcome: "'Leadgate could not be reached: send the lead again with the same Idempotency-Key'",
    idempotencyKey: "$('Lead').first().json.idempotencyKey",
  }),
];

const note = `## Send a lead to Leadgate
1. **Lead**: set the address of Leadgate, and map your fields to those of Leadgate.
2. If Leadgate requires a key: in **Send the lead** and **Get the lead** choose *Generic credential*, *Header Auth*, with the name \`x-gateway-key\`.
3. Each lead has its own \`Idempotency-Key\`: from the incoming request, or derived from the execution. A lead that is sent again with the same key arrives once.`;

export const n8nWorkflow = (): string => `${JSON.stringify(workflow('leadgateLead0001', 'Leadgate: send a lead', note, nodes), null, 2)}\n`;
