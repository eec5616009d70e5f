import {
  NodeConnectionTypes,
  NodeApiError,
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
} from 'n8n-workflow';
import { errorOf, failureOf } from './answer';
import { GatewayRequests } from './ask';
import { itemRequest, type Options } from './item';
import { fields, keyedOperations, leadOperations, resource } from './generated/requests';

const usualPatienceMinutes = 10;
const minuteMs = 60_000;

export class Leadgate implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Leadgate',
    name: 'leadgate',
    icon: { light: 'file:../../icons/leadgate.svg', dark: 'file:../../icons/leadgate.dark.svg' },
    group: ['output'],
    version: [1],
    subtitle: '={{ $parameter["operation"] }}',
    description: 'Send leads, read them, and use the task board',
    defaults: { name: 'Leadgate' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'leadgateApi', required: true }],
    properties: [
      resource,
      ...fields,
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        displayOptions: { show: { operation: keyedOperations } },
        options: [
          {
            displayName: 'Dry Run',
            name: 'dryRun',
            type: 'boolean',
            default: false,
            description: 'Whether to validate and prepare the lead without sending it',
            displayOptions: { show: { '/operation': leadOperations } },
          },
          {
            displayName: 'Idempotency Key',
            name: 'idempotencyKey',
            type: 'string',
            default: '',
            description:
              'The ID of the lead in your system: a lead that is sent again with it arrives once. By default, the key is derived from the execution and the item.',
          },
          {
            displayName: 'Patience (Minutes)',
            name: 'patienceMinutes',
            type: 'number',
            typeOptions: { minValue: 0 },
            default: usualPatienceMinutes,
            description: 'How long to retry, and to wait for the end of a lead',
          },
          {
            displayName: 'When It Takes Longer',
            name: 'whenLonger',
            type: 'options',
            options: [
              { name: 'Pass It On', value: 'pass', description: 'Continue with the leadId of the accepted lead' },
              { name: 'Wait for Its End', value: 'wait' },
            ],
            default: 'wait',
            description: 'What to do with a lead that is accepted and still in progress',
            displayOptions: { show: { '/operation': leadOperations } },
          },
        ],
      },
    ],
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    const results: INodeExecutionData[] = [];
    const credentials = await this.getCredentials('leadgateApi');
    const baseUrl = String(credentials.baseUrl).replace(/\/+$/, '');
    for (let index = 0; index < items.length; index++) {
      const result = await runItem(this, index, baseUrl);
      if (!(result instanceof NodeApiError)) results.push({ json: result, pairedItem: { item: index } });
      else if (this.continueOnFail()) results.push({ json: { error: result.context.failure as IDataObject }, pairedItem: { item: index } });
      else throw result;
    }
    return [results];
  }
}

/** Sends the request of an item. Returns the result, or the error. */
async function runItem(node: IExecuteFunctions, index: number, baseUrl: string): Promise<IDataObject | NodeApiError> {
  const options = node.getNodeParameter('options', index, {}) as Options;
  const request = itemRequest(node, index, options);
  const { isLead, idempotencyKey } = request;
  const requests = new GatewayRequests(node, baseUrl, (options.patienceMinutes ?? usualPatienceMinutes) * minuteMs);
  const first = isLead ? await requests.lead(request) : await requests.answer(request);
  const leadId = (first.headers['x-lead-id'] ?? first.body.leadId) as string | undefined;
  const isOpen = isLead && first.status === 202 && options.whenLonger !== 'pass' && leadId !== undefined;
  const answer = isOpen ? await requests.end(leadId) : first;
  if (!answer.isDone) return errorOf(node, failureOf(answer, { isLead, idempotencyKey, leadId }), index);
  return isLead && leadId ? { ...answer.body, leadId } : answer.body;
}
