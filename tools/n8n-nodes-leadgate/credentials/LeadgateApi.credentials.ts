import type { IAuthenticateGeneric, Icon, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

export class LeadgateApi implements ICredentialType {
  name = 'leadgateApi';
  displayName = 'Leadgate API';
  documentationUrl = 'http://127.0.0.1:8080/docs';
  icon: Icon = { light: 'file:../icons/leadgate.svg', dark: 'file:../icons/leadgate.dark.svg' };

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://127.0.0.1:8080',
      required: true,
      description: 'The address of Leadgate. If n8n runs in a container, 127.0.0.1 is the container itself.',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description: 'Your gateway key, if Leadgate requires one',
    },
    {
      displayName: 'Events Secret',
      name: 'eventsSecret',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      placeholder: 'whsec_…',
      description: "Leadgate's EVENTS_WEBHOOK_SECRET. Only the trigger needs it.",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { 'x-gateway-key': '={{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: "={{$credentials.baseUrl.replace(/\\/+$/, '')}}", url: '/version' },
    rules: [
      {
        type: 'responseSuccessBody',
        properties: { key: 'name', value: undefined, message: 'The server at this address is not Leadgate' },
      },
    ],
  };
}
