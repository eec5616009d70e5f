/** Writes security.txt by RFC 9116: where a weakness is reported. */
import type { Config } from '../config/config';

export const securityTxtPath = '/.well-known/security.txt';

const dayMs = 86_400_000;
/** The text is made for each request, so a shorter time than the year that the RFC allows costs nothing. */
const validDays = 180;

/** Undefined without SECURITY_CONTACT. The RFC requires https for the Canonical line. */
export function securityTxt({
  SECURITY_CONTACT: contacts,
  LEADGATE_URL: url,
}: Pick<Config, 'SECURITY_CONTACT' | 'LEADGATE_URL'>): string | undefined {
  if (!contacts) return undefined;
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${new Date((Math.floor(Date.now() / dayMs) + validDays) * dayMs).toISOString()}`,
    'Preferred-Languages: en',
    ...(url?.startsWith('https:') ? [`Canonical: ${url.replace(/\/+$/, '')}${securityTxtPath}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
