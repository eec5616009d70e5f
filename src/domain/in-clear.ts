/**
 * A payload that did not come encrypted was not written by this installation. A worker's codec replaces it by a mark, and workflows and
 * activities refuse the mark. Pure.
 */

export const inClear = { leadgate: 'did not come encrypted' } as const;

export const isInClear = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'leadgate' in value && value.leadgate === inClear.leadgate;

/** The type of the failure that refuses it. */
export const notEncrypted = 'NOT_ENCRYPTED';

/** The words of the refusal. They name nothing that was sent. */
export const notEncryptedWords = (what: string): string =>
  `This ${what} did not come encrypted with a key of this Leadgate, so it is refused. Use the API, the console or the leadgate command`;
