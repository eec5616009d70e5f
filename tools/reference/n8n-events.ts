/** Generates docs/tools/n8n-events.json: an n8n workflow that receives the events of leads and ignores repeats. */
import { branches, respond, rule, workflow, type Node } from './n8n-nodes';

/** The code of a node. The signature covers the raw body, so the webhook needs the option "Raw Body". */
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
    name: 'Receive an event',
    type: 'webhook',
    typeVersion: 2,
    at: [0, 0],
    parameters: { httpMethod: 'POST', path: 'leadgate-events', responseMode: 'responseNode', options: { rawBody: true } },
    to: [['Verify the event']],
  },
  { name: 'Verify the event', type: 'code', typeVersion: 2, at: [1, 0], parameters: { jsCode: verify }, to: [['Is the event new?']] },
  branches('Is the event new?', [2, 0], {
    rules: [rule('new', "$json.is === 'new'", 'Your nodes'), rule('repeat', "$json.is === 'repeat'", 'Taken')],
    otherwise: ['forged', 'Refused'],
  }),
  { name: 'Your nodes', type: 'noOp', typeVersion: 1, at: [3, 0], parameters: {}, to: [['Taken']] },
  respond('Taken', [4, 0], 200, { taken: '$json.is', type: '$json.event?.type' }),
  respond('Refused', [4, 1], 401, { taken: "'no: the signature or the timestamp is invalid'" }),
];

const note = `## Events of leads from Leadgate
1. **Verify the event**: set the secret to Leadgate's EVENTS_WEBHOOK_SECRET. A self-hosted n8n needs NODE_FUNCTION_ALLOW_BUILTIN=crypto.
2. **Your nodes**: replace it with your nodes. They get each event once, as \`event\`.
3. Publish the workflow, and set Leadgate's EVENTS_WEBHOOK_URL to the URL of its webhook.`;

export const n8nEventsWorkflow = (): string =>
  `${JSON.stringify(workflow('leadgateEvents01', 'Leadgate: receive events', note, nodes), null, 2)}\n`;
