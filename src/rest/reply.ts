// Finished answers: bytes that are sent as they are.

import { hash } from 'node:crypto'
import { REFUSAL_STATUS, type Refusal } from '../domain/refusal.ts'
import { LimitedBlock } from './limit-headers.ts'

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

/** Status and reason, as in the first line. */
export const statusLine = (status: number): string => `${status} ${REASONS[status]}`

/** Status and headers in one piece, because each further write costs a request 1 %. */
export interface Head {
  readonly status: number
  /** From the status on, without the last line break. */
  readonly block: Buffer
  /** The same memory, with limit headers behind it: a further call to write these took 0.3 µs of a request. */
  readonly limited: LimitedBlock
  /** End of the field for the seq of the log; 0: there is none. */
  readonly seqEnd: number
  /** Where the ETag begins; 0: there is none. */
  readonly etagStart: number
  /** The seq that was last written. */
  seq: number
}

export interface Reply {
  readonly head: Head
  /** May be written again, see {@link rewriteReply}: who keeps it for later sets {@link isHeld} first, or counts in {@link waiting}. */
  body: Buffer
  /** With quotes; empty: none. */
  etag: string
  /** Sent instead of `head`, without a body, if the client already has these bytes. */
  readonly notModified: Head | undefined
  /** Its head allows any origin to read it. */
  readonly isOpen: boolean
  /** Whether a client that takes gzip has got it uncompressed. */
  isAskedFor: boolean
  /** Whether somebody keeps it beyond the request: it stays as it is from now on. */
  isHeld: boolean
  /** Answers with it that wait to be sent: until they are, it stays as it is. */
  waiting: number
  /** Called when the last of them is sent, or its client has gone. */
  onSent: (() => void) | undefined
  /** Of an error answer. */
  readonly refusal: Refusal | undefined
  /** The same in gzip; undefined: there is none, or not yet. */
  gzip: Reply | undefined
}

// `X-Odds-Seq` is the seq when an answer is sent, not when it was rendered, so its digits are patched in place. It is
// right-aligned: blanks before a value are not part of it (RFC 9110 §5.5), and every client strips them.
const SEQ_WIDTH = 28
const BLANK = 0x20
const DASH = 0x2d
const ZERO = 0x30

const VARY = 'Vary: Authorization, X-Api-Key, Accept-Encoding, Origin'

// Browsers must not guess another type than the Content-Type.
const NOSNIFF = 'X-Content-Type-Options: nosniff'

const headOf = (status: number, headers: readonly string[]): Head => {
  const limited = new LimitedBlock([statusLine(status), ...headers, NOSNIFF].join('\r\n'))
  return { status, block: limited.head, limited, seqEnd: 0, etagStart: 0, seq: -1 }
}

const headWithSeq = (status: number, headers: readonly string[]): Head => {
  const field = `X-Odds-Seq: ${' '.repeat(SEQ_WIDTH)}`
  return {
    ...headOf(status, [field, ...headers]),
    seqEnd: statusLine(status).length + 2 + field.length,
  }
}

const headWithTag = (status: number, headers: readonly string[], etag: string): Head => {
  const head = headWithSeq(status, headers)
  return { ...head, etagStart: head.block.indexOf(etag) }
}

/** Room for a body, and for some longer prices: memory of its own. */
const roomFor = (size: number): Buffer => Buffer.allocUnsafeSlow(size + (size >>> 6) + 32)

/**
 * An authenticated 200 with a copy of these bytes.
 * @param memory for them, of nobody else; left out: it is allocated
 */
export const okReply = (bytes: Buffer, etag: string, memory?: ArrayBuffer): Reply => {
  const common = [`ETag: ${etag}`, 'Cache-Control: private, no-cache', VARY]
  const room = memory === undefined ? roomFor(bytes.length) : Buffer.from(memory)
  room.set(bytes)
  return {
    head: headWithTag(200, ['Content-Type: application/json', ...common], etag),
    body: room.subarray(0, bytes.length),
    etag,
    notModified: headWithTag(304, common, etag),
    isOpen: false,
    isAskedFor: false,
    isHeld: false,
    waiting: 0,
    onSent: undefined,
    refusal: undefined,
    gzip: undefined,
  }
}

/** Room that a body keeps even if it needs less than half of it, octets. */
const ROOM_KEPT = 4_096

/**
 * Gives an authenticated 200 other bytes, in its own memory: memory outside the heap, and what has to be collected
 * afterwards, would cost a third of a changed answer.
 * @returns false: it is held, answers with it wait, or they do not fit
 */
export const rewriteReply = (reply: Reply, bytes: Buffer, etag: string): boolean => {
  const { body, head, notModified } = reply
  const room = body.buffer.byteLength
  // The body of a match whose markets have closed does not keep the room of its longest form.
  if (reply.isHeld || reply.waiting > 0 || bytes.length > room || (bytes.length < room / 2 && room > ROOM_KEPT))
    return false
  if (bytes.length !== body.length) reply.body = Buffer.from(body.buffer, 0, bytes.length)
  reply.body.set(bytes)
  reply.etag = etag
  head.block.write(etag, head.etagStart, 'latin1')
  notModified!.block.write(etag, notModified!.etagStart, 'latin1')
  // It has no gzip form: what is compressed is held.
  reply.isAskedFor = false
  return true
}

/**
 * The head of a stream of server-sent events. Proxies must neither compress it nor collect it: nginx looks for a header of
 * its own.
 */
export const streamHead = (): Head =>
  headWithSeq(200, [
    'Content-Type: text/event-stream',
    'Cache-Control: no-store, no-transform',
    VARY,
    'X-Accel-Buffering: no',
  ])

/** Writes the seq of the log into a head that has a field for it. */
export const patchSeq = (head: Head, epoch: string, seq: number): void => {
  if (head.seqEnd === 0 || head.seq === seq) return
  head.seq = seq
  const { block, seqEnd } = head
  const start = seqEnd - SEQ_WIDTH
  let place = seqEnd
  let rest = seq
  do {
    block[--place] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  } while (rest > 0)
  block[--place] = DASH
  for (let letter = epoch.length - 1; letter >= 0; letter--) block[--place] = epoch.charCodeAt(letter)
  while (place > start) block[--place] = BLANK
}

/**
 * The strong ETag of a body: 128 bits of the SHA-256 of it, or of something that says the same, and has other bytes where the body
 * has. Equal bytes have equal tags in every process, and a tag reveals nothing beyond the bytes. 4 µs for 6.6 KB, 0.2 ms
 * for 254 KB; MD5 and BLAKE2 are slower, SHA-1 is no faster.
 */
export const etagOf = (body: NodeJS.ArrayBufferView): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`

/** A public page or document: no key, no seq. */
export const publicReply = (
  content: string | Buffer,
  contentType: string,
  headers: readonly string[],
  isOpen: boolean,
): Reply => {
  const body = typeof content === 'string' ? Buffer.from(content) : content
  const etag = etagOf(body)
  const common = [`ETag: ${etag}`, ...headers, isOpen ? 'Vary: Accept-Encoding' : 'Vary: Accept-Encoding, Origin']
  return {
    head: headOf(200, [`Content-Type: ${contentType}`, ...common]),
    body,
    etag,
    notModified: headOf(304, common),
    isOpen,
    isAskedFor: false,
    isHeld: true,
    waiting: 0,
    onSent: undefined,
    refusal: undefined,
    gzip: undefined,
  }
}

/** A head without a body: for OPTIONS. */
export const noContent = (headers: readonly string[]): Head => headOf(204, headers)

/** A strong tag names the octets of one content coding (RFC 9110 §8.8.3.3). */
export const gzipEtagOf = (etag: string): string => `${etag.slice(0, -1)}-gzip"`

/** The head with the tag of the gzip form, and more headers. Fields before the tag stay where they are. */
const withGzipEtag = (head: Head, etag: string, more: string): Head => {
  const text = head.block.toString('latin1').replace(`ETag: ${etag}`, () => `ETag: ${gzipEtagOf(etag)}`)
  const limited = new LimitedBlock(text + more)
  return { ...head, block: limited.head, limited, seq: -1 }
}

/** The 304 for a client that has the gzip form. */
const gzipNotModified = ({ gzip, notModified, etag }: Reply): Head =>
  gzip?.notModified ?? withGzipEtag(notModified!, etag, '')

/** The gzip form of a reply that has an ETag. */
export const withGzip = (reply: Reply, body: Buffer): Reply => ({
  head: withGzipEtag(reply.head, reply.etag, '\r\nContent-Encoding: gzip'),
  body,
  etag: gzipEtagOf(reply.etag),
  notModified: gzipNotModified(reply),
  isOpen: reply.isOpen,
  isAskedFor: true,
  isHeld: true,
  waiting: 0,
  onSent: undefined,
  refusal: undefined,
  gzip: undefined,
})

/** Extra members and headers of an error answer. */
export interface ErrorExtras {
  readonly members?: Readonly<Record<string, string>>
  readonly headers?: readonly string[]
}

/** The JSON error of a refusal (docs/architecture.md 7.8). */
export const errorReply = (refusal: Refusal, { members = {}, headers = [] }: ErrorExtras = {}): Reply => {
  const status = REFUSAL_STATUS[refusal.refused]
  const challenge = status === 401 ? ['WWW-Authenticate: Bearer'] : []
  return {
    head: headOf(status, ['Content-Type: application/json', 'Cache-Control: no-store', VARY, ...challenge, ...headers]),
    body: Buffer.from(JSON.stringify({ error: { code: refusal.refused, message: refusal.message, ...members } })),
    etag: '',
    notModified: undefined,
    isOpen: false,
    isAskedFor: false,
    isHeld: true,
    waiting: 0,
    onSent: undefined,
    refusal,
    gzip: undefined,
  }
}

/** Whether an `If-None-Match` value names the ETag (weak comparison, RFC 9110 §13.1.2). */
const namesEtag = (ifNoneMatch: string, etag: string): boolean => {
  if (etag === '') return false
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag)
}

/**
 * The 304 of a request that names the tag of the form that would be sent, or of another form that the client takes; of
 * the one that it names, so that a cache knows which of its answers is meant (RFC 9111 §4.3.4).
 */
export const notModifiedOf = (reply: Reply, form: Reply, takesGzip: boolean, ifNoneMatch: string): Head | undefined => {
  if (namesEtag(ifNoneMatch, form.etag)) return form.notModified
  if (!takesGzip) return undefined
  if (namesEtag(ifNoneMatch, reply.etag)) return reply.notModified
  return namesEtag(ifNoneMatch, gzipEtagOf(reply.etag)) ? gzipNotModified(reply) : undefined
}
