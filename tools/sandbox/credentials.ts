/** Accepts any credential, so that the simulators need no set-up, except one that contains a word such as wrong or expired. */
export const isAcceptedCredential = (credential: string): boolean =>
  credential !== '' && !/wrong|invalid|expired|revoked/i.test(credential);
