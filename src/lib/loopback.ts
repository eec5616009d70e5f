/** True if an address, or a name without its port, is this machine. */
export const isLoopback = (address = ''): boolean => /^(localhost|(::ffff:)?127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(address);

/** True if a Host header names this machine, with any port or none. A web page cannot choose the Host that its browser sends. */
export function isLoopbackHost(header = ''): boolean {
  const [, name] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(header) ?? [];
  return isLoopback(name);
}
