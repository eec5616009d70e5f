/**
 * Defines the mark of a payload that is not encrypted, so this installation did not write it. A worker's codec replaces the payload by the
 * mark, and workflows and activities refuse the mark.
 */

export const inClear = { leadgate: 'did not come encrypted' } as const;

export const isInClear = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'leadgate' in value && value.leadgate === inClear.leadgate;

/** The type of the failure for a refused payload. */
export const notEncrypted = 'NOT_ENCRYPTED';

/** The message of that failure. */
export const notEncryptedWords = (what: string): string =>
  `The ${what} was refused: it is not encrypted with a key of this installation. Use the API, the console or the leadgate command`;
