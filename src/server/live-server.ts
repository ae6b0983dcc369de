// STOMP over WebSocket: accepts upgrades, bounds what the library may hold for each, and passes octets to the broker.

import type { HttpResponse, WebSocket } from 'uWebSockets.js'
import type { Broker } from '../stomp/broker.ts'
import type { Rooms } from '../stomp/carrier.ts'
import { type Connections, countedOctets, type Release } from '../stomp/connections.ts'
import type { LiveLimits } from '../stomp/session-limits.ts'
import type { Session } from '../stomp/session.ts'
import type { Tls } from '../stomp/tls.ts'
import { isOriginAllowed, namesUpgrade, subprotocolOf, WebSocketCarrier } from '../stomp/websocket.ts'
import { DISABLED, endWith, type Serving, SHARED_COMPRESSOR, TEXT, writeFixedHeaders } from './listener.ts'
import { repeatedIn, repeatedText } from './named-once.ts'

export interface LiveOptions {
  readonly broker: Broker
  /** While false, upgrades get 503; the broker decides which callers may have a session. */
  readonly isOpen: () => boolean
  readonly limits: LiveLimits
  /** Origins of pages that may connect (empty: all) and read answers of REST (empty: none); `*`: all. */
  readonly origins: readonly string[]
  readonly compresses: boolean
}

const STOMP_PATH = '/stomp'

/** Data that the library keeps with a WebSocket. */
interface SocketData {
  readonly authorization: string | undefined
  readonly apiKey: string | undefined
  /** To be called when it has sent CONNECT, or is gone: it no longer counts as unconnected. */
  readonly release: Release
  /** Releases its place, or the reserved connection: after CONNECT, or when the library no longer holds much of it. */
  readonly releasePlace: Release
  /** The address that limits count by. */
  readonly address: string
  /** Whether the library holds little of it: it reads a message that is not much larger than a CONNECT may be. */
  isSmall: boolean
  isConnected: boolean
  session?: Session
  carrier?: WebSocketCarrier
}

const MS_PER_S = 1000

/** The largest WebSocket message, in octets. */
const messageBytesMaxOf = (limits: LiveLimits): number =>
  limits.commandBytesMax + limits.headersBytesMax + limits.feedBodyBytesMax + limits.webSocketSlackBytes

/**
 * The most that the library may hold for one WebSocket: an incomplete message. A message above the limit, but not above
 * this, is refused with an ERROR; beyond it the library closes the connection.
 */
const heldBytesMaxOf = (limits: LiveLimits): number => 3 * messageBytesMaxOf(limits)

/** At this factor, all connections that have not sent CONNECT together hold half of the budget of the places. */
const SMALL_FACTOR = 2

/** How long the library keeps a WebSocket that it has closed and whose client does not (measured: up to 16 s). */
const LINGER_MS = 20_000

/** How many WebSockets without a key stay within their budget. */
export const unconnectedWebSocketsMax = (limits: LiveLimits): number =>
  Math.floor(limits.unconnectedBytesMax / heldBytesMaxOf(limits))

const TOO_BIG = 'Received too big message'

/** Accepts WebSockets and passes them to the broker. */
export const serveLive = (
  serving: Serving,
  {
    connections,
    live,
    tls,
  }: { readonly connections: Connections; readonly live: LiveOptions; readonly tls: Tls | null },
  rooms: Rooms,
): void => {
  const { broker, isOpen, limits, origins, compresses } = live
  const refuseUpgrade = (res: HttpResponse, status: string, text: string): void => {
    res.writeStatus(status)
    if (status.startsWith('503')) res.writeHeader('Retry-After', '1')
    writeFixedHeaders(res, TEXT, tls !== null)
    endWith(res, `${text}\n`, true)
  }
  const messageBytesMax = messageBytesMaxOf(limits)
  serving.routes.ws<SocketData>(STOMP_PATH, {
    compression: compresses ? SHARED_COMPRESSOR : DISABLED,
    maxPayloadLength: heldBytesMaxOf(limits),
    // The broker disconnects slow consumers; this is only a bound in case of a bug.
    maxBackpressure: 16 * limits.pendingBytesMax,
    idleTimeout: limits.silentMsMax / MS_PER_S,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => {
      if (!isOpen() || !broker.isOpen) return refuseUpgrade(res, '503 Service Unavailable', 'Try again in a moment.')
      const twice = repeatedIn(req)
      if (twice !== undefined) return refuseUpgrade(res, '400 Bad Request', repeatedText(twice))
      if (!namesUpgrade(req.getHeader('connection'))) {
        return refuseUpgrade(res, '400 Bad Request', 'The header Connection must name upgrade.')
      }
      if (!isOriginAllowed(req.getHeader('origin'), origins)) {
        return refuseUpgrade(res, '403 Forbidden', 'Pages of this origin may not connect.')
      }
      const subprotocol = subprotocolOf(req.getHeader('sec-websocket-protocol'))
      if (subprotocol === undefined) {
        return refuseUpgrade(res, '400 Bad Request', 'Offer v12.stomp, v11.stomp or v10.stomp.')
      }
      const address = countedOctets(new Uint8Array(res.getRemoteAddress()))
      const authorization = req.getHeader('authorization') || undefined
      const apiKey = req.getHeader('x-api-key') || undefined
      const key = req.getHeader('sec-websocket-key')
      const extensions = req.getHeader('sec-websocket-extensions')
      const upgrade = (release: Release, releasePlace: Release): void => {
        serving.connections++
        connections.upgraded()
        const data: SocketData = {
          authorization,
          apiKey,
          release,
          releasePlace,
          address,
          isSmall: false,
          isConnected: false,
        }
        res.upgrade<SocketData>(data, key, subprotocol ?? '', extensions, context)
      }
      const giveBack = broker.reserve(authorization, apiKey)
      if (giveBack !== undefined) return upgrade(() => {}, giveBack)
      const release = connections.connecting('websocket', address)
      if (typeof release === 'string') {
        return refuseUpgrade(res, '503 Service Unavailable', 'Too many connections have not sent CONNECT.')
      }
      waitForPlace(res, address, release, (releasePlace) => upgrade(release, releasePlace))
    },
    open: (socket) => {
      const data = socket.getUserData()
      const onConnected = (): void => {
        data.isConnected = true
        data.release()
        data.releasePlace()
      }
      const { places } = connections
      const endsAtOnce = (): boolean =>
        !data.isConnected &&
        ((!data.isSmall && (places.isTight || places.hasWaiting)) || !connections.mayLinger(data.address))
      data.carrier = new WebSocketCarrier(
        socket as WebSocket<unknown>,
        rooms,
        limits.closeMsMax,
        onConnected,
        endsAtOnce,
      )
      data.session = broker.open(data.carrier, data.authorization, data.apiKey)
    },
    message: (socket, message) => {
      const data = socket.getUserData()
      const session = data.session!
      data.isSmall = message.byteLength <= SMALL_FACTOR * limits.bytesBeforeConnectMax
      if (message.byteLength > messageBytesMax) session.refuseMessage(messageBytesMax)
      else session.receive(new Uint8Array(message))
      data.isSmall = false
    },
    drain: (socket) => {
      const { carrier, session } = socket.getUserData()
      carrier!.drained()
      session!.drained()
    },
    close: (socket, _code, message) => {
      const { carrier, session, address, isSmall, isConnected, release, releasePlace } = socket.getUserData()
      if (Buffer.from(message).toString('latin1') === TOO_BIG) broker.countError('limit_exceeded')
      carrier!.gone()
      session!.inputEnded()
      release()
      if (isSmall) releasePlace()
      const freed = (): void => {
        serving.connections--
        connections.closed('websocket')
        releasePlace()
      }
      if (!carrier!.isEnded) return freed()
      // The descriptor and the library's memory may stay in use for a while, and the library does not report the end.
      const endLinger = isConnected ? undefined : connections.lingering(address)
      serving.routes.after(LINGER_MS, () => {
        freed()
        endLinger?.()
      })
    },
  })

  // A WebSocket without a key can make the library hold a whole message of a feed: their number is limited, and the
  // others wait as HTTP requests, which hold next to nothing.
  let newest: HttpResponse | undefined
  const waitForPlace = (
    res: HttpResponse,
    address: string,
    release: Release,
    upgrade: (releasePlace: Release) => void,
  ): void => {
    let state: 'waiting' | 'upgraded' | 'over' = 'waiting'
    let timer: NodeJS.Timeout | undefined
    let leave: Release | undefined
    const ends = (): void => {
      clearTimeout(timer)
      if (newest === res) newest = undefined
    }
    const over = (): void => {
      ends()
      release()
      leave?.()
    }
    leave = connections.places.acquire(address, () => {
      ends()
      state = 'upgraded'
      // Not by its own `cork`: where the memory of the request is used again for the WebSocket, the library reads there
      // afterwards whether to close the connection (uNetworking/uWebSockets#1929). Outside of any response's, it prints a
      // warning: so by that of the newest one that waits, which is upgraded last, mostly: alone, it prints one.
      const upgradeNow = (): void => upgrade(() => leave?.())
      // `leave` is not set yet if there is a place at once, within the library's own handler.
      if (leave === undefined || newest === undefined) upgradeNow()
      else newest.cork(upgradeNow)
    })
    if (state !== 'waiting') return
    newest = res
    timer = setTimeout(() => {
      state = 'over'
      connections.refuse('websocket', 'upgrade_timeout')
      over()
      res.cork(() =>
        refuseUpgrade(res, '503 Service Unavailable', 'Too many connections have not sent CONNECT; try again.'),
      )
    }, limits.upgradeMsMax)
    res.onAborted(() => {
      if (state === 'waiting') over()
      state = 'over'
    })
  }
}
