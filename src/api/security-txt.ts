/** Writes security.txt by RFC 9116: where a weakness is reported. */
import type { Config } from '../config/config';

const dayMs = 86_400_000;
/** The text is made for each request, so a shorter time than the year that the RFC allows costs nothing. */
const validDays = 180;

/** Undefined without SECURITY_CONTACT. The RFC requires https for the Canonical line. */
export function securityTxt(
  { SECURITY_CONTACT: contacts, LEADGATE_URL: url }: Pick<Config, 'SECURITY_CONTACT' | 'LEADGATE_URL'>,
  now = Date.now(),
): string | undefined {
  if (!contacts) return undefined;
  const expires = new Date(Math.floor(now / dayMs + validDays) * dayMs).toISOString();
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    ...(url?.startsWith('https:') ? [`Canonical: ${url.replace(/\/+$/, '')}${securityTxtPath}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

export const securityTxtPath = '/.well-known/security.txt';
