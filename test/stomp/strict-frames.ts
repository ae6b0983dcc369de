// STOMP frames as a suspicious client reads them: a parser of its own, which faults whatever a server may not send
// (STOMP 1.0 to 1.2; docs/live-protocol.md 4 and 8), and a writer for the frames of the client.

import type { Json } from '../json.ts'

export const VERSIONS = ['1.0', '1.1', '1.2'] as const

export type Version = (typeof VERSIONS)[number]

/** A frame of the server that was well-formed. */
export interface ServerFrame {
  readonly command: string
  /** Decoded. No name occurs twice. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
  /** The WebSocket message that carried it was a binary one; false on TCP. */
  readonly isBinary: boolean
}

/** What is wrong with the bytes of the server. */
export class IllFormed extends Error {
  override name = 'IllFormed'
}

const LF = 0x0a
const NUL = 0

/** Lines that stompit 1.0.0 would die on (docs/live-protocol.md 10), its LF included. */
const LINE_BYTES_MAX = 1024
const HEADERS_MAX = 64

const MINTED = /^[A-Za-z0-9._/-]+$/
// Snapshot-end and reset name the destination subscribed to, wildcards included.
const DESTINATION = /^[A-Za-z0-9._/*#-]+$/

const ESCAPES: Readonly<Record<Version, Readonly<Record<string, string>>>> = {
  '1.0': {},
  '1.1': { '\\n': '\n', '\\c': ':', '\\\\': '\\' },
  '1.2': { '\\n': '\n', '\\c': ':', '\\\\': '\\', '\\r': '\r' },
}

/** Header text as a client of a version writes it. 1.0 has no escapes. */
export const escapeText = (text: string, version: Version): string => {
  if (version === '1.0') return text
  const plain = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(':', '\\c')
  return version === '1.2' ? plain.replaceAll('\r', '\\r') : plain
}

/** Headers by name; undefined ones are not sent. */
export type Fields = Readonly<Record<string, string | undefined>>

/** The same as a list, in which a name may occur twice. */
export type Headers = readonly (readonly [name: string, value: string])[] | Fields

const entriesOf = (headers: Headers): readonly (readonly [string, string])[] =>
  Array.isArray(headers)
    ? headers
    : Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)

/** The bytes of a client frame, NUL included. CONNECT is not escaped. Adds nothing: no content-length, no LF. */
export const clientFrame = (
  command: string,
  headers: Headers,
  version: Version,
  body: string | Uint8Array = '',
): Buffer => {
  const escaped = (text: string): string =>
    command === 'CONNECT' || command === 'STOMP' ? text : escapeText(text, version)
  const lines = entriesOf(headers).map(([name, value]) => `${escaped(name)}:${escaped(value)}\n`)
  return Buffer.concat([Buffer.from(`${command}\n${lines.join('')}\n`), Buffer.from(body), Buffer.from([NUL])])
}

/** Decodes an escaped header text; a sequence that the version does not know is a fault. */
const unescapeText = (text: string, version: Version): string =>
  text.replace(/\\[^]?/g, (sequence) => {
    const meant = ESCAPES[version][sequence]
    if (meant === undefined) throw new IllFormed(`undefined escape ${JSON.stringify(sequence)} in ${version}`)
    return meant
  })

const readHeader = (line: string, command: string, version: Version): readonly [string, string] => {
  if (Buffer.byteLength(line) + 1 > LINE_BYTES_MAX) throw new IllFormed(`line over ${LINE_BYTES_MAX} B`)
  const colon = line.indexOf(':')
  if (colon < 1) throw new IllFormed(`no header: ${JSON.stringify(line)}`)
  const name = line.slice(0, colon)
  const value = line.slice(colon + 1)
  if (version === '1.0') return [name, value.trim()]
  if (command === 'CONNECTED') return [name, value]
  if (value.includes(':')) throw new IllFormed(`unescaped colon: ${JSON.stringify(line)}`)
  return [unescapeText(name, version), unescapeText(value, version)]
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array, what: string): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new IllFormed(`${what} is not UTF-8`)
  }
}

/** The headers that each frame of the server must have, and their values. */
const REQUIRED: Readonly<Record<string, readonly (readonly [name: string, allowed: RegExp])[]>> = {
  CONNECTED: [
    ['version', /^1\.[012]$/],
    ['session', MINTED],
    ['server', /^oddswire\/\d+\.\d+\.\d+\S*$/],
    ['heart-beat', /^\d+,\d+$/],
  ],
  MESSAGE: [
    ['destination', DESTINATION],
    ['message-id', MINTED],
    ['content-type', /^application\/(json|msgpack)$/],
    ['content-length', /^\d+$/],
  ],
  // docs/live-protocol.md 4.8
  'short MESSAGE': [
    ['destination', /^\/[os]$/],
    ['message-id', MINTED],
    ['prev', /^-?\d+$/],
  ],
  RECEIPT: [['receipt-id', /^/]],
  ERROR: [
    ['message', /./],
    ['content-type', /^(text\/plain;charset=utf-8|application\/json)$/],
  ],
}

/** Optional headers, and their values. */
const OPTIONAL: readonly (readonly [name: string, allowed: RegExp])[] = [
  ['prev', MINTED],
  ['ack', MINTED],
  ['resume-from', MINTED],
  ['content-length', /^\d+$/],
]

/** Whether a MESSAGE is a short update of `quotes:numbered`. */
export const isShortUpdate = (headers: ReadonlyMap<string, string>): boolean =>
  !headers.has('kind') && headers.get('destination')?.length === 2

const checkHeaders = (command: string, headers: ReadonlyMap<string, string>, version: Version): void => {
  const isShort = command === 'MESSAGE' && isShortUpdate(headers)
  const required = REQUIRED[isShort ? 'short MESSAGE' : command]
  if (isShort && headers.has('content-type')) throw new IllFormed('a short update with content-type')
  if (required === undefined) throw new IllFormed(`a server does not send ${JSON.stringify(command)}`)
  for (const [name, allowed] of required) {
    const value = headers.get(name)
    if (value === undefined) throw new IllFormed(`${command} without ${name}`)
    if (!allowed.test(value)) throw new IllFormed(`${command} with ${name}:${value}`)
  }
  for (const [name, allowed] of OPTIONAL) {
    const value = headers.get(name)
    if (value !== undefined && !allowed.test(value)) throw new IllFormed(`${command} with ${name}:${value}`)
  }
  // 1.0 knows subscriptions without an id.
  if (command === 'MESSAGE' && version !== '1.0' && !headers.has('subscription')) {
    throw new IllFormed('MESSAGE without subscription')
  }
}

interface Head {
  readonly command: string
  readonly headers: ReadonlyMap<string, string>
  readonly version: Version
}

const readHead = (bytes: Buffer, version: Version | undefined): Head => {
  if (bytes.includes(NUL)) throw new IllFormed('NUL inside the headers')
  const text = textOf(bytes, 'header block')
  if (text.includes('\r')) throw new IllFormed('CR inside the headers')
  const [command = '', ...lines] = text.split('\n')
  if (lines.length > HEADERS_MAX) throw new IllFormed(`more than ${HEADERS_MAX} headers`)
  // Before CONNECTED no version is agreed, and the oldest one has no escapes.
  const own = lines.find((line) => line.startsWith('version:'))?.slice('version:'.length)
  const spoken = version ?? (command === 'CONNECTED' ? VERSIONS.find((each) => each === own) : undefined) ?? '1.0'
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [name, value] = readHeader(line, command, spoken)
    if (headers.has(name)) throw new IllFormed(`${command} with ${name} twice`)
    headers.set(name, value)
  }
  checkHeaders(command, headers, spoken)
  return { command, headers, version: spoken }
}

/**
 * Reads one frame at the start of `bytes`.
 * @param version what CONNECTED said; undefined before it
 * @returns the frame and its size in bytes, its NUL included; undefined while bytes are missing
 * @throws IllFormed
 */
export const readFrame = (
  bytes: Buffer,
  version: Version | undefined,
  isBinary = false,
): { readonly frame: ServerFrame; readonly version: Version; readonly length: number } | undefined => {
  const headLength = bytes.indexOf('\n\n')
  if (headLength < 0) {
    if (bytes.includes(NUL)) throw new IllFormed('NUL inside the headers')
    return undefined
  }
  const head = readHead(bytes.subarray(0, headLength), version)
  const bodyFrom = headLength + 2
  const claimed = head.headers.get('content-length')
  const bodyTo = claimed === undefined ? bytes.indexOf(NUL, bodyFrom) : bodyFrom + Number(claimed)
  if (bodyTo < 0 || bytes.length <= bodyTo) return undefined
  if (bytes[bodyTo] !== NUL) throw new IllFormed(`${head.command}: content-length ${claimed} leads to no NUL`)
  const body = Buffer.from(bytes.subarray(bodyFrom, bodyTo))
  checkBody(head, body)
  return {
    frame: { command: head.command, headers: head.headers, body, isBinary },
    version: head.version,
    length: bodyTo + 1,
  }
}

/** The content type of a body. A short update is as the SUBSCRIBE says: as JSON, it has no content-length. */
const encodingOf = (headers: ReadonlyMap<string, string>): string => {
  if (!isShortUpdate(headers)) return headers.get('content-type')!
  return headers.has('content-length') ? 'application/msgpack' : 'application/json'
}

const checkBody = ({ command, headers }: Head, body: Buffer): void => {
  if (command === 'RECEIPT' || command === 'CONNECTED') {
    if (body.length > 0) throw new IllFormed(`${command} with a body`)
    return
  }
  const contentType = encodingOf(headers)
  if (contentType === 'application/msgpack') return
  const text = textOf(body, `body of ${command}`)
  if (contentType !== 'application/json') return
  try {
    JSON.parse(text)
  } catch {
    throw new IllFormed(`${command} whose body is not JSON: ${text.slice(0, 200)}`)
  }
}

/** A byte stream or a sequence of WebSocket messages, read to frames and heart-beats. */
export class StrictReader {
  version: Version | undefined
  /** Heart-beats so far. */
  beats = 0
  /** Whether a WebSocket message may have several frames, with an LF between: what `frames:bundled` asks for. */
  takesBundles = false
  private held: Buffer = Buffer.alloc(0)
  private isTailDue = false

  /** Bytes of a frame that has not ended. */
  get heldBytes(): number {
    return this.held.length
  }

  /** Reads bytes of a TCP stream, on which every frame ends in NUL LF (docs/live-protocol.md 8.5). */
  pushBytes(chunk: Buffer, onFrame: (frame: ServerFrame) => void): void {
    let bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk])
    for (;;) {
      if (this.isTailDue && bytes.length > 0) {
        if (bytes[0] !== LF) throw new IllFormed('a frame that does not end in NUL LF')
        this.isTailDue = false
        bytes = bytes.subarray(1)
      }
      while (bytes[0] === LF) {
        this.beats++
        bytes = bytes.subarray(1)
      }
      const read = bytes.length === 0 ? undefined : readFrame(bytes, this.version)
      if (read === undefined) break
      this.version = read.version
      this.isTailDue = true
      bytes = bytes.subarray(read.length)
      onFrame(read.frame)
    }
    this.held = bytes
  }

  /** Reads one WebSocket message: a heart-beat, or one whole frame and nothing after it (docs/live-protocol.md 8.6). */
  pushMessage(data: Buffer, isBinary: boolean, onFrame: (frame: ServerFrame) => void): void {
    if (data.length === 1 && data[0] === LF) {
      this.beats++
      return
    }
    const read = readFrame(data, this.version, isBinary)
    if (read === undefined) throw new IllFormed('a WebSocket message that holds no whole frame')
    const rest = data.subarray(read.length)
    const hasMore = this.takesBundles && rest.length > 1 && rest[0] === LF
    if (rest.length > 0 && !hasMore)
      throw new IllFormed(`a WebSocket message with ${rest.length} bytes after its frame`)
    const isText = encodingOf(read.frame.headers) !== 'application/msgpack'
    if (isText === isBinary) throw new IllFormed(`${isBinary ? 'binary' : 'text'} WebSocket message for this body`)
    this.version = read.version
    onFrame(read.frame)
    if (hasMore) this.pushMessage(rest.subarray(1), isBinary, onFrame)
  }
}

/** The body as JSON. */
export const jsonOf = (frame: ServerFrame): Json => JSON.parse(frame.body.toString('utf8')) as Json

/** A frame in one line, for messages of failing tests. */
export const shownFrame = ({ command, headers, body }: ServerFrame): string => {
  const parts = Array.from(headers, ([name, value]) => `${name}:${JSON.stringify(value).slice(1, -1)}`)
  return `${command} ${parts.join(' | ')} | ${JSON.stringify(body.toString('utf8').slice(0, 300))}`
}
