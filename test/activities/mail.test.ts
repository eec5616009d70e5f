/** Sends e-mails to mail servers that are in trouble. test/privacy/canary.test.ts sends one over trusted TLS. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { sendMail } from '../../src/activities/mail';
import { freePort } from '../../src/config/ports';
import { openMailServer, type MailServer } from '../support/mail-server';

describe('an e-mail', () => {
  let server: MailServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  const open = async (options: Parameters<typeof openMailServer>[0]) => (server = await openMailServer(options));
  /** The engine's own time-out is longer than the mail's, as in the service; only a server that hangs needs a short one. */
  const send = (url: string, to = ['ops@example.org', 'night@example.org'], startToCloseTimeoutMs = 30_000) =>
    new MockActivityEnvironment({ startToCloseTimeoutMs }).run(() =>
      sendMail(url, { from: 'leadgate@example.org', to, subject: 'Leadgate', text: 'a test', messageId: '<1@example.org>' }),
    );

  it('goes to all recipients, over TLS where the server offers it', async () => {
    const { url, received } = await open({});
    expect(await send(url)).toEqual({});
    expect(received).toMatchObject([{ from: 'leadgate@example.org', to: ['ops@example.org', 'night@example.org'], secure: true }]);
  });

  it('is not sent to a server that offers no TLS for the password', async () => {
    const { url, received, logins } = await open({ user: 'me', password: 'a-password', withoutTls: true });
    expect(await send(url)).toEqual({ problem: 'offers no TLS (500)' });
    expect([received, logins]).toEqual([[], []]);
  });

  it('is not sent to a server with a certificate that is not trusted, if there is a password', async () => {
    const { url, received, logins } = await open({ user: 'me', password: 'a-password' });
    expect(await send(url)).toEqual({ problem: 'could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)' });
    expect([received, logins]).toEqual([[], []]);
  });

  it.each([
    [['gone@example.org'], { problem: 'refused the sender or the recipients (550)' }, 0],
    [['ops@example.org', 'gone@example.org'], { problem: 'refused 1 of 2 recipients', isPartial: true }, 1],
  ])('of which recipients are refused says so: %j', async (to, result, mails) => {
    const { url, received } = await open({ refused: ['gone@example.org'], withoutTls: true });
    expect(await send(url, to)).toEqual(result);
    expect(received).toHaveLength(mails);
  });

  it('is given up in time if the server hangs, and reported if there is none', async () => {
    const hanging = createServer().listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    expect(await send(`smtp://127.0.0.1:${(hanging.address() as AddressInfo).port}`, undefined, 2_400)).toEqual({
      problem: expect.stringContaining('did not answer in time'),
    });
    await new Promise((done) => hanging.close(done));
    expect(await send(`smtp://127.0.0.1:${await freePort()}`)).toEqual({ problem: expect.stringContaining('could not be reached') });
  });
});
