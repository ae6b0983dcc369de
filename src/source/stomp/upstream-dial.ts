// Opens a connection to a broker, up to its CONNECTED: stompit's failover calls this for each address that it tries.
// Its own function for this has no time-out beyond the socket's, and fails on an ERROR frame with a text.

import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Endpoint } from '../kit/stomp-connection.ts'
import { stompit } from '../kit/stompit.ts'
import type { Client, IncomingFrame } from '../kit/stompit-types.d.ts'

export interface DialOptions {
  /** Null: without. */
  readonly login: string | null
  /** Null: without. Never part of a message. */
  readonly passcode: string | null
  /** The `host` header: with RabbitMQ the virtual host; null: the host of the address. */
  readonly vhost: string | null
  /** Certificates (PEM) to trust instead of the public authorities. */
  readonly ca: string | undefined
  /** Heart-beats both ways, ms. */
  readonly heartbeatMs: number
  /** Time limit up to CONNECTED. */
  readonly openMsMax: number
}

/** The broker refuses the connection, as opposed to being unreachable. */
export class DialRefusal extends Error {}

/** The text of an ERROR frame: its `message` header, and its body where it has arrived. */
export const readError = (frame: IncomingFrame, onRead: (text: string) => void): void => {
  const title = frame.headers.message ?? 'ERROR'
  let isRead = false
  const read = (body: string): void => {
    if (isRead) return
    isRead = true
    onRead(body.trim() === '' ? title : `${title}: ${body.trim()}`)
  }
  // A broker may close the connection in the middle of it.
  frame.once('close', () => read(''))
  frame.readString('utf8', (error, text) => read(error === null ? text : ''))
}

/** Connects to an address; `onConnected` is called once, with a client without subscriptions. */
export const dial = (
  { host, port, tls }: Endpoint,
  options: DialOptions,
  onConnected: (error: Error | null, client?: Client) => void,
): Client => {
  const { login, passcode, vhost, ca, heartbeatMs, openMsMax } = options
  const name = isIP(host) === 0 ? { servername: host } : {}
  const trust = ca === undefined ? {} : { ca }
  const socket = tls ? connectTls({ host, port, ...name, ...trust }) : connectTcp({ host, port })
  // stompit writes a frame in three pieces: with Nagle's algorithm the last one would wait for an acknowledgement.
  socket.setNoDelay(true)
  // A broker that sends no heart-beats must be found dead at some time, too.
  socket.setKeepAlive(true)
  const client = new (stompit().Client)(socket, {
    heartbeat: [heartbeatMs, heartbeatMs],
    heartbeatOutputMargin: heartbeatMs / 2,
  })
  let isReported = false
  const report = (error: Error | null): void => {
    if (isReported) return
    isReported = true
    clearTimeout(deadline)
    if (error === null) return onConnected(null, client)
    client.destroy()
    onConnected(error)
  }
  const deadline = setTimeout(() => report(new Error(`no answer within ${openMsMax / 1000} s`)), openMsMax)
  client.on('error', (error: Error) => report(error))
  client.on('end', () => report(new Error('the connection was closed')))
  client.on('connect', () => report(null))
  // When the search is aborted, the socket is destroyed, and not the client.
  socket.once('close', () => report(new Error('the connection was closed')))
  socket.once(tls ? 'secureConnect' : 'connect', () => {
    client.connect({
      host: vhost ?? host,
      ...(login === null ? {} : { login }),
      ...(passcode === null ? {} : { passcode }),
    })
    // stompit treats silence as a dead connection even when we stopped reading; upstream-link.ts distinguishes the two.
    client.setHeartbeat([heartbeatMs, 0])
    client.setCommandHandler('ERROR', (frame) => {
      clearTimeout(deadline)
      readError(frame, (text) => report(new DialRefusal(text)))
    })
  })
  return client
}
