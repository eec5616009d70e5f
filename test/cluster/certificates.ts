/** Creates a certificate authority for this run, and certificates for the server and its clients. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const serverName = 'temporal.test';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly authority: string;
  readonly server: Certificate;
  readonly client: Certificate;
}

const ownKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function makeCertificates(parent: string): Certificates {
  const dir = join(parent, 'tls');
  mkdirSync(dir, { mode: 0o700 });
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  openssl('req', '-x509', ...ownKey, '-keyout', 'authority.key', '-out', 'authority.pem', '-days', '2', '-subj', '/CN=test authority');
  writeFileSync(join(dir, 'names'), `subjectAltName=DNS:${serverName}`);
  const issued = (name: string): Certificate => {
    openssl('req', ...ownKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const by = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by);
    return { cert: join(dir, `${name}.pem`), key: join(dir, `${name}.key`) };
  };
  return { authority: join(dir, 'authority.pem'), server: issued('server'), client: issued('client') };
}
