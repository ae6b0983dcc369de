// The yardstick of P7: the least that a STOMP broker in Node can do over node:net. It cuts frames at NUL, puts one
// fixed header before the body of a SEND and hands the same bytes, one write per socket and event-loop turn, to every
// subscriber. No keys, no board, no topics, no limits, no checks; it trusts its two clients. For P4 it answers SENDs with
// RECEIPTs, those of a turn with one write: what sockets, frames and receipts take of an ingest that does nothing else.
//
//   node dist/bench/relay.js [--receipts]

import { createServer, type Socket } from 'node:net'

const HEAD = Buffer.from('MESSAGE\nsubscription:sub-0\nmessage-id:1\ndestination:/topic/relay\n\n')
const END = Buffer.from('\0\n')
const LF = 0x0a
/** The second letter of a command is enough to tell these three apart. */
const LETTER = { connect: 0x4f, subscribe: 0x55, send: 0x45 } as const
const RECEIPT = { header: 'receipt:', head: Buffer.from('RECEIPT\nreceipt-id:'), end: Buffer.from('\n\n\0\n') } as const
const hasReceipts = process.argv.includes('--receipts')
const CONNECTED = 'CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0\n'

const subscribers = new Set<Socket>()
let pending: Buffer[] = []
/** RECEIPTs of this turn; there is one publisher. */
let receipts: Buffer[] = []
let publisher: Socket | undefined

const flush = (): void => {
  if (receipts.length > 0) publisher!.write(Buffer.concat(receipts))
  receipts = []
  const bytes = subscribers.size === 0 ? undefined : Buffer.concat(pending)
  pending = []
  if (bytes !== undefined) for (const socket of subscribers) socket.write(bytes)
}

const relay = (body: Buffer): void => {
  if (pending.length === 0) setImmediate(flush)
  pending.push(HEAD, body, END)
}

const acknowledge = (socket: Socket, headers: Buffer): void => {
  const from = headers.indexOf(RECEIPT.header) + RECEIPT.header.length
  const end = headers.indexOf(LF, from)
  publisher = socket
  receipts.push(RECEIPT.head, headers.subarray(from, end === -1 ? headers.length : end), RECEIPT.end)
}

const handle = (socket: Socket, frame: Buffer): void => {
  const headersEnd = frame.indexOf('\n\n')
  switch (frame[1]) {
    case LETTER.connect:
      socket.write(CONNECTED)
      return
    case LETTER.subscribe: {
      const receipt = /\nreceipt:(.*)/.exec(frame.toString('utf8', 0, headersEnd))?.[1]
      if (receipt !== undefined) socket.write(`RECEIPT\nreceipt-id:${receipt}\n\n\0\n`)
      subscribers.add(socket)
      return
    }
    case LETTER.send:
      if (hasReceipts) acknowledge(socket, frame.subarray(0, headersEnd))
      relay(frame.subarray(headersEnd + 2))
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, from)) {
      if (bytes[from] === LF) from++
      handle(socket, bytes.subarray(from, end))
      from = end + 1
    }
    rest = bytes.subarray(from)
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => subscribers.delete(socket))
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.stdout.write(`${JSON.stringify({ ready: true, stomp: port })}\n`)
})
