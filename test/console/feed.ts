// A feed key and a session that sends prices of one event to a running service.

import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { done, type RunningService } from '../service.ts'

/** A name that would be an element of a page, and looks like another one: it turns the direction, and has a part without width. */
export const HOSTILE = 'Zzyz <img src=x onerror=alert(1)>\u202eReds\u200b'

export interface Feed {
  /** A word of the name of a side, to search for. */
  readonly word: string
  /** Id of the event, once it has a price. */
  readonly eventId: (key: string) => Promise<string>
  /** Resolves when the price is on the board. */
  send(price: { readonly odds: number; readonly status: string }): Promise<void>
  close(): Promise<void>
}

/**
 * @param bookmaker a slug that coverage has
 * @param organization name of a new one, whose key it is
 */
export const newFeed = async (
  service: RunningService,
  dataDir: string,
  bookmaker: string,
  organization = 'feeds',
): Promise<Feed> => {
  done(dataDir, 'org', 'create', organization, '--plan', 'desk')
  const secret = done(dataDir, 'key', 'create', '--org', organization, '--feed', bookmaker)
  const socket = connect(service.stompPort, '127.0.0.1')
  await once(socket, 'connect')
  const frames = framesOf(socket)
  socket.write(`CONNECT\naccept-version:1.2\nheart-beat:0,0\npasscode:${secret}\n\n\0`)
  await frames.next('CONNECTED')
  let number = 0
  return {
    word: 'Zzyz',
    async eventId(key) {
      const url = `${service.api}/events?sport=football&dateFrom=2031-01-01T00:00:00Z&transport=live`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
      const { data } = (await answer.json()) as { data: readonly { id: string }[] }
      return data[0]!.id
    },
    async send({ odds, status }) {
      const body = {
        transport: 'live',
        observedAt: new Date().toISOString(),
        event: {
          sport: 'football',
          league: { key: 'zz_league', name: `League ${HOSTILE}` },
          home: HOSTILE,
          away: 'Blues Beyond',
          kickoffAt: '2031-01-01T20:00:00Z',
        },
        quotes: [{ type: 'match_result_1x2', outcome: 'home', odds, status }],
      }
      socket.write(`SEND\ndestination:/feed/${bookmaker}\nreceipt:${++number}\n\n${JSON.stringify(body)}\0`)
      await frames.next('RECEIPT')
    },
    async close() {
      socket.destroy()
    },
  }
}

const framesOf = (socket: Socket) => {
  let text = ''
  let wake = (): void => {}
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
    wake()
  })
  socket.on('close', () => wake())
  return {
    /** Waits for a frame of this command; another one fails. */
    async next(command: string): Promise<void> {
      while (!text.includes('\0')) {
        if (socket.destroyed) throw new Error('the service has closed the connection')
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const frame = text.slice(0, text.indexOf('\0')).trim()
      text = text.slice(text.indexOf('\0') + 1)
      if (!frame.startsWith(command)) throw new Error(`instead of ${command}: ${frame}`)
    },
  }
}
