/** True if an address, or a name without its port, is this machine. */
export const isLoopback = (address = ''): boolean => /^(localhost|(::ffff:)?127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(address);

/** True if a Host header names this machine, with any port or none. A web page cannot choose the Host that its browser sends. */
export function isLoopbackHost(header = ''): boolean {
  const [, name] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(header) ?? [];
  return isLoopback(name);
}

/** True for a program of this machine, and for a page that was loaded from this host and port. No other web page can send such a request. */
export const isOwnPage = ({ host, origin }: { readonly host?: string; readonly origin?: string }): boolean =>
  isLoopbackHost(host) && (origin === undefined || origin === `http://${host}`);
