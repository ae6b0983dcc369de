// The small frames of a server as bytes: CONNECTED, RECEIPT, ERROR (docs/live-protocol.md 8; STOMP 1.0, 1.1, 1.2).

import type { Version } from './frame-headers.ts'
import type { Fault } from './session-fault.ts'

// Per version: characters that must not be raw in a header, and what is written instead. 1.0 has no escapes, so
// characters that would end the line or the frame become spaces; NUL has no escape in any version.
const ESCAPES: Readonly<
  Record<Version, { readonly unsafe: RegExp; readonly written: Readonly<Record<string, string>> }>
> = {
  '1.0': { unsafe: /[\n\r\0]/g, written: { '\n': ' ', '\r': ' ', '\0': ' ' } },
  '1.1': { unsafe: /[\\\n:\0]/g, written: { '\\': '\\\\', '\n': '\\n', ':': '\\c', '\0': ' ' } },
  '1.2': { unsafe: /[\\\n:\r\0]/g, written: { '\\': '\\\\', '\n': '\\n', ':': '\\c', '\r': '\\r', '\0': ' ' } },
}

/**
 * A header name or value as written in a frame of this version. The parser restores every text, except NUL, which
 * becomes a space, and, in 1.0, line breaks (spaces, too) and what 1.0 trims.
 */
export const escapeHeader = (text: string, version: Version): string => {
  const { unsafe, written } = ESCAPES[version]
  return text.search(unsafe) === -1 ? text : text.replace(unsafe, (found) => written[found]!)
}

/**
 * A frame, ending in NUL LF (docs/live-protocol.md 8.5: one public client hangs without the LF). For WebSocket, where a
 * message is a frame, see {@link withoutTail}.
 * @param headers in this order; unescaped. Those of CONNECTED are never escaped, whatever the version (STOMP 1.2, Value
 * Encoding), so line breaks in them become spaces.
 * @param body adds its content-length, in octets, after the headers
 */
export const frameBytes = (
  command: string,
  headers: readonly (readonly [name: string, value: string])[],
  version: Version,
  body?: string,
): Buffer => {
  const rules = command === 'CONNECTED' ? '1.0' : version
  let head = `${command}\n`
  for (const [name, value] of headers) head += `${escapeHeader(name, rules)}:${escapeHeader(value, rules)}\n`
  if (body === undefined) return Buffer.from(`${head}\n\0\n`)
  return Buffer.from(`${head}content-length:${Buffer.byteLength(body)}\n\n${body}\0\n`)
}

/**
 * Octets of a text that a header repeats. One public client drops a connection with a header line over 1 024 octets;
 * escapes may double the colons and backslashes of a text.
 */
const HEADER_TEXT_BYTES_MAX = 480

/**
 * A text for people as the value of a header: one line, without control characters, truncated if it is long. The body
 * of the frame has the full text.
 */
export const headerText = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  if (Buffer.byteLength(line) <= HEADER_TEXT_BYTES_MAX) return line
  const bytes = Buffer.from(line).subarray(0, HEADER_TEXT_BYTES_MAX)
  // A character that was split is dropped.
  return `${bytes.toString('utf8').replace(/\uFFFD$/, '')}…`
}

/** An ERROR. @param members of its body, in addition to those of the fault */
export const errorBytes = (
  { code, message, field, headers = [] }: Fault,
  receipt: string | undefined,
  version: Version,
  members: object | undefined,
): Buffer =>
  frameBytes(
    'ERROR',
    [
      ['message', code],
      // For clients that show the headers of an ERROR and not its body.
      ['detail', headerText(message)],
      ...(field === undefined ? [] : [['field', headerText(field)] as const]),
      ...(receipt === undefined ? [] : [['receipt-id', receipt] as const]),
      ...headers,
      ['content-type', 'application/json'],
    ],
    version,
    JSON.stringify({ error: { code, message, ...(field === undefined ? {} : { field }), ...members } }),
  )

/** A RECEIPT as text. @param refused the code if the SEND was refused (docs/live-protocol.md 7.4) */
export const receiptText = (receipt: string, version: Version, refused?: string): string => {
  const reason = refused === undefined ? '' : `\nrefused:${refused}`
  return `RECEIPT\nreceipt-id:${escapeHeader(receipt, version)}${reason}\n\n\0\n`
}

/** The same bytes without the LF after the NUL; a view. */
export const withoutTail = (frame: Buffer): Buffer => frame.subarray(0, -1)
