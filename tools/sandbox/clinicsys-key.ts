/** Simulates the key service, which issues keys for V1 and V2. A key is valid for one instance of an account. */
import { sandboxPaths } from '../../src/config/sandbox-urls';
import { filled, jsonObject, type SimulatedAnswer, type SimulatedCall, type SimulatedRequest } from './call';
import type { ClinicsysStore } from './clinicsys-store';

export function keyService(store: ClinicsysStore): SimulatedCall {
  return {
    name: 'key',
    method: 'post',
    path: `${sandboxPaths.KEY_SERVICE_URL}{/:account}`,
    about: 'issues a key for an instance',
    readsSentinelsFrom: '`instanceName`',
    sentinelTexts: (request) => [filled(jsonObject(request.text)?.instanceName) ?? ''],
    answer: (request) => giveKey(store, request),
    errorBody: (_status, message) => ({ error: message }),
    revoked: (request) => {
      const answer = giveKey(store, request);
      store.revoke(String(answer.body.key));
      return answer;
    },
    essential: ['key'],
  };
}

function giveKey(store: ClinicsysStore, { params, text }: SimulatedRequest): SimulatedAnswer {
  const body = jsonObject(text);
  const account = filled(body?.account);
  const instanceName = filled(body?.instanceName);
  if (!body) return { status: 400, body: { error: 'The body is not a JSON object' } };
  if (!account) return { status: 422, body: { error: 'account is required' } };
  if (!instanceName) return { status: 422, body: { error: 'instanceName is required' } };
  if (params.account && params.account.toLowerCase() !== account.toLowerCase()) {
    return { status: 422, body: { error: 'This key service belongs to another account' } };
  }
  const key = store.issueKey(account, instanceName);
  if (!key) return { status: 404, body: { error: 'Unknown instance' } };
  return { status: 200, body: { key, created: new Date().toUTCString() } };
}
