/**
 * What reaches a run without our encryption was not written by this installation. The codec of a worker puts a mark in its place, and
 * workflows and activities refuse the mark. Pure.
 */

export const inClear = { leadgate: 'did not come encrypted' } as const;

export const isInClear = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'leadgate' in value && value.leadgate === inClear.leadgate;

/** The type of the failure that refuses it. */
export const notEncrypted = 'NOT_ENCRYPTED';

/** The words of the refusal. They name nothing that was sent. */
export const notEncryptedWords = (what: string): string =>
  `This ${what} did not come encrypted with a key of this Leadgate, so it is refused. Use the API, the console or the leadgate command`;
