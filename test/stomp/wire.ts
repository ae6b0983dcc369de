// A proxy between a client and the service, which a test can break.

import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'

/** A proxy that can be broken: what connects to it is connected to a port of the service. */
export class Wire {
  readonly port: number
  private readonly server: Server
  private readonly sockets = new Set<Socket>()

  /** @param target a port, or what gives it for each connection */
  static async to(target: number | (() => number)): Promise<Wire> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Wire(server, typeof target === 'number' ? () => target : target)
  }

  private constructor(server: Server, target: () => number) {
    this.server = server
    this.port = (server.address() as { port: number }).port
    server.on('connection', (near) => {
      const far = createConnection(target(), '127.0.0.1')
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(from)
        from.pipe(to)
        from.on('error', () => {})
        from.once('close', () => {
          this.sockets.delete(from)
          to.destroy()
        })
      }
    })
  }

  /** Breaks what is connected; new connections are accepted. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  close(): void {
    this.server.close()
    this.cut()
  }
}
