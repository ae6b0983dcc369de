// Whether a host is this machine itself: what is sent there crosses no network.

/** `host`: a name or an address; IPv6 with or without brackets. */
export const isLoopback = (host: string): boolean => {
  const plain = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (/^(localhost\.?|(::ffff:)?127(\.\d{1,3}){3})$/.test(plain)) return true
  // ::1, however it is written.
  return plain.includes(':') && /^[0:]*:0*1$/.test(plain)
}
