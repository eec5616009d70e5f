/** Whether an address, or a name without its port, is this very machine. */
export const isLoopback = (address = ''): boolean => /^(localhost|(::ffff:)?127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(address);
