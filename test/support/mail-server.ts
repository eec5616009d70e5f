/** Starts a mail server that keeps what it receives. With a password it takes mail only after STARTTLS and authentication. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';

/** A certificate for localhost that nothing trusts by itself, with its key. */
export const localhostPem = join(__dirname, 'localhost.pem');

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly text: string;
  header(name: string): string | undefined;
}

interface MailServerOptions {
  readonly user?: string;
  readonly password?: string;
  /** Recipients that are refused with 550. */
  readonly refused?: readonly string[];
  readonly withoutTls?: boolean;
}

export async function openMailServer({ user, password, refused = [], withoutTls }: MailServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const logins: string[] = [];
  const pem = readFileSync(localhostPem);
  const server = new SMTPServer({
    ...{ key: pem, cert: pem, logger: false, authOptional: password === undefined, closeTimeout: 1 },
    disabledCommands: withoutTls ? ['STARTTLS'] : [],
    allowInsecureAuth: withoutTls,
    onAuth({ username, password: given }, _session, done) {
      logins.push(username ?? '');
      if (username === user && given === password) done(null, { user: username });
      else done(new Error('wrong user or password'));
    },
    onRcptTo: ({ address }, _session, done) =>
      done(refused.includes(address) ? Object.assign(new Error('nobody of this name'), { responseCode: 550 }) : null),
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const [head = '', text = ''] = Buffer.concat(chunks)
          .toString()
          .split(/\r\n\r\n(.*)/s);
        const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
        const header = (name: string) =>
          lines.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))?.slice(name.length + 2);
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), secure, text: text.replaceAll('=\r\n', ''), header });
        done();
      });
    },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.server.address() as AddressInfo;
  const credentials = user === undefined ? '' : `${user}:${password ?? ''}@`;
  return {
    url: `smtp://${credentials}localhost:${port}`,
    port,
    received,
    logins,
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
}

export type MailServer = Awaited<ReturnType<typeof openMailServer>>;
