/**
 * Creates the simple n8n workflow that a team would build first, without Leadgate: a webhook, then one HTTP Request node each for the
 * access key, V1 and the comment.
 */

const request = (name, parameters, more = {}) => ({
  name,
  type: 'n8n-nodes-base.httpRequest',
  typeVersion: 4.2,
  parameters: { method: 'POST', sendBody: true, specifyBody: 'json', options: {}, ...parameters },
  ...more,
});

const lead = "$('Webhook').item.json.body";
const withKey = {
  sendHeaders: true,
  headerParameters: { parameters: [{ name: 'Authorization', value: "={{ 'Bearer ' + $('Key').item.json.key }}" }] },
};

/**
 * @param {string} sandbox its address
 * @param {string} path of the webhook
 * @param {object} settings of the node that sends
 */
export function plainFlow(sandbox, path, settings = {}) {
  const nodes = [
    {
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      webhookId: path,
      parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
    },
    request('Key', { url: `${sandbox}/key-service`, jsonBody: `={{ { account: 'ERG', instanceName: ${lead}.instanceName } }}` }),
    request(
      'Send',
      {
        url: `${sandbox}/clinicsys/api/v1/apply`,
        ...withKey,
        jsonBody: `={{ { StudyID: ${lead}.StudyID, ReferrerID: ${lead}.ReferrerID, FirstName: ${lead}.firstName, LastName: ${lead}.lastName, Email: ${lead}.email } }}`,
      },
      settings,
    ),
    request('Comment', {
      url: `=${sandbox}/clinicsys/subjects/{{ $json.PatientID }}/comments`,
      ...withKey,
      jsonBody: `={{ { comment: ${lead}.protocol } }}`,
    }),
  ].map((node, place) => ({ id: `${path}-${place}`, position: [place * 200, 0], ...node }));
  const names = nodes.map(({ name }) => name);
  const connections = names.slice(0, -1).map((name, place) => [name, { main: [[{ node: names[place + 1], type: 'main', index: 0 }]] }]);
  return {
    id: path,
    name: path,
    active: false,
    settings: { executionOrder: 'v1' },
    nodes,
    connections: Object.fromEntries(connections),
  };
}
