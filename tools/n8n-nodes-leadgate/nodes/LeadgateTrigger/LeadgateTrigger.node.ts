import {
  NodeConnectionTypes,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
} from 'n8n-workflow';
import { isGenuine } from './signature';
import { events } from './generated/events';

const unauthorized = 401;

/** Nothing needs to be registered, because Leadgate's settings name the receiver. */
const nothingToRegister = (): Promise<boolean> => Promise.resolve(true);

export class LeadgateTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Leadgate Trigger',
    name: 'leadgateTrigger',
    icon: { light: 'file:../../icons/leadgate.svg', dark: 'file:../../icons/leadgate.dark.svg' },
    group: ['trigger'],
    version: [1],
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow on events of leads',
    defaults: { name: 'Leadgate Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'leadgateApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'events' }],
    properties: [
      {
        displayName:
          "Set Leadgate's EVENTS_WEBHOOK_URL to the webhook URL of this node, and EVENTS_WEBHOOK_SECRET to the Events Secret of the credential",
        name: 'notice',
        type: 'notice',
        default: '',
      },
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        options: events,
        default: ['lead.parked', 'lead.failed'],
        required: true,
        description: 'The events that start the workflow',
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return nothingToRegister();
      },
      async create(this: IHookFunctions): Promise<boolean> {
        return nothingToRegister();
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        return nothingToRegister();
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const headers = this.getHeaderData();
    const { rawBody } = this.getRequestObject();
    const { eventsSecret } = await this.getCredentials('leadgateApi');
    const id = String(headers['webhook-id'] ?? '');
    const message = {
      id,
      timestamp: String(headers['webhook-timestamp'] ?? ''),
      signatures: String(headers['webhook-signature'] ?? ''),
      body: rawBody,
    };
    if (!isGenuine(message, String(eventsSecret), Date.now())) {
      this.getResponseObject().status(unauthorized).json({ message: 'The signature or the timestamp of this event is invalid' });
      return { noWebhookResponse: true };
    }
    const event = this.getBodyData();
    const selected = this.getNodeParameter('events') as string[];
    // Answer with success, so that it is not sent again.
    if (!selected.includes(String(event.type))) return { webhookResponse: { ignored: event.type } };
    // An event can arrive twice, with the same id.
    return { workflowData: [[{ json: { ...event, webhookId: id } }]] };
  }
}
