/** Reads IP addresses. */
import { isIP, SocketAddress } from 'node:net';

const families = { 4: 'ipv4', 6: 'ipv6' } as const;

/** Returns an address in its shortest form, without a zone, and an IPv4 address as such; undefined for any other text. */
export function ipAddressIn(text = ''): string | undefined {
  const version = isIP(text);
  if (version !== 4 && version !== 6) return undefined;
  const { address } = new SocketAddress({ address: text, family: families[version] });
  const [, v4] = /^::ffff:(\d+(?:\.\d+){3})$/.exec(address) ?? [];
  return v4 ?? address;
}
