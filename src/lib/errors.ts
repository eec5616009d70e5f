/** What is known of a thrown value. Asked by name: an error that comes from another realm is no `instanceof Error`. */
export const codeOf = (error: unknown): string | number | undefined => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
};

export const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

/** Where, without the message: a message may hold what the caller sent. */
export const framesOf = (error: unknown): string | undefined =>
  error instanceof Error
    ? error.stack
        ?.split('\n')
        .filter((line) => /^\s+at /.test(line))
        .slice(0, 8)
        .join(' ')
    : undefined;
