/** Any credential opens these simulators, so that nothing must be set up to try them; one that says it is bad does not. */
export const isGood = (credential: string): boolean => credential !== '' && !/wrong|invalid|expired|revoked/i.test(credential);
