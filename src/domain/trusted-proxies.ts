// Proxies whose X-Forwarded-For is believed: behind them, all clients have the address of the proxy.

import { BlockList, isIP } from 'node:net'

/** Entries of a header that are read, from its end. */
const HOPS_MAX = 16

/** `10.0.0.0/8`, `192.0.2.1`, `2001:db8::/32`. */
const ENTRY = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i

const parsed = (
  entry: string,
): { readonly address: string; readonly family: 4 | 6; readonly bits: number } | undefined => {
  const [, address = '', bits] = ENTRY.exec(entry) ?? []
  const family = isIP(address)
  if (family !== 4 && family !== 6) return undefined
  const bitsMax = family === 4 ? 32 : 128
  const prefix = bits === undefined ? bitsMax : Number(bits)
  return prefix <= bitsMax ? { address, family, bits: prefix } : undefined
}

/** Whether this is an address, or a network in CIDR notation. */
export const isNetwork = (entry: string): boolean => parsed(entry) !== undefined

export class TrustedProxies {
  private readonly list = new BlockList()

  /** @param entries addresses and networks, see {@link isNetwork} */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const { address, family, bits } = parsed(entry)!
      this.list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
    }
  }

  /**
   * The address of a client: the last one that no trusted proxy has, of those that X-Forwarded-For names and the connection
   * itself. What clients have put before it themselves is not read.
   * @param remote address of the connection
   * @param forwarded all X-Forwarded-For headers in one; undefined: none
   */
  clientOf(remote: string, forwarded: string | undefined): string {
    let client = remote
    for (const hop of (forwarded ?? '').split(',').slice(-HOPS_MAX).reverse()) {
      if (!this.has(client)) return client
      const address = hop
        .trim()
        .replace(/^\[(.*)\](?::\d+)?$/, '$1')
        .replace(/^([\d.]+):\d+$/, '$1')
      if (isIP(address) === 0) return client
      client = address
    }
    return client
  }

  private has(address: string): boolean {
    const family = isIP(address)
    return family !== 0 && this.list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }
}
