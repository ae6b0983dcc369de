// Observations sent with a feed's key in a session of its own.

import { once } from 'node:events'
import { connect } from 'node:net'

export interface SentQuote {
  readonly type: string
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
  readonly status: 'open' | 'suspended' | 'closed'
}

export interface Sent {
  readonly bookmaker: string
  readonly quotes: readonly SentQuote[]
  readonly others?: 'suspended' | 'closed'
}

/** Resolves when all of it is on the board; rejects where it is refused. @param event the event of all of them */
export const sendAll = async (
  port: number,
  key: string,
  event: Readonly<Record<string, unknown>>,
  sent: readonly Sent[],
): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  const all = new Promise<void>((resolve, reject) => {
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('ERROR\n')) reject(new Error(text))
      if (text.includes('receipt-id:last\n')) resolve()
    })
    socket.once('error', reject)
  })
  await once(socket, 'connect')
  socket.write(`CONNECT\naccept-version:1.2\nheart-beat:0,0\npasscode:${key}\n\n\0`)
  sent.forEach(({ bookmaker, ...rest }, place) => {
    const receipt = place === sent.length - 1 ? 'receipt:last\n' : ''
    const body = { transport: 'both', observedAt: new Date().toISOString(), event, ...rest }
    socket.write(`SEND\ndestination:/feed/${bookmaker}\n${receipt}\n${JSON.stringify(body)}\0`)
  })
  await all
  socket.destroy()
}
