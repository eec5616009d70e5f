/** The flow that a team builds first: a webhook, the access key, the send to V1 and the comment, each an HTTP Request node. */
import { webhook } from './start.mjs';

const idOf = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** @param {string} sandbox its address */
function chain(sandbox, path, at, retry) {
  const named = (name) => `${name} ${at}`;
  const request = (name, parameters, more = {}) => ({
    name: named(name),
    type: 'n8n-nodes-base.httpRequest',
    typeVersion: 4.2,
    parameters: { method: 'POST', sendBody: true, specifyBody: 'json', options: {}, ...parameters },
    ...more,
  });
  const lead = `$('${named('Webhook')}').item.json.body`;
  const key = `$('${named('Key')}').item.json.key`;
  const withKey = (name, value) => ({ sendHeaders: true, headerParameters: { parameters: [{ name, value: `={{ ${value} }}` }] } });
  const nodes = [
    {
      name: named('Webhook'),
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      webhookId: idOf(at * 100),
      parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
    },
    request('Key', { url: `${sandbox}/key-service`, jsonBody: `={{ { account: 'ERG', instanceName: ${lead}.instanceName } }}` }),
    request(
      'Send',
      {
        url: `${sandbox}/clinicsys/api/v1/apply`,
        ...withKey('Authorization', `'Bearer ' + ${key}`),
        jsonBody: `={{ { StudyID: ${lead}.StudyID, ReferrerID: ${lead}.ReferrerID, FirstName: ${lead}.firstName, LastName: ${lead}.lastName, Email: ${lead}.email } }}`,
      },
      retry ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 } : {},
    ),
    request('Comment', {
      url: `=${sandbox}/clinicsys/subjects/{{ $json.PatientID }}/comments`,
      ...withKey('Authorization', `'Bearer ' + ${key}`),
      jsonBody: `={{ { comment: ${lead}.protocol } }}`,
    }),
  ].map((node, place) => ({ id: idOf(at * 100 + place + 1), position: [place * 200, at * 200], ...node }));
  const names = nodes.map(({ name }) => name);
  const connections = names.slice(0, -1).map((name, place) => [name, { main: [[{ node: names[place + 1], type: 'main', index: 0 }]] }]);
  return { nodes, connections };
}

export const retrying = `${webhook}-retrying`;

/** The same flow twice: as it comes, and with "Retry On Fail" for the send. */
export function plainFlow(sandbox) {
  const chains = [chain(sandbox, webhook, 1, false), chain(sandbox, retrying, 2, true)];
  return JSON.stringify({
    id: 'plainflow0000001',
    name: 'plain flow',
    active: false,
    settings: { executionOrder: 'v1' },
    nodes: chains.flatMap(({ nodes }) => nodes),
    connections: Object.fromEntries(chains.flatMap(({ connections }) => connections)),
  });
}
