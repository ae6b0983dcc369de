// A finished answer: bytes that can be sent as they are, and what makes them valid.

import { createHash } from 'node:crypto'
import { REFUSAL_STATUS, type Refusal } from '../domain/refusal.ts'

/** One status line each, so that none is put together per request. */
export const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
}

export interface Reply {
  readonly status: number
  /** Header block without the first header's name and without the last CRLF: the value of {@link firstHeader}. */
  readonly head: Buffer
  /** Name of the header whose value `head` begins with. */
  readonly firstHeader: string
  readonly body: Buffer
  /** With quotes; empty: none. */
  readonly etag: string
  /** The block of a 304; only where there is an ETag. */
  readonly notModifiedHead: Buffer
  /** Whether the blocks begin with the field for the seq of the log. */
  readonly hasSeq: boolean
}

// `X-Odds-Seq` is the seq when an answer is sent, not when it was rendered, so its digits are patched in place. It stands
// first and is right-aligned: blanks before a value are no part of it (RFC 9110 §5.5), and every client strips them.
const SEQ_WIDTH = 28
const SEQ_HEADER = 'X-Odds-Seq'
const BLANK = 0x20
const DASH = 0x2d
const ZERO = 0x30

const VARY = 'Vary: Authorization, X-Api-Key, Accept-Encoding'

/** An authenticated 200. */
export const okReply = (body: Buffer, etag: string): Reply => {
  const common = `ETag: ${etag}\r\nCache-Control: private, no-cache\r\n${VARY}`
  const seq = ' '.repeat(SEQ_WIDTH)
  return {
    status: 200,
    firstHeader: SEQ_HEADER,
    head: Buffer.from(`${seq}\r\nContent-Type: application/json\r\n${common}`, 'latin1'),
    body,
    etag,
    notModifiedHead: Buffer.from(`${seq}\r\n${common}`, 'latin1'),
    hasSeq: true,
  }
}

/** Writes the seq into a block that begins with its field. */
export const patchSeq = (block: Buffer, epoch: string, seq: number): void => {
  let place = SEQ_WIDTH
  let rest = seq
  do {
    block[--place] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  } while (rest > 0)
  block[--place] = DASH
  for (let letter = epoch.length - 1; letter >= 0; letter--) block[--place] = epoch.charCodeAt(letter)
  while (place > 0) block[--place] = BLANK
}

/** A public document: no key, no seq. Its ETag is the hash of its bytes. */
export const publicReply = (content: string, contentType: string, headers: string): Reply => {
  const body = Buffer.from(content)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const common = `${etag}\r\n${headers}`
  return {
    status: 200,
    firstHeader: 'ETag',
    head: Buffer.from(`${common}\r\nContent-Type: ${contentType}`, 'latin1'),
    body,
    etag,
    notModifiedHead: Buffer.from(common, 'latin1'),
    hasSeq: false,
  }
}

const NO_STORE = 'Cache-Control: no-store'

/** Extra members and headers of an error answer. */
export interface ErrorExtras {
  readonly members?: Readonly<Record<string, string>>
  readonly headers?: string
}

/** The JSON error of a refusal (spec §7). */
export const errorReply = (refusal: Refusal, extras: ErrorExtras = {}): Reply => {
  const error = { code: refusal.refused, message: refusal.message, ...extras.members }
  const challenge = REFUSAL_STATUS[refusal.refused] === 401 ? '\r\nWWW-Authenticate: Bearer' : ''
  const more = extras.headers === undefined ? '' : `\r\n${extras.headers}`
  const head = Buffer.from(`application/json\r\n${NO_STORE}\r\n${VARY}${challenge}${more}`, 'latin1')
  return {
    status: REFUSAL_STATUS[refusal.refused],
    firstHeader: 'Content-Type',
    head,
    body: Buffer.from(JSON.stringify({ error })),
    etag: '',
    notModifiedHead: head,
    hasSeq: false,
  }
}

/** Whether an `If-None-Match` value names the ETag (weak comparison, RFC 9110 §13.1.2). */
export const namesEtag = (ifNoneMatch: string, etag: string): boolean => {
  if (etag === '') return false
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag)
}
