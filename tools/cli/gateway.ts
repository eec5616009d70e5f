/** The command line's client of the gateway, and the words for its errors. */
import { createLeadgate, LeadgateError, type Leadgate } from '../client';
import { apiUrl, type Config } from '../../src/config/config';
import { statuses, Unable } from './command';

/** Repeats nothing: a person at a terminal is told at once. */
export const gatewayOf = (config: Config, stopped?: AbortSignal): Leadgate =>
  createLeadgate({ baseUrl: apiUrl(config), apiKey: config.LEADGATE_API_KEY, patienceMs: 0, signal: stopped });

/** Statuses that say nothing about the lead: the caller may not ask, or the service could not look. */
const unable: Readonly<Record<number, string>> = {
  401: ': set LEADGATE_API_KEY to a key that the API knows',
  403: ': set LEADGATE_API_KEY to a key that may do this',
  429: '',
  503: '',
};

const isSilent = ({ code }: LeadgateError): boolean => code === 'NOT_REACHED' || code === 'NO_ANSWER';

/** The gateway does not answer, or cannot now: the same request may do well later. */
export const isAway = (error: unknown): error is LeadgateError =>
  error instanceof LeadgateError && (isSilent(error) || error.status === 429 || (error.status ?? 0) >= 500);

/** Whether the gateway answered, with an error of its own. */
export const isRefusal = (error: unknown): error is LeadgateError =>
  error instanceof LeadgateError && error.status !== undefined && error.code !== 'NOT_LEADGATE';

/** The plain error for a request that was not done. If a field of `asked` is wrong, the command was; without `asked`, if any is. */
export function refused(error: LeadgateError, asked?: Iterable<string>): Unable {
  const { code, message, status = 0, details, baseUrl, cause } = error;
  if (isSilent(error) && cause instanceof Error && cause.name === 'AbortError') return new Unable('stopped');
  if (isSilent(error)) return new Unable(`The API does not answer at ${baseUrl}: is \`npm start\` running?`);
  if (code === 'NOT_LEADGATE')
    return new Unable(`What answers at ${baseUrl} does not look like a Leadgate (status ${status}); see LEADGATE_URL`);
  const fields = asked && new Set(asked);
  const wrong = details.map(({ field, message: why }) => `\n  ${field}: ${why}`).join('');
  const isWrongUsage = status === 400 && details.some(({ field }) => fields?.has(field) ?? true);
  return new Unable(`${code}: ${message}${unable[status] ?? ''}${wrong}`, status in unable || isWrongUsage ? statuses.unable : statuses.no);
}
