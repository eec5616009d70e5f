/**
 * Reads the code, message, name and stack of a thrown value. The code and message are read by name, because an error of another realm is not
 * `instanceof Error`.
 */
export const codeOf = (error: unknown): string | number | undefined => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
};

export const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

export const errorNameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/** The first lines of the stack, without the message, which may hold the caller's data. */
export const framesOf = (error: unknown): string | undefined =>
  error instanceof Error
    ? error.stack
        ?.split('\n')
        .filter((line) => /^\s+at /.test(line))
        .slice(0, 8)
        .join(' ')
    : undefined;
