/** Knows credentials by the names of their fields, and hides them. */
import { isObject } from './formats';
import { secretPlaceholder } from './forward';

/** Names of fields that hold credentials, without case and punctuation. */
export const secretNames = ['key', 'apikey', 'xapikey', 'bearertoken', 'token', 'authorization', 'password', 'secret'] as const;

export const isSecretName = (name: string): boolean =>
  secretNames.some((secret) => secret === name.toLowerCase().replaceAll(/[^a-z]/g, ''));

/** Hides credentials, which not even a clear view may show. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecretName(name) ? secretPlaceholder : withoutSecrets(inner)]),
  );
}
