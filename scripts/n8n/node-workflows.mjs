/** Creates two workflows with the nodes of tools/n8n-nodes-leadgate: one sends leads from a webhook, one forwards the events of the trigger. */

const credentialId = 'leadgateKey00001';
export const triggerPath = 'leadgate-heard';

export const credential = (baseUrl, eventsSecret) => ({
  id: credentialId,
  name: 'Leadgate',
  type: 'leadgateApi',
  data: { baseUrl, apiKey: '', eventsSecret },
});

const credentials = { leadgateApi: { id: credentialId, name: 'Leadgate' } };

const node = (name, type, typeVersion, at, parameters, more = {}) => ({
  id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  name,
  type,
  typeVersion,
  position: [at * 260, 0],
  parameters,
  ...more,
});

const to = (...outputs) => ({ main: outputs.map((names) => names.map((name) => ({ node: name, type: 'main', index: 0 }))) });
const workflow = (id, name, nodes, connections) => ({
  id,
  name,
  active: false,
  settings: { executionOrder: 'v1' },
  nodes,
  connections,
  pinData: {},
});

const required = ['instanceName', 'StudyID', 'ReferrerID', 'firstName', 'lastName', 'email'];
const fromBody = (names) => Object.fromEntries(names.map((name) => [name, `={{ $json.body.${name} }}`]));

const answer = (name, at, responseCode) =>
  node(name, 'n8n-nodes-base.respondToWebhook', 1.1, at, { respondWith: 'json', responseBody: '={{ $json }}', options: { responseCode } });

export const sendWorkflow = (webhook) =>
  workflow(
    'leadgateNode0001',
    'Leadgate: send a lead by the node',
    [
      node(
        'Receive a lead',
        'n8n-nodes-base.webhook',
        2,
        1,
        { httpMethod: 'POST', path: webhook, responseMode: 'responseNode', options: {} },
        { webhookId: webhook },
      ),
      node(
        'Leadgate',
        'CUSTOM.leadgate',
        1,
        2,
        {
          resource: 'siteSystem',
          operation: 'noPrescreen',
          ...fromBody(required),
          additionalFields: fromBody(['phone', 'dob']),
          options: {
            idempotencyKey: "={{ $json.headers['idempotency-key'] || '' }}",
            whenLonger: "={{ $json.headers['when-longer'] || 'wait' }}",
            patienceMinutes: 0.5,
          },
        },
        { credentials, onError: 'continueErrorOutput' },
      ),
      answer('Done', 3, 200),
      { ...answer('Not done', 4, 422), position: [780, 220] },
    ],
    { 'Receive a lead': to(['Leadgate']), Leadgate: to(['Done'], ['Not done']) },
  );

export const heardWorkflow = (receiver) =>
  workflow(
    'leadgateNode0002',
    'Leadgate: hear of leads',
    [
      node(
        'Leadgate Trigger',
        'CUSTOM.leadgateTrigger',
        1,
        1,
        { events: ['lead.parked', 'lead.failed'] },
        { credentials, webhookId: triggerPath },
      ),
      node('Pass it on', 'n8n-nodes-base.httpRequest', 4.2, 2, {
        method: 'POST',
        url: receiver,
        sendBody: true,
        specifyBody: 'json',
        jsonBody: '={{ JSON.stringify($json) }}',
        options: {},
      }),
    ],
    { 'Leadgate Trigger': to(['Pass it on']) },
  );
