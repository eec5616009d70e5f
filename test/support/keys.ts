/** Creates gateway keys for tests, derived from the caller's name. */

/** Has the minimum length with any name. */
export const keyOf = (name: string): string => `${name}-key-for-these-tests`;

/** The setting GATEWAY_API_KEYS for callers, each written as a name or `name:scope+scope`. */
export const callers = (...written: readonly string[]): string =>
  written
    .map((caller) => {
      const [name = '', ...scopes] = caller.split(':');
      return [name, keyOf(name), ...scopes].join(':');
    })
    .join(',');
