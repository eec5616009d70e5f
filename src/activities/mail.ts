/**
 * Sends an e-mail through an SMTP server, on a connection of its own and within one deadline. A password goes only over TLS with a trusted
 * certificate. Without one, TLS is used where the server offers it, with any certificate, as mail servers do among themselves.
 */
import { cancellationSignal } from '@temporalio/activity';
import { createTransport } from 'nodemailer';
import { webhookTimeoutMs } from '../domain/deadlines';
import { isObject } from '../domain/formats';
import { codeOf } from '../lib/errors';
import { deadlineMs } from './http';

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** The same at every try, so that a mail program can recognise a repeat. */
  readonly messageId: string;
  /** The message that this one answers. */
  readonly inReplyTo?: string;
}

interface MailResult {
  /** Why a recipient does not have the message, in the gateway's own words. */
  readonly problem?: string;
  /** True if other recipients have it. */
  readonly isPartial?: boolean;
}

/** Words for the codes of nodemailer. */
const problems: Readonly<Record<string, string>> = {
  EDNS: 'has no known address',
  ECONNECTION: 'could not be reached',
  ESOCKET: 'could not be reached',
  ETLS: 'offers no TLS',
  ETIMEDOUT: 'did not answer in time',
  EABORT: 'did not answer in time',
  EAUTH: 'refused the user or the password',
  ENOAUTH: 'requires a user and a password',
  EENVELOPE: 'refused the sender or the recipients',
  EMESSAGE: 'refused the message',
};

export async function sendMail(url: string, { to, inReplyTo, ...mail }: Mail): Promise<MailResult> {
  const timeoutMs = deadlineMs(webhookTimeoutMs);
  const { protocol, password } = new URL(url);
  const isVerified = password !== '' || protocol === 'smtps:';
  const transport = createTransport({ url, requireTLS: isVerified, tls: { rejectUnauthorized: isVerified }, socketCloseTimeout: 0 });
  try {
    const { rejected } = await transport.sendMail({
      ...mail,
      ...(inReplyTo && { inReplyTo, references: inReplyTo }),
      to: [...to],
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), cancellationSignal()]),
    });
    return rejected.length === 0 ? {} : { problem: `refused ${rejected.length} of ${to.length} recipients`, isPartial: true };
  } catch (error) {
    return { problem: describe(error) };
  }
}

function describe(error: unknown): string {
  const code = String(codeOf(error) ?? 'no reason given');
  const { responseCode, originalCode } = isObject(error) ? error : {};
  return `${problems[code] ?? 'broke off'} (${String(responseCode ?? originalCode ?? code)})`;
}
