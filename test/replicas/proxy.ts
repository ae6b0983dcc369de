// A plain TCP proxy, with the faults of a network: it delays, cuts, says nothing, and leads elsewhere.

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

export class Proxy {
  /** Where new connections lead to. */
  target: number
  /** Octets are passed on so much later, each way, ms. */
  delayMs = 0
  /** Nothing is passed on, and nothing is closed. */
  isSilent = false
  private readonly server: Server
  private readonly pairs = new Set<Pair>()

  static async listen(target: number): Promise<Proxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new Proxy(server, target)
  }

  private constructor(server: Server, target: number) {
    this.server = server
    this.target = target
    server.on('connection', (near) => this.connect(near))
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** Ends all connections. */
  cut(): void {
    for (const { near, far } of this.pairs) {
      near.destroy()
      far.destroy()
    }
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private connect(near: Socket): void {
    const far = connect(this.target, '127.0.0.1')
    const pair = { near, far }
    this.pairs.add(pair)
    this.pass(near, far)
    this.pass(far, near)
    const end = (): void => {
      near.destroy()
      far.destroy()
      this.pairs.delete(pair)
    }
    for (const socket of [near, far]) socket.setNoDelay(true).on('error', end).on('close', end)
  }

  private pass(from: Socket, to: Socket): void {
    let waiting = 0
    let delayMs = 0
    from.on('data', (chunk) => {
      if (this.isSilent) return
      // What comes after a chunk that waits must not overtake it: timers of equal length end in the order in which they began.
      delayMs = waiting > 0 ? Math.max(delayMs, this.delayMs) : this.delayMs
      if (delayMs === 0) {
        to.write(chunk)
        return
      }
      waiting++
      setTimeout(() => {
        waiting--
        if (!to.destroyed) to.write(chunk)
      }, delayMs)
    })
  }
}
