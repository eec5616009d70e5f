/** Reads an answer of Leadgate, and builds the error that n8n shows for it. */
import { NodeApiError, type IDataObject, type IExecuteFunctions, type JsonObject } from 'n8n-workflow';
import { codes } from './generated/codes';
import { isLost, remedyOf, type Refusal, type Remedy } from './generated/meaning';

export interface Answer extends Refusal {
  readonly headers: IDataObject;
  readonly body: IDataObject;
  readonly message: string;
  readonly isDone: boolean;
}

/** Failures before the first byte of a request is sent. */
const unreached = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

const isObject = (value: unknown): value is IDataObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export function answerOf({
  statusCode: status,
  headers,
  body: given,
}: {
  statusCode: number;
  headers: IDataObject;
  body: unknown;
}): Answer {
  const body = isObject(given) ? given : {};
  const error = isObject(body.error) ? body.error : {};
  const isDone = status < 300 && (headers['x-log-id'] !== undefined || typeof body.success === 'boolean');
  const code = isDone ? '' : typeof error.code === 'string' ? error.code : 'NOT_LEADGATE';
  const message = typeof body.message === 'string' ? body.message : `The answer is not from Leadgate (status ${status})`;
  const retryable = error.retryable === true;
  return { status, headers, body, code, message, isDone, retryable, ...(typeof body.state === 'string' && { state: body.state }) };
}

/** Returns the result of a request without an answer. n8n wraps the failure of the connection. */
export function noAnswer(error: unknown): Answer {
  const codes = [error, isObject(error) ? error.cause : undefined].map((one) => (isObject(one) ? String(one.code) : ''));
  const isNotReached = codes.some((code) => unreached.includes(code));
  const none = { headers: {}, body: {}, isDone: false };
  return isNotReached
    ? { ...none, code: 'NOT_REACHED', message: 'No connection to Leadgate: nothing was sent', retryable: true }
    : { ...none, code: 'NO_ANSWER', message: 'The answer was lost', retryable: false };
}

/** What to do, as text. */
const remedies: Readonly<Record<Remedy, string>> = {
  repeat: 'Run it again with the same Idempotency Key: nothing is sent twice.',
  person: 'Do not send it again: check the lead in the console of Leadgate.',
  mend: 'Correct the request. A corrected lead needs another Idempotency Key.',
  setup: 'Correct the key or the setting that the message names.',
  tool: 'Correct the operation and its fields.',
};

export interface RequestFacts {
  readonly isLead: boolean;
  readonly idempotencyKey?: string;
  readonly leadId?: string;
}

/** Builds the fields of the error, for the error output. */
export function failureOf(answer: Answer, { isLead, idempotencyKey, leadId }: RequestFacts): IDataObject {
  const { code, message, status, state, body, headers } = answer;
  const error = isObject(body.error) ? body.error : {};
  const retryable = answer.retryable || (idempotencyKey !== undefined && isLost(answer));
  return {
    code,
    message,
    remedy: remedyOf({ ...answer, retryable }, isLead),
    retryable,
    ...(status !== undefined && { status }),
    ...(state !== undefined && { state }),
    ...(error.details !== undefined && { details: error.details }),
    ...(error.step !== undefined && { step: error.step }),
    leadId: leadId ?? body.leadId ?? headers['x-lead-id'],
    idempotencyKey,
  };
}

export function errorOf(node: IExecuteFunctions, failure: IDataObject, itemIndex: number): NodeApiError {
  const { code, message, status, details, leadId } = failure;
  const fields = (Array.isArray(details) ? details : []) as { readonly field: string; readonly message: string }[];
  const description = [
    ...fields.map(({ field, message: why }) => `${field}: ${why}`),
    ...(leadId ? [`Lead ${String(leadId)}`] : []),
    ...[codes[String(code)]?.advice ?? []].flat(),
    remedies[failure.remedy as Remedy],
  ];
  const shown = new NodeApiError(node.getNode(), failure as JsonObject, {
    message: `${String(code)}: ${String(message)}`,
    description: description.join('\n'),
    ...(status !== undefined && { httpCode: String(status) }),
    itemIndex,
  });
  shown.context.failure = failure;
  return shown;
}
