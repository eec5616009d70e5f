/** Writes docs/tools/n8n-events.json: an n8n workflow that receives the events of leads, each one once. */
import { branches, respond, rule, workflow, type Node } from './n8n-nodes';

/** Runs in n8n. The signature covers the raw body, so n8n must keep it: the webhook's option "Raw Body". */
const verify = `const secret = 'whsec_…';
const { createHmac, timingSafeEqual } = require('crypto');

const { headers } = $input.first().json;
const { 'webhook-id': id = '', 'webhook-timestamp': sentAt = '', 'webhook-signature': given = '' } = headers;
const body = await this.helpers.getBinaryDataBuffer(0, 'data');
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
const digest = createHmac('sha256', key).update(id + '.' + sentAt + '.').update(body).digest('base64');
const expected = Buffer.from('v1,' + digest);
const isSame = (one) => one.length === expected.length && timingSafeEqual(one, expected);
const isSigned = given.split(' ').some((each) => isSame(Buffer.from(each)));
const isFresh = Math.abs(Date.now() / 1000 - Number(sentAt)) <= 300;
if (!isSigned || !isFresh) return [{ json: { is: 'forged' } }];

const known = $getWorkflowStaticData('global');
const ids = known.ids ?? [];
if (ids.includes(id)) return [{ json: { is: 'repeat' } }];
known.ids = [...ids, id].slice(-1000);
return [{ json: { is: 'new', event: JSON.parse(body.toString()) } }];`;

const nodes: readonly Node[] = [
  {
    name: 'An event comes in',
    type: 'webhook',
    typeVersion: 2,
    at: [0, 0],
    parameters: { httpMethod: 'POST', path: 'leadgate-events', responseMode: 'responseNode', options: { rawBody: true } },
    to: [['Verify it']],
  },
  { name: 'Verify it', type: 'code', typeVersion: 2, at: [1, 0], parameters: { jsCode: verify }, to: [['Is it new?']] },
  branches('Is it new?', [2, 0], {
    rules: [rule('new', "$json.is === 'new'", 'Your own nodes'), rule('repeat', "$json.is === 'repeat'", 'Taken')],
    otherwise: ['forged', 'Refused'],
  }),
  { name: 'Your own nodes', type: 'noOp', typeVersion: 1, at: [3, 0], parameters: {}, to: [['Taken']] },
  respond('Taken', [4, 0], 200, { taken: '$json.is', type: '$json.event?.type' }),
  respond('Refused', [4, 1], 401, { taken: "'no: its signature or its time is wrong'" }),
];

const note = `## Events of leads from Leadgate
1. **Verify it**: set the secret, the same as EVENTS_WEBHOOK_SECRET of Leadgate. An n8n of your own needs NODE_FUNCTION_ALLOW_BUILTIN=crypto.
2. **Your own nodes**: put yours here. They get each event once, as \`event\`.
3. Publish it, and set EVENTS_WEBHOOK_URL of Leadgate to this webhook's address.`;

export const n8nEventsWorkflow = (): string =>
  `${JSON.stringify(workflow('leadgateEvents01', 'Leadgate: receive events', note, nodes), null, 2)}\n`;
