// The naive twin of FrameParser: goes over the whole stream byte by byte, keeps everything, and shares no code with it.

import type { Version } from '../../src/stomp/frame-headers.ts'
import type { FrameLimits } from '../../src/stomp/frame-parser.ts'

export interface NaiveFrame {
  readonly command: string
  readonly headers: Map<string, string>
  readonly body: Buffer
}

export interface NaiveFault {
  readonly fault: 'limit' | 'syntax'
  readonly limit: keyof FrameLimits | undefined
  readonly receipt: string | undefined
  /** Bytes that have to be known for it. */
  readonly at: number
}

export interface NaiveStream {
  readonly frames: readonly NaiveFrame[]
  readonly fault: NaiveFault | undefined
}

class Faulty extends Error {
  readonly limit: keyof FrameLimits | undefined

  constructor(limit?: keyof FrameLimits) {
    super(limit ?? 'syntax')
    this.limit = limit
  }
}

/** The stream ends before the frame does. */
class Short extends Error {}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\', n: '\n', c: ':', r: '\r' }

/**
 * Reads a stream that is whole.
 * @param agreed the version and the largest body that hold behind the first CONNECT; before it 1.2 and the limit
 */
export const naiveFrames = (
  bytes: Buffer,
  limits: FrameLimits,
  agreed: { readonly version: Version; readonly bodyBytesMax: number },
): NaiveStream => {
  let version: Version = '1.2'
  let bodyBytesMax = limits.bodyBytesMax
  let at = 0
  const frames: NaiveFrame[] = []
  let headers: [string, string][] = []

  const take = (): number => {
    if (at === bytes.length) throw new Short()
    return bytes[at++]!
  }

  /** A byte that must come. */
  const expect = (byte: number): void => {
    if (take() !== byte) throw new Faulty()
  }

  const readCommand = (): string => {
    let text = ''
    for (;;) {
      const byte = take()
      if (byte === 10) return text
      if (byte === 13) {
        if (version !== '1.2' && text !== 'CONNECT' && text !== 'STOMP') throw new Faulty()
        expect(10)
        return text
      }
      if (byte <= 32 || byte >= 127) throw new Faulty()
      text += String.fromCharCode(byte)
      if (text.length > limits.commandBytesMax) throw new Faulty('commandBytesMax')
    }
  }

  const readLine = (crlf: boolean): Buffer => {
    const line: number[] = []
    for (;;) {
      const byte = take()
      if (byte === 0) throw new Faulty()
      if (byte === 10) break
      line.push(byte)
      // One CR more than the limit may still be the first half of the line's end.
      const allowed = limits.headerLineBytesMax + (crlf && byte === 13 ? 1 : 0)
      if (line.length > allowed) throw new Faulty('headerLineBytesMax')
    }
    if (crlf && line.at(-1) === 13) line.pop()
    return Buffer.from(line)
  }

  const plain = (text: string, command: string): string => {
    if (command === 'CONNECT' || version === '1.0') return text
    return text.replace(/\\([\s\S]?)/g, (_, letter: string) => {
      const meant = ESCAPED[letter]
      if (meant === undefined || (letter === 'r' && version === '1.1')) throw new Faulty()
      return meant
    })
  }

  const readHeader = (line: Buffer, command: string, crlf: boolean): void => {
    if (crlf && line.includes(13)) throw new Faulty()
    let text: string
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)
    } catch {
      throw new Faulty()
    }
    const match = /^([^:]+):([\s\S]*)$/.exec(text)
    if (match === null) throw new Faulty()
    const value = version === '1.0' && command !== 'CONNECT' ? trim(match[2]!) : match[2]!
    headers.push([plain(match[1]!, command), plain(value, command)])
  }

  const trim = (text: string): string => {
    const isBlank = (character: string | undefined): boolean => character !== undefined && ' \t\r'.includes(character)
    let from = 0
    let to = text.length
    while (from < to && isBlank(text[from])) from++
    while (to > from && isBlank(text[to - 1])) to--
    return text.slice(from, to)
  }

  const readBody = (command: string): Buffer => {
    const given = headers.find(([name]) => name === 'content-length')?.[1]
    const start = at
    if (given === undefined && command === 'SEND') {
      while (take() !== 0) if (at - start > bodyBytesMax) throw new Faulty('bodyBytesMax')
      return bytes.subarray(start, at - 1)
    }
    if (given === undefined) {
      let byte = take()
      if (command === 'CONNECT' && byte === 13) {
        expect(10)
        byte = take()
      } else if (command === 'CONNECT' && byte === 10) byte = take()
      if (byte !== 0) throw new Faulty()
      return Buffer.alloc(0)
    }
    const digits = command === 'CONNECT' ? trim(given) : given
    if (!/^[0-9]+$/.test(digits)) throw new Faulty()
    const length = BigInt(digits)
    if (length > BigInt(bodyBytesMax)) throw new Faulty('bodyBytesMax')
    if (length > 0n && command !== 'SEND') throw new Faulty()
    at += Number(length)
    if (at > bytes.length) throw new Short()
    expect(0)
    return bytes.subarray(start, at - 1)
  }

  const readFrame = (): NaiveFrame => {
    headers = []
    for (;;) {
      const byte = take()
      if (byte === 13 && version === '1.2') expect(10)
      else if (byte !== 10) break
    }
    at--
    const named = readCommand()
    const command = named === 'STOMP' ? 'CONNECT' : named
    const crlf = command === 'CONNECT' || version === '1.2'
    const headersStart = at
    for (;;) {
      const line = readLine(crlf)
      if (line.length === 0) break
      if (headers.length === limits.headersMax) throw new Faulty('headersMax')
      if (at - headersStart > limits.headersBytesMax) throw new Faulty('headersBytesMax')
      readHeader(line, command, crlf)
    }
    const body = readBody(command)
    // Map keeps the last of repeated keys; the first shall win.
    return { command, headers: new Map([...headers].reverse()), body }
  }

  let isConnected = false
  try {
    for (;;) {
      const frame = readFrame()
      frames.push(frame)
      if (frame.command === 'CONNECT' && !isConnected) {
        isConnected = true
        version = agreed.version
        bodyBytesMax = agreed.bodyBytesMax
      }
    }
  } catch (error) {
    if (error instanceof Short) return { frames, fault: undefined }
    if (!(error instanceof Faulty)) throw error
    const receipt = headers.find(([name]) => name === 'receipt')?.[1]
    return { frames, fault: { fault: error.limit === undefined ? 'syntax' : 'limit', limit: error.limit, receipt, at } }
  }
}
