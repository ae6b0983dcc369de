// A network between the browser and the service, which a test breaks: connections are cut, or carry nothing any more.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Proxy {
  readonly port: number
  /** Where connections lead that are made from now on. */
  lead(port: number): void
  /** Ends all connections. */
  cut(): void
  /** From now on nothing passes, in either direction, and nobody is told; old connections stay dead. */
  stall(): void
  /** New connections pass again. */
  mend(): void
  close(): Promise<void>
}

export const startProxy = async (target: number): Promise<Proxy> => {
  let leadsTo = target
  let isStalled = false
  const sockets = new Set<Socket>()
  const server = createServer((inside) => {
    const outside = connect(leadsTo, '127.0.0.1')
    for (const [socket, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    if (isStalled) {
      inside.pause()
      return
    }
    inside.pipe(outside)
    outside.pipe(inside)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    lead(port) {
      leadsTo = port
    },
    cut,
    stall() {
      isStalled = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    mend() {
      isStalled = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
