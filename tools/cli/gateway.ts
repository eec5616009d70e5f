/** Creates the command line's API client, and turns API errors into command errors. */
import { createLeadgate, LeadgateError, type Leadgate } from '../client';
import { apiUrl, type Config } from '../../src/config/config';
import { statuses, CommandError } from './command';

/** Retries nothing, so that a person at a terminal gets the error at once. */
export const gatewayOf = (config: Config, stopped?: AbortSignal): Leadgate =>
  createLeadgate({ baseUrl: apiUrl(config), apiKey: config.LEADGATE_API_KEY, patienceMs: 0, signal: stopped });

/** Statuses that say nothing about the lead: access denied, or the service is unavailable. Each with a hint for the message. */
const hints: Readonly<Record<number, string>> = {
  401: ': set LEADGATE_API_KEY to a key that the API knows',
  403: ': set LEADGATE_API_KEY to a key with the required scope',
  429: '',
  503: '',
};

const hasNoAnswer = ({ code }: LeadgateError): boolean => code === 'NOT_REACHED' || code === 'NO_ANSWER';

/** True if the same request may succeed later: the gateway does not answer, or is unavailable. */
export const isUnavailable = (error: unknown): error is LeadgateError =>
  error instanceof LeadgateError && (hasNoAnswer(error) || error.status === 429 || (error.status ?? 0) >= 500);

/** True if the gateway answered with one of its own errors. */
export const isErrorAnswer = (error: unknown): error is LeadgateError =>
  error instanceof LeadgateError && error.status !== undefined && error.code !== 'NOT_LEADGATE';

/** Converts an API error. A wrong field counts as wrong usage of the command if it is in `usageFields`; without `usageFields`, any field does. */
export function commandErrorOf(error: LeadgateError, usageFields?: Iterable<string>): CommandError {
  const { code, message, status = 0, details, baseUrl, cause } = error;
  if (hasNoAnswer(error) && cause instanceof Error && cause.name === 'AbortError') return new CommandError('stopped');
  if (hasNoAnswer(error)) return new CommandError(`The API does not answer at ${baseUrl}: is \`npm start\` running?`);
  if (code === 'NOT_LEADGATE') return new CommandError(`The server at ${baseUrl} is not a Leadgate (status ${status}); see LEADGATE_URL`);
  const fields = usageFields && new Set(usageFields);
  const wrong = details.map(({ field, message: why }) => `\n  ${field}: ${why}`).join('');
  const isWrongUsage = status === 400 && details.some(({ field }) => fields?.has(field) ?? true);
  return new CommandError(
    `${code}: ${message}${hints[status] ?? ''}${wrong}`,
    status in hints || isWrongUsage ? statuses.unable : statuses.no,
  );
}
