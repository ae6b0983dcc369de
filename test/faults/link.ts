// A STOMP 1.2 connection over TCP: frames out, frames in through the strict reader.

import { createConnection, type Socket } from 'node:net'
import { clientFrame, type Fields, type ServerFrame, shownFrame, StrictReader } from '../stomp/strict-frames.ts'

/** How a connection ended. */
export interface LinkEnd {
  /** The ERROR frame before it. */
  readonly error: ServerFrame | undefined
  /** What the server sent that is no STOMP. */
  readonly fault: Error | undefined
}

export class Link {
  readonly ended: Promise<LinkEnd>
  hasEnded = false
  private readonly socket: Socket
  private readonly reader = new StrictReader()
  private error: ServerFrame | undefined
  private fault: Error | undefined

  /** Connects with a key. Rejects where that is refused. @param onFrame called with each frame after CONNECTED */
  static open(port: number, passcode: string, onFrame: (frame: ServerFrame) => void): Promise<Link> {
    return new Promise((resolve, reject) => {
      const link = new Link(port, (frame) => {
        if (frame.command === 'CONNECTED') resolve(link)
        else onFrame(frame)
      })
      void link.ended.then(({ error, fault }) => {
        reject(fault ?? new Error(error === undefined ? 'closed before CONNECTED' : shownFrame(error)))
      })
      link.send('CONNECT', { 'accept-version': '1.2', passcode, 'heart-beat': '0,0' })
    })
  }

  private constructor(port: number, onFrame: (frame: ServerFrame) => void) {
    this.socket = createConnection(port, '127.0.0.1').setNoDelay(true)
    this.ended = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.hasEnded = true
        resolve({ error: this.error, fault: this.fault })
      })
    })
    this.socket.on('error', () => {})
    this.socket.on('data', (chunk: Buffer) => {
      if (this.fault !== undefined) return
      try {
        this.reader.pushBytes(chunk, (frame) => {
          if (frame.command === 'ERROR') this.error = frame
          else onFrame(frame)
        })
      } catch (error) {
        this.fault = error as Error
        this.socket.destroy()
      }
    })
  }

  send(command: string, headers: Fields, body = ''): void {
    this.socket.write(clientFrame(command, headers, '1.2', body))
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  destroy(): void {
    this.socket.destroy()
  }
}
