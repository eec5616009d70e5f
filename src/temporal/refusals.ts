/** Explains why a connection to Temporal failed. The SDK's own message is a dump of its transport's structures. */

interface ConnectionError {
  readonly words: string;
  /** True if a retry cannot help: a setting or a certificate must be changed. */
  readonly isFinal: boolean;
}

const certificate = 'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH';

const explanations: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/CertificateRequired/, `it asks for a client certificate, and none was given: set both ${certificate}`],
  [/received fatal alert/, `it does not accept the client certificate: see ${certificate}`],
  [/UnknownIssuer/, 'its certificate is of an unknown authority: set TEMPORAL_TLS_SERVER_CA_CERT_PATH'],
  [/NotValidForName/, 'its certificate is for another name: set TEMPORAL_TLS_SERVER_NAME to that name'],
  [/InvalidCertificate\((?:Expired|NotValidYet)/, 'its certificate is not valid at this time'],
  [/InvalidCertificate/, 'its certificate cannot be accepted'],
  [/InvalidContentType/, 'it does not use TLS: leave the TEMPORAL_TLS settings out, or set TEMPORAL_TLS=false'],
  [/PrivateKeyParseError|CertificateParseError/, `the client certificate or its key cannot be read: see ${certificate}`],
  [/valid authentication credentials/, 'it refuses the credentials: see TEMPORAL_API_KEY'],
  [/does not have permission/, 'the credentials are not allowed to do this: see TEMPORAL_API_KEY'],
];

export function explainConnectionError(message: string): ConnectionError {
  const [, words] = explanations.find(([pattern]) => pattern.test(message)) ?? [];
  if (words) return { words, isFinal: true };
  // An engine that is starting gives the same errors as one that requires TLS, so these are not final.
  if (/broken pipe|connection reset/i.test(message))
    return { words: 'it closes the connection at once; it may require TLS', isFinal: false };
  if (/dns error/.test(message)) return { words: 'its name cannot be resolved', isFinal: false };
  if (/tcp connect error/.test(message)) return { words: 'nothing listens there', isFinal: false };
  return { words: message, isFinal: false };
}
