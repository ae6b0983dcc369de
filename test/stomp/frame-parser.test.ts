// The frame parser, by rule and against its naive twin.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Version, trimHeader } from '../../src/stomp/frame-headers.ts'
import { type Frame, type FrameFault, type FrameLimits, FrameParser } from '../../src/stomp/frame-parser.ts'
import { Random, SEED } from '../random.ts'
import { type NaiveFrame, type NaiveStream, naiveFrames } from './naive-frames.ts'

const LIMITS: FrameLimits = {
  commandBytesMax: 32,
  headerLineBytesMax: 8192,
  headersMax: 64,
  headersBytesMax: 64 * 1024,
  bodyBytesMax: 64 * 1024,
}

/** Limits that short streams reach. */
const TIGHT: FrameLimits = {
  commandBytesMax: 8,
  headerLineBytesMax: 24,
  headersMax: 4,
  headersBytesMax: 48,
  bodyBytesMax: 20,
}

const VERSIONS: readonly Version[] = ['1.0', '1.1', '1.2']

/** A copy that outlives the callback. */
const copyOf = ({ command, headers, body }: Frame): NaiveFrame => ({
  command,
  headers: headers.toMap(),
  body: Buffer.from(body),
})

interface Parsed {
  readonly frames: readonly NaiveFrame[]
  readonly fault: FrameFault | undefined
  /** Chunks pushed when the fault came. */
  readonly chunks: number
}

interface Setup {
  readonly limits?: FrameLimits
  readonly version?: Version
}

const parse = (chunks: Iterable<Buffer>, { limits = LIMITS, version = '1.2' }: Setup = {}): Parsed => {
  const parser = new FrameParser(limits)
  parser.version = version
  const frames: NaiveFrame[] = []
  let count = 0
  for (const chunk of chunks) {
    count++
    // A chunk is the caller's again after push: what the parser still needs, it must have copied.
    const lent = Buffer.from(chunk)
    const fault = parser.push(lent, (frame) => void frames.push(copyOf(frame)))
    lent.fill(0x21)
    if (fault !== undefined) return { frames, fault, chunks: count }
  }
  return { frames, fault: undefined, chunks: count }
}

const bytesOf = (bytes: Buffer): Buffer[] => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))

/** Latin-1, so that a test can write octets as `\xff`. */
const octets = (text: string): Buffer => Buffer.from(text, 'latin1')

/** What a stream parses to, whole and byte by byte. */
const both = (stream: string, setup: Setup = {}): Parsed => {
  const bytes = octets(stream)
  const whole = parse([bytes], setup)
  const single = parse(bytesOf(bytes), setup)
  assert.deepEqual(single.frames, whole.frames, JSON.stringify(stream))
  assert.deepEqual(single.fault, whole.fault, JSON.stringify(stream))
  return single
}

interface Expected {
  readonly command?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const assertFrames = (stream: string, setup: Setup, expected: readonly Expected[]): void => {
  const { frames, fault } = both(stream, setup)
  assert.equal(fault, undefined, JSON.stringify(stream))
  assert.deepEqual(
    frames.map(({ command, headers, body }) => ({
      command,
      headers: Object.fromEntries(headers),
      body: body.toString('latin1'),
    })),
    expected.map(({ command = 'SEND', headers = {}, body = '' }) => ({ command, headers, body })),
    JSON.stringify(stream),
  )
}

interface ExpectedFault {
  readonly limit?: keyof FrameLimits
  readonly receipt?: string
  /** Bytes after which it is reported; all, where left out. */
  readonly after?: number
  readonly message?: RegExp
}

const assertFault = (stream: string, setup: Setup, expected: ExpectedFault = {}): void => {
  const { fault, chunks } = both(stream, setup)
  assert(fault !== undefined, `accepted: ${JSON.stringify(stream)}`)
  assert.deepEqual(
    { fault: fault.fault, limit: fault.limit, receipt: fault.receipt, after: chunks },
    {
      fault: expected.limit === undefined ? 'syntax' : 'limit',
      limit: expected.limit,
      receipt: expected.receipt,
      after: expected.after ?? stream.length,
    },
    JSON.stringify(stream),
  )
  if (expected.limit !== undefined) assert(fault.message.includes(expected.limit), fault.message)
  if (expected.message !== undefined) assert.match(fault.message, expected.message)
}

test('a frame is a command, headers and a body', () => {
  assertFrames('SEND\ndestination:/feed/a\nreceipt:1\n\n{"a":1}\0', {}, [
    { headers: { destination: '/feed/a', receipt: '1' }, body: '{"a":1}' },
  ])
  assertFrames('DISCONNECT\nreceipt:77\n\n\0', {}, [{ command: 'DISCONNECT', headers: { receipt: '77' } }])
  assertFrames('SEND\n\n\0', {}, [{}])
})

test('frames follow each other, with and without EOLs between them', () => {
  assertFrames('\n\nSEND\n\na\0SEND\n\nb\0\n\n\nBEGIN\n\n\0\n', {}, [
    { body: 'a' },
    { body: 'b' },
    { command: 'BEGIN' },
  ])
  assertFrames('\n\r\n\nSEND\n\na\0\r\n\r\nSEND\n\nb\0\n', { version: '1.2' }, [{ body: 'a' }, { body: 'b' }])
  assertFrames('\n'.repeat(10_000), {}, [])
})

test('a CR without LF between frames is a fault in 1.2, and each CR in 1.0 and 1.1', () => {
  assertFault('\n\rSEND', { version: '1.2' }, { after: 3 })
  assertFault('\r\r', { version: '1.2' })
  for (const version of ['1.0', '1.1'] as const) assertFault('\n\r\n', { version }, { after: 2 })
})

test('STOMP is CONNECT', () => {
  assertFrames('STOMP\naccept-version:1.2\n\n\0', {}, [{ command: 'CONNECT', headers: { 'accept-version': '1.2' } }])
})

test('commands are case-sensitive, and unknown ones are passed on', () => {
  assertFrames('send\n\n\0stomp\n\n\0~!0\n\n\0', {}, [{ command: 'send' }, { command: 'stomp' }, { command: '~!0' }])
})

test('lines end in LF or CR LF in 1.2', () => {
  assertFrames('SEND\r\na:b\r\nc:d\n\r\nx\r\n\0', {}, [{ headers: { a: 'b', c: 'd' }, body: 'x\r\n' }])
  assertFrames('SEND\r\n\r\n\0', {}, [{}])
})

test('a CR anywhere else is a fault in 1.2', () => {
  assertFault('SEND\rX', {})
  assertFault('SEND\r\r', {})
  assertFault('SEND\na:b\rc\n', {})
  assertFault('SEND\na:b\r\r\n', {})
  assertFault('SEND\na\r:b\n', {})
  assertFault('SEND\n\r\r\n', {})
})

test('1.0 and 1.1 know no CR LF: a CR belongs to the line', () => {
  assertFrames('SEND\na:b\r\n\n\0', { version: '1.1' }, [{ headers: { a: 'b\r' } }])
  assertFrames('SEND\na:b\r\n\n\0', { version: '1.0' }, [{ headers: { a: 'b' } }])
  for (const version of ['1.0', '1.1'] as const) {
    assertFault('SEND\r', { version })
    assertFault('SEND\na:b\n\r\n', { version }, { message: /no colon/ })
  }
})

test('a CONNECT may use CR LF whatever the version', () => {
  for (const version of VERSIONS) {
    for (const command of ['CONNECT', 'STOMP']) {
      assertFrames(`${command}\r\nlogin:a\r\n\r\n\0`, { version }, [{ command: 'CONNECT', headers: { login: 'a' } }])
    }
    assertFault('CONNECT\r\nlogin:a\rb\r\n', { version })
  }
  for (const version of ['1.0', '1.1'] as const) assertFault('CONNECTED\r', { version })
})

test('headers are unescaped by the rules of the version', () => {
  const stream = 'SEND\na\\cb:x\\n\\\\n\\c:y\n\n\0'
  assertFrames(stream, { version: '1.2' }, [{ headers: { 'a:b': 'x\n\\n::y' } }])
  assertFrames(stream, { version: '1.1' }, [{ headers: { 'a:b': 'x\n\\n::y' } }])
  assertFrames(stream, { version: '1.0' }, [{ headers: { 'a\\cb': 'x\\n\\\\n\\c:y' } }])
  assertFrames('SEND\na:\\r\n\n\0', { version: '1.2' }, [{ headers: { a: '\r' } }])
})

test('an undefined escape is a fault', () => {
  assertFault('SEND\na:\\r\n', { version: '1.1' }, { message: /1\.1/ })
  for (const version of ['1.1', '1.2'] as const) {
    for (const line of ['a:\\t', 'a:\\', 'a:\\N', 'a\\x:b', 'a\\:b', 'a:b\\\\\\', 'a:\\\xc3\xa9']) {
      assertFault(`SEND\nreceipt:7\n${line}\n`, { version }, { receipt: '7', message: /escape/ })
    }
  }
})

test('CONNECT is never unescaped or trimmed, but split at the first colon', () => {
  for (const version of VERSIONS) {
    assertFrames('CONNECT\npasscode: a\\c:\\x\t\n\n\0', { version }, [
      { command: 'CONNECT', headers: { passcode: ' a\\c:\\x\t' } },
    ])
  }
})

test('1.0 trims values, 1.1 and 1.2 do not', () => {
  const stream = 'SEND\na: \tb c\t \nd:  \n\n\0'
  assertFrames(stream, { version: '1.0' }, [{ headers: { a: 'b c', d: '' } }])
  for (const version of ['1.1', '1.2'] as const) {
    assertFrames(stream, { version }, [{ headers: { a: ' \tb c\t ', d: '  ' } }])
  }
  assert.equal(trimHeader(' \t a b\r '), 'a b')
  assert.equal(trimHeader(' \r\t'), '')
  // Blanks inside stay, and a frame full of them costs no more than its bytes.
  const value = `a${' '.repeat(8_000)}b`
  const lines = Array.from({ length: 60 }, (_, n) => `h${n}:${value} \n`).join('')
  const limits = { ...LIMITS, headersBytesMax: 1024 * 1024 }
  const { frames } = parse([octets(`SEND\n${lines}\n\0`)], { version: '1.0', limits })
  assert.deepEqual(new Set(frames[0]?.headers.values()), new Set([value]))
})

test('the first of repeated headers wins', () => {
  assertFrames('SEND\na:1\nb:x\na:2\na:3\n\n\0', {}, [{ headers: { a: '1', b: 'x' } }])
  assertFrames('SEND\ncontent-length:2\ncontent-length:1\n\n\0\0\0', {}, [
    { headers: { 'content-length': '2' }, body: '\0\0' },
  ])
  // A length that does not count need not be one.
  assertFrames('SEND\ncontent-length:0\ncontent-length:x\n\n\0', {}, [{ headers: { 'content-length': '0' } }])
  let got: (string | undefined)[] = []
  new FrameParser(LIMITS).push(Buffer.from('SEND\na:1\na:2\n__proto__:p\n\n\0'), ({ headers }) => {
    got = [headers.get('a'), headers.get('__proto__'), headers.get('b'), headers.get('toString')]
  })
  assert.deepEqual(got, ['1', 'p', undefined, undefined])
})

test('headers are UTF-8', () => {
  const { frames } = both('SEND\n\xc3\xa9:\xe6\xbc\xa2\xf0\x9f\x8f\x86 \\c\xef\xbb\xbf\n\n\0')
  assert.deepEqual([...frames[0]!.headers], [['é', '漢🏆 :\ufeff']])
  const wrong = ['\xff', '\xc3', '\xc3(', '\xe2\x82', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\x80']
  for (const octet of wrong) {
    for (const version of VERSIONS) {
      assertFault(`SEND\na:${octet}\n`, { version }, { message: /UTF-8/ })
      assertFault(`CONNECT\n${octet}:a\n`, { version }, { message: /UTF-8/ })
    }
  }
})

test('a header without a colon or a name is a fault, one without a value is not', () => {
  assertFault('SEND\na:b\nab\n', {}, { message: /^header 2 has no colon$/ })
  assertFault('SEND\n:b\n', {}, { message: /^header 1 has no name$/ })
  assertFault('SEND\n:\n', {})
  assertFault('SEND\n \n', {})
  assertFrames('SEND\na:\n\n\0', {}, [{ headers: { a: '' } }])
})

test('a NUL before the blank line is a fault at once', () => {
  assertFault('DISCONNECT\nreceipt:1\n\0', {}, { receipt: '1' })
  assertFault('SEND\nreceipt:1\nab\0', {}, { receipt: '1' })
  assertFault('SEND\0', {})
  assertFault('\0', {})
})

test('a body has as many octets as content-length says, NULs included', () => {
  assertFrames('SEND\ncontent-length:5\n\n\0\n\0\r\0\0SEND\n\nx\0', {}, [
    { headers: { 'content-length': '5' }, body: '\0\n\0\r\0' },
    { body: 'x' },
  ])
  assertFrames('SEND\ncontent-length:2\n\n\xc3\xa9\0', {}, [{ headers: { 'content-length': '2' }, body: '\xc3\xa9' }])
  assertFrames('SEND\ncontent-length:003\n\nabc\0', {}, [{ headers: { 'content-length': '003' }, body: 'abc' }])
})

test('content-length 0 is fine on every frame', () => {
  for (const command of ['SEND', 'CONNECT', 'SUBSCRIBE', 'WHATEVER']) {
    assertFrames(`${command}\ncontent-length:0\n\n\0`, {}, [{ command, headers: { 'content-length': '0' } }])
  }
  for (const [command, version] of [
    ['CONNECT', '1.2'],
    ['SEND', '1.0'],
    ['ACK', '1.0'],
  ] as const) {
    const { fault } = both(`${command}\ncontent-length: 0 \n\n\0`, { version })
    assert.equal(fault, undefined, `${command} in ${version}`)
  }
})

test('a content-length that is no number of bytes is a fault', () => {
  for (const length of ['-1', '1.0', '1.5', '', ' 1', '1 ', '+1', '1e3', '0x10', 'abc', '1,000', '\xd9\xa3', '-0']) {
    assertFault(`SEND\nreceipt:r\ncontent-length:${length}\n\n`, {}, { receipt: 'r', message: /content-length/ })
  }
})

test('a content-length that is wrong is a fault at the byte where the NUL should be', () => {
  assertFault('SEND\ncontent-length:2\n\nabc\0', {}, { after: 26 })
  assertFault('SEND\ncontent-length:0\n\na', {})
  assertFault('CONNECT\ncontent-length:0\n\n\n', {})
  // Too long: it includes what follows, and the octet after it is no NUL.
  assertFault('SEND\ncontent-length:4\n\nabc\0SEND', {}, { after: 28 })
})

test('a huge content-length is a limit, reported when the headers are complete', () => {
  for (const length of ['65537', '4294967296', '9007199254740993', '9'.repeat(400), '9'.repeat(8_000)]) {
    assertFault(`SEND\nreceipt:q\ncontent-length:${length}\n\n`, {}, { limit: 'bodyBytesMax', receipt: 'q' })
    assertFault(`CONNECT\ncontent-length:${length}\n\n`, {}, { limit: 'bodyBytesMax' })
  }
})

test('only SEND may have a body', () => {
  for (const command of ['SUBSCRIBE', 'ACK', 'DISCONNECT', 'MESSAGE', 'WHATEVER', 'send']) {
    assertFault(`${command}\nreceipt:r\n\nx`, {}, { receipt: 'r', message: /only SEND/ })
    assertFault(`${command}\n\n\n`, {})
    assertFault(`${command}\ncontent-length:1\n\n`, {})
  }
  assertFault('CONNECT\n\nx', {})
  assertFault('CONNECT\ncontent-length:1\n\n', {})
})

test('one EOL as the body of a CONNECT is dropped', () => {
  for (const version of VERSIONS) {
    for (const command of ['CONNECT', 'STOMP']) {
      for (const eol of ['\n', '\r\n']) {
        assertFrames(`${command}\na:b\n\n${eol}\0SEND\n\nx\0`, { version }, [
          { command: 'CONNECT', headers: { a: 'b' } },
          { body: 'x' },
        ])
      }
    }
    assertFault('CONNECT\n\n\n\n', { version })
    assertFault('CONNECT\n\n\r\0', { version })
    assertFault('CONNECT\n\n\n\r', { version })
  }
})

test('commandBytesMax: as many are accepted, one more is refused', () => {
  const longest = 'X'.repeat(32)
  assertFrames(`${longest}\n\n\0`, {}, [{ command: longest }])
  assertFrames(`${longest}\r\n\n\0`, {}, [{ command: longest }])
  assertFault(`${longest}X`, {}, { limit: 'commandBytesMax' })
})

test('headerLineBytesMax: as many are accepted, without the EOL, one more is refused', () => {
  const value = 'v'.repeat(8190)
  for (const version of VERSIONS) {
    assertFrames(`SEND\na:${value}\n\n\0`, { version }, [{ headers: { a: value } }])
    assertFrames(`CONNECT\na:${value}\r\n\n\0`, { version }, [{ command: 'CONNECT', headers: { a: value } }])
    assertFault(`SEND\nreceipt:r\na:${value}v`, { version }, { limit: 'headerLineBytesMax', receipt: 'r' })
    assertFault(`CONNECT\na:${value}\rv`, { version }, { limit: 'headerLineBytesMax' })
    assertFault(`CONNECT\na:${value}\r\r`, { version }, { limit: 'headerLineBytesMax' })
    assertFault(`CONNECT\na:${value}\r\0`, { version })
  }
  assertFrames(`SEND\na:${value}\r\n\n\0`, {}, [{ headers: { a: value } }])
  // Where CR LF is no EOL, the CR is the octet too many.
  for (const version of ['1.0', '1.1'] as const) {
    assertFault(`SEND\na:${value}\r`, { version }, { limit: 'headerLineBytesMax' })
  }
})

test('headersMax: as many are taken, repeated ones counted, one more is refused', () => {
  const lines = Array.from({ length: 64 }, (_, n) => `h${n % 60}:${n}\n`).join('')
  assert.equal(both(`SEND\n${lines}\nx\0`).frames[0]?.headers.size, 60)
  assertFault(`SEND\n${lines}a:b\n`, {}, { limit: 'headersMax' })
  assertFault(`SUBSCRIBE\n${lines}a:b\n`, {}, { limit: 'headersMax' })
  // As many as are remembered of the frame before count, too.
  const setup = { limits: { ...LIMITS, headersMax: 3 } }
  const three = 'SEND\na:1\nb:2\nc:3\n'
  assertFault(`${three}\n\0${three}\n\0${three}c:3\n`, setup, { limit: 'headersMax' })
})

test('headersBytesMax: as many are taken, EOLs counted, one more is refused', () => {
  const eight = (last: number): string =>
    Array.from({ length: 8 }, (_, n) => `h${n}:${'v'.repeat(n === 7 ? last : 8_188)}`).join('\n')
  // Seven lines of 8,192 octets with their EOLs, and one that makes it 65,536.
  assert.equal(both(`SEND\nreceipt:r\n${eight(8_188 - 10)}\n\nx\0`).frames[0]?.headers.size, 9)
  assertFault(`SEND\nreceipt:r\n${eight(8_188 - 9)}\n`, {}, { limit: 'headersBytesMax', receipt: 'r' })
  assertFault(`SUBSCRIBE\r\n${eight(8_188)}\r\n`, {}, { limit: 'headersBytesMax' })
  assert.equal(both(`SUBSCRIBE\r\n${eight(8_187)}\r\n\r\n\0`).frames.length, 1)
  // What is remembered of the frame before counts, too.
  const setup = { limits: { ...LIMITS, headersBytesMax: 9 } }
  assert.equal(both(`${'SEND\na:1\nbc:2\n\n\0'.repeat(3)}`, setup).frames.length, 3)
  const two = 'SEND\na:1\nb:2\n'
  assertFault(`${two}\n\0${two}c:3\n`, setup, { limit: 'headersBytesMax' })
  assertFault(
    `${two}\n\0SEND\na:12\nb:2\n`,
    { limits: { ...LIMITS, headersBytesMax: 8 } },
    { limit: 'headersBytesMax' },
  )
})

test('bodyBytesMax: as many are accepted, one more is refused, with content-length and without', () => {
  const body = 'b'.repeat(LIMITS.bodyBytesMax)
  const length = { 'content-length': String(body.length) }
  assertFrames(`SEND\n\n${body}\0`, {}, [{ body }])
  assertFrames(`SEND\ncontent-length:${body.length}\n\n${body}\0`, {}, [{ headers: length, body }])
  assertFault(`SEND\nreceipt:r\n\n${body}b`, {}, { limit: 'bodyBytesMax', receipt: 'r' })
  assertFault(`SEND\ncontent-length:${body.length + 1}\n\n`, {}, { limit: 'bodyBytesMax' })
})

test('the session may raise bodyBytesMax and set the version in the callback of CONNECT', () => {
  const stream = octets('CONNECT\n\n\0SEND\na: \\x \n\n123456789012345678901\0')
  for (const chunks of [[stream], bytesOf(stream)]) {
    const parser = new FrameParser(TIGHT)
    const bodies: string[] = []
    for (const chunk of chunks) {
      const fault = parser.push(chunk, ({ command, headers, body }) => {
        bodies.push(`${command} ${headers.get('a')} ${body.toString()}`)
        parser.version = '1.0'
        parser.bodyBytesMax = 21
      })
      assert.equal(fault, undefined)
    }
    assert.deepEqual(bodies, ['CONNECT undefined ', 'SEND \\x 123456789012345678901'])
  }
})

test('what is no STOMP is refused at its first bytes', () => {
  assertFault('GET / HTTP/1.1\r\n', {}, { after: 4 })
  assertFault('\x16\x03\x01\x02\x00', {}, { after: 1 })
  assertFault('{"transport":"live","observedAt":"2026', {}, { after: 33, limit: 'commandBytesMax' })
})

test('messages hold nothing of what the client sent', () => {
  const streams = [
    'SECRET\x01',
    'SEND\nSECRET\n',
    'SEND\nSECRET:\\SECRET\n',
    'SEND\ncontent-length:SECRET\n\n',
    'ACK\n\nSECRET',
  ]
  for (const stream of streams) {
    const { fault } = parse([octets(stream)])
    assert(fault !== undefined && !fault.message.includes('SECRET'), stream)
  }
})

test('a fault is reported once, and nothing is read after it', () => {
  const parser = new FrameParser(LIMITS)
  let frames = 0
  const onFrame = (): void => void frames++
  assert.equal(parser.push(octets('SEND\n\n\0\x01SEND\n\n\0'), onFrame)?.fault, 'syntax')
  assert.equal(frames, 1)
  assert.equal(parser.push(octets('SEND\n\n\0'), onFrame), undefined)
  assert.equal(parser.resume(onFrame), undefined)
  assert.equal(frames, 1)
  assert.equal(parser.heldBytes, 0)
})

test('a receipt of the frame before is not that of a faulty one', () => {
  assertFault('SEND\nreceipt:1\n\n\0SEND\nab\n', {})
  assertFault('SEND\nreceipt:1\n\n\0\x01', {})
  assertFault('SEND\nreceipt:1\nreceipt:2\nab\n', {}, { receipt: '1' })
})

test('a frame that lies in one chunk is not copied', () => {
  const chunk = octets('SEND\n\nfirst\0SEND\ncontent-length:6\n\nsecond\0')
  const parser = new FrameParser(LIMITS)
  const places: number[] = []
  parser.push(chunk, ({ body }) => {
    assert.equal(body.buffer, chunk.buffer)
    places.push(body.byteOffset - chunk.byteOffset)
  })
  assert.deepEqual(places, [6, 35])
  assert.equal(parser.heldBytes, 0)
})

test('only the frame that the chunks split is copied, those behind it are not', () => {
  const first = octets('SEND\n\nab')
  const second = octets('cd\0SEND\n\nef\0')
  const parser = new FrameParser(LIMITS)
  const bodies: [text: string, copied: boolean][] = []
  for (const chunk of [first, second]) {
    parser.push(chunk, ({ body }) => void bodies.push([body.toString(), body.buffer !== chunk.buffer]))
  }
  assert.deepEqual(bodies, [
    ['abcd', true],
    ['ef', false],
  ])
})

test('a chunk may be any Uint8Array', () => {
  const memory = new Uint8Array([9, 9, ...octets('SEND\n\nx\0'), 9])
  const bodies: string[] = []
  new FrameParser(LIMITS).push(memory.subarray(2, -1), ({ body }) => void bodies.push(body.toString()))
  assert.deepEqual(bodies, ['x'])
})

test('a stop keeps the rest of the chunk for resume', () => {
  const stream = octets('SEND\n\n1\0SEND\n\n2\0SEND\n\n3\0SEND\n\n4')
  const parser = new FrameParser(LIMITS)
  const bodies: string[] = []
  const onFrame = ({ body }: Frame): boolean => {
    bodies.push(body.toString())
    return body.toString() === '2'
  }
  assert.equal(parser.push(stream, onFrame), undefined)
  assert.deepEqual(bodies, ['1'])
  assert.equal(parser.consumedBytes, 8)
  assert.equal(parser.heldBytes, stream.length - 8)
  stream.fill(0x21)
  assert.equal(parser.resume(onFrame), undefined)
  assert.deepEqual(bodies, ['1', '2', '3'])
  assert.equal(parser.consumedBytes, 24)
  assert.equal(parser.resume(onFrame), undefined)
  assert.equal(parser.push(octets('44\0'), onFrame), undefined)
  assert.deepEqual(bodies, ['1', '2', '3', '444'])
  assert.equal(parser.heldBytes, 0)
})

test('a stop at a frame that chunks had split keeps the rest, too', () => {
  const parser = new FrameParser(LIMITS)
  const bodies: string[] = []
  const stopping = ({ body }: Frame): boolean => {
    bodies.push(body.toString())
    return false
  }
  parser.push(octets('SEND\n\n1'), stopping)
  parser.push(octets('2\0SEND\n\n3\0'), stopping)
  assert.deepEqual(bodies, ['12'])
  parser.resume(stopping)
  assert.deepEqual(bodies, ['12', '3'])
  assert.equal(parser.heldBytes, 0)
})

test('bytes pushed during a stop are dropped, and resume reports it', () => {
  const parser = new FrameParser(LIMITS)
  const stopping = (): boolean => false
  parser.push(octets('SEND\n\n1\0SEND\n\n2\0'), stopping)
  const held = parser.heldBytes
  assert.equal(parser.push(octets('SEND\n\n3\0'), stopping), undefined)
  assert.equal(parser.heldBytes, held)
  assert.equal(parser.resume(stopping)?.fault, 'syntax')
  assert.equal(parser.resume(stopping), undefined)
  assert.equal(parser.heldBytes, 0)
})

test('resume without a stop does nothing, and an empty chunk during one loses nothing', () => {
  const parser = new FrameParser(LIMITS)
  const stopping = (): boolean => false
  assert.equal(parser.resume(stopping), undefined)
  parser.push(octets('SEND\n\n1\0'), stopping)
  parser.push(Buffer.alloc(0), stopping)
  assert.equal(parser.resume(stopping), undefined)
})

test('close in a callback ends the stream there', () => {
  for (const head of ['', 'SEND\n\n']) {
    const parser = new FrameParser(LIMITS)
    const bodies: string[] = []
    const closing = ({ body }: Frame): void => {
      parser.close()
      bodies.push(body.toString())
    }
    parser.push(octets(head), closing)
    assert.equal(parser.push(octets(`${head === '' ? 'SEND\n\n' : ''}1\0SEND\n\n2\0\x01`), closing), undefined)
    assert.equal(parser.push(octets('SEND\n\n3\0'), closing), undefined)
    assert.deepEqual(bodies, ['1'])
    assert.equal(parser.heldBytes, 0)
  }
})

test('a callback that throws leaves a parser that reads nothing on', () => {
  const parser = new FrameParser(LIMITS)
  const throwing = (): never => {
    throw new Error('a bug')
  }
  assert.throws(() => parser.push(octets('SEND\n\n1\0SEND\n\n2\0'), throwing), /a bug/)
  assert.equal(parser.push(octets('SEND\n\n3\0'), throwing), undefined)
  assert.equal(parser.resume(throwing)?.fault, 'syntax')
})

test('consumedBytes counts all that was read, heart-beats and frames under way included', () => {
  const parser = new FrameParser(LIMITS)
  const seen: number[] = []
  const onFrame = (): void => void seen.push(parser.consumedBytes)
  parser.push(octets('\n\nSEND\n\n1\0\n'), onFrame)
  assert.equal(parser.consumedBytes, 11)
  parser.push(octets('SEND'), onFrame)
  assert.equal(parser.consumedBytes, 15)
  parser.push(octets('\n\n2\0\nACK'), onFrame)
  assert.equal(parser.consumedBytes, 23)
  assert.deepEqual(seen, [10, 19])
})

test('a parser holds nothing before it is needed, and between frames', () => {
  const parser = new FrameParser(LIMITS)
  const none = (): void => undefined
  assert.equal(parser.heldBytes, 0)
  parser.push(octets('\n\r'), none)
  parser.push(octets('\n\r\n'), none)
  assert.equal(parser.heldBytes, 0)
  parser.push(octets('SEND\ndestination:/feed/a'), none)
  assert(parser.heldBytes > 0 && parser.heldBytes <= 512, `${parser.heldBytes}`)
  parser.push(octets('\n\nbody\0\n\n'), none)
  assert.equal(parser.heldBytes, 0)
  parser.push(octets('SEND\ncontent-length:60000\n\n'), none)
  for (let sent = 0; sent < 60_000; sent += 1000) parser.push(Buffer.alloc(1000), none)
  assert(parser.heldBytes >= 60_000)
  parser.push(octets('\0'), none)
  assert.equal(parser.heldBytes, 0)
})

test('a content-length claims nothing: what is held grows with what has come', () => {
  const bodyBytesMax = 1024 * 1024
  for (const head of [`SEND\ncontent-length:${bodyBytesMax}\n\n`, 'SEND\n\n']) {
    const parser = new FrameParser({ ...LIMITS, bodyBytesMax })
    let length = -1
    const onFrame = ({ body }: Frame): void => {
      length = body.length
      assert(body.every((octet) => octet === 0x61))
    }
    parser.push(octets(head), onFrame)
    assert(parser.heldBytes <= 512, `${parser.heldBytes} held for a claim`)
    // Byte by byte: each growth copies what is held, so it must at least double.
    const octet = octets('a')
    let held = parser.heldBytes
    let copied = 0
    for (let came = head.length + 1; came <= head.length + bodyBytesMax; came++) {
      assert.equal(parser.push(octet, onFrame), undefined)
      if (parser.heldBytes !== held) {
        copied += came - 1
        held = parser.heldBytes
        assert(held <= Math.max(512, came * 2), `${held} held for ${came}`)
      }
    }
    assert(copied < 2 * (head.length + bodyBytesMax), `${copied} bytes copied`)
    assert.equal(length, -1)
    assert.equal(parser.push(octets('\0'), onFrame), undefined)
    assert.equal(length, bodyBytesMax)
    assert.equal(parser.heldBytes, 0)
  }
})

test('what is held stays within the limits, whatever comes', () => {
  const random = new Random(SEED)
  const most =
    TIGHT.commandBytesMax + 2 + TIGHT.headersBytesMax + TIGHT.headerLineBytesMax + 2 + 2 + TIGHT.bodyBytesMax + 1
  for (let run = 0; run < 300; run++) {
    const parser = new FrameParser(TIGHT)
    for (const chunk of cut(random, randomStream(random, '1.2'))) {
      if (parser.push(chunk, () => undefined) !== undefined) break
      assert(parser.heldBytes <= Math.max(512, most * 2), `seed ${SEED}, run ${run}: ${parser.heldBytes}`)
    }
  }
  // A buffer that a large frame needed is not kept for the small, incomplete one behind it.
  const parser = new FrameParser({ ...LIMITS, bodyBytesMax: 1024 * 1024 })
  parser.push(octets('SEND\n\n'), () => undefined)
  parser.push(Buffer.alloc(1_000_000, 'a'), () => undefined)
  parser.push(octets('\0SEND\n\nab'), () => undefined)
  assert.equal(parser.heldBytes, 512)
})

test('headers that a publisher repeats, nearly repeats and changes are read as they are', () => {
  const frame = (lines: string): string => `SEND\n${lines}\n\0`
  const frames = [
    'destination:/feed/a\nreceipt:1\n',
    'destination:/feed/a\nreceipt:2\n',
    'destination:/feed/a\nreceipt:2\n',
    'destination:/feed/ab\nreceipt:22\n',
    'destination:/feed/a\nreceipt:\n',
    'destination:/feed/a\n',
    'destination:/feed/a\nreceipt:3\nx:y\n',
    'destinatioN:/feed/a\nreceipt:3\nx:y\n',
    'destination:/feed/a:b\nreceipt\\c:3\nx:\\n\n',
    'destination:/feed/a:b\nreceipt\\c:3\nx:\\\\\n',
    'receipt:3\ndestination:/feed/a\n',
    // Longer than what is remembered of a line, by little and by much.
    ...[109, 110, 111, 112, 200, 256, 300].map((n) => `destination:/feed/${'a'.repeat(n)}\nreceipt:4\n`),
    'destination:/feed/a\r\nreceipt:4\r\n',
    'destination:/feed/a\nreceipt:4\n',
    'destination:/feed/é\nreceipt:4\n',
    'destination:/feed/é\nreceipt:5\n',
    'destination:/feed/è\nreceipt:5\n',
    // Numbers, and what only looks like one.
    ...['0', '00', '07', '10', '999999999', '1000000000', '12345678901', '1a', '-1', '1.5', ' 1', '1 ', '1\\c'].map(
      (number) => `destination:/feed/a\nreceipt:${number}\n`,
    ),
    'destination:/feed/a\nreceipt:12\r\n',
    'destination:1\nreceipt\\c:12\n',
    'destination:2\nreceipt\\c:13\n',
    Array.from({ length: 12 }, (_, n) => `h${n}:${n}\n`).join(''),
    Array.from({ length: 12 }, (_, n) => `h${n}:${n}\n`).join(''),
    Array.from({ length: 12 }, (_, n) => `h${n}:${n + 1}\n`).join(''),
  ]
  const random = new Random(SEED)
  for (let run = 0; run < 200; run++) {
    const stream = Array.from({ length: 40 }, () => frame(random.pick(frames))).join('')
    assertLikeTwin(random, Buffer.from(stream), LIMITS, '1.2', `run ${run}`)
  }
})

test('what is remembered of header lines is forgotten when the version changes', () => {
  const parser = new FrameParser(LIMITS)
  const values: (string | undefined)[] = []
  for (const version of ['1.2', '1.0', '1.1', '1.2'] as const) {
    parser.version = version
    for (let n = 0; n < 2; n++) {
      parser.push(octets('SEND\na: \\c \n\n\0'), ({ headers }) => void values.push(headers.get('a')))
    }
  }
  assert.deepEqual(values, [' : ', ' : ', '\\c', '\\c', ' : ', ' : ', ' : ', ' : '])
})

test('a remembered header line does not hide one with a fault', () => {
  assertFault('SEND\na:b\n\n\0SEND\na:b\0', {})
  assertFault('SEND\na:b\n\n\0SEND\na:\xff\n', {})
  assertFault('SEND\na:b\n\n\0SEND\na\n', {})
  assertFault('SEND\na:b\n\n\0SEND\na:b\rc\n', {})
  assertFault('SEND\ncontent-length:1\n\nx\0SEND\ncontent-length:1\n\nxy', {})
})

// Streams at random

const COMMANDS = ['SEND', 'SEND', 'SEND', 'SEND', 'CONNECT', 'STOMP', 'SUBSCRIBE', 'ACK', 'X'.repeat(8)]
const NAMES = ['a', 'receipt', 'receipt', 'destination', 'x\\cy', 'content-lengt', 'é', '\\n', 'receipt']
const TEXTS = ['', 'a', '1', '2', ' b ', '\\c', '\\\\', '\\n', '\\r', ':', 'é漢', '🏆', '/feed/a', '\t', 'v'.repeat(12)]
const SPECIAL = [0, 0, 10, 10, 13, 13, 0x3a, 0x5c, 0x20, 0xc3, 0xff, 0x30, 0x41]

/** A frame that mostly keeps to the grammar and to TIGHT. */
const randomFrame = (random: Random, version: Version): Buffer => {
  const command = random.pick(COMMANDS)
  const allowsCrlf = version === '1.2' || command === 'CONNECT' || command === 'STOMP'
  const eol = (): string => (allowsCrlf && random.chance(0.3) ? '\r\n' : '\n')
  const body = Buffer.from(
    Array.from({ length: command === 'SEND' ? random.int(0, random.chance(0.1) ? 22 : 20) : 0 }, () =>
      random.chance(0.3) ? random.pick(SPECIAL) : random.int(0, 255),
    ),
  )
  const lines = Array.from({ length: random.int(0, random.chance(0.05) ? 5 : 3) }, () => {
    const text = Array.from({ length: random.int(0, 3) }, () => random.pick(TEXTS)).join('')
    return `${random.pick(NAMES)}:${text}${eol()}`
  })
  const isPlain = !body.includes(0)
  if (!isPlain || random.chance(0.3)) {
    const length = random.chance(0.05)
      ? random.pick(['', '-1', '1e1', '99', 'x', String(body.length + 1)])
      : body.length
    lines.splice(random.int(0, lines.length), 0, `content-length:${length}${eol()}`)
  }
  const tail = random.chance(0.5) ? Array.from({ length: random.int(0, 3) }, eol).join('') : ''
  const after = version === '1.2' ? tail : tail.replaceAll('\r', '')
  return Buffer.concat([Buffer.from(`${command}${eol()}${lines.join('')}${eol()}`), body, Buffer.from(`\0${after}`)])
}

const mutated = (random: Random, bytes: Buffer): Buffer => {
  const at = random.int(0, bytes.length)
  const to = Math.min(bytes.length, at + random.int(0, 6))
  const before = bytes.subarray(0, at)
  const octet = Buffer.of(random.chance(0.6) ? random.pick(SPECIAL) : random.int(0, 255))
  switch (random.int(0, 4)) {
    case 0:
      return Buffer.concat([before, octet, bytes.subarray(at)])
    case 1:
      return Buffer.concat([before, octet, bytes.subarray(at + 1)])
    case 2:
      return Buffer.concat([before, bytes.subarray(to)])
    case 3:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)])
    default:
      return before
  }
}

const randomStream = (random: Random, version: Version): Buffer => {
  const frames = Array.from({ length: random.int(1, 8) }, () => randomFrame(random, version))
  // Publishers repeat themselves.
  if (random.chance(0.5)) frames.push(...frames)
  let stream: Buffer = Buffer.concat(frames)
  for (let n = random.chance(0.5) ? random.int(1, 3) : 0; n > 0; n--) stream = mutated(random, stream)
  return stream
}

/** A stream in pieces, some of them empty. */
function* cut(random: Random, bytes: Buffer): Generator<Buffer> {
  const most = random.pick([1, 2, 5, 20, 100, 1000])
  for (let at = 0; at < bytes.length; ) {
    const to = Math.min(bytes.length, at + random.int(random.chance(0.1) ? 0 : 1, most))
    yield bytes.subarray(at, to)
    at = to
  }
}

/** Parses, with the version agreed at the first CONNECT, and stops at some frames. */
const parseLive = (
  chunks: Iterable<Buffer>,
  limits: FrameLimits,
  agreed: { readonly version: Version; readonly bodyBytesMax: number },
  stops: () => boolean,
): { frames: NaiveFrame[]; fault: FrameFault | undefined; taken: number } => {
  const parser = new FrameParser(limits)
  const frames: NaiveFrame[] = []
  let isConnected = false
  let isStopped = false
  const onFrame = (frame: Frame): boolean => {
    frames.push(copyOf(frame))
    if (frame.command === 'CONNECT' && !isConnected) {
      isConnected = true
      parser.version = agreed.version
      parser.bodyBytesMax = agreed.bodyBytesMax
    }
    isStopped = stops()
    return !isStopped
  }
  let taken = 0
  for (const chunk of chunks) {
    taken += chunk.length
    const lent = Buffer.from(chunk)
    let fault = parser.push(lent, onFrame)
    lent.fill(0x21)
    while (isStopped && fault === undefined) {
      isStopped = false
      fault = parser.resume(onFrame)
    }
    if (fault !== undefined) return { frames, fault, taken }
  }
  assert.equal(parser.consumedBytes, taken)
  return { frames, fault: undefined, taken }
}

const assertLikeTwin = (
  random: Random,
  stream: Buffer,
  limits: FrameLimits,
  version: Version,
  run: string,
): NaiveStream => {
  const agreed = { version, bodyBytesMax: limits.bodyBytesMax + 1 }
  const expected = naiveFrames(stream, limits, agreed)
  const stopping = random.chance(0.2)
  const cuts: [name: string, chunks: Iterable<Buffer>][] = [
    ['whole', [stream]],
    ['byte by byte', bytesOf(stream)],
    ['cut at random', cut(random, stream)],
  ]
  const where = (name: string): string =>
    `seed ${SEED}, ${run}, ${name}, ${version}: ${JSON.stringify(stream.toString('latin1'))}`
  for (const [name, chunks] of cuts) {
    const { frames, fault, taken } = parseLive(chunks, limits, agreed, () => stopping && random.chance(0.3))
    assert.deepEqual(frames, expected.frames, where(name))
    assert.deepEqual(
      fault && { fault: fault.fault, limit: fault.limit, receipt: fault.receipt },
      expected.fault && { fault: expected.fault.fault, limit: expected.fault.limit, receipt: expected.fault.receipt },
      where(name),
    )
    if (name === 'byte by byte' && expected.fault !== undefined) assert.equal(taken, expected.fault.at, where(name))
  }
  return expected
}

test('random streams, valid and mutated, parse as the naive twin parses them however they are split', () => {
  const random = new Random(SEED)
  let frames = 0
  let intact = 0
  const faults = new Map<string, number>()
  for (let run = 0; run < 12_000; run++) {
    const version = random.pick(VERSIONS)
    const connect = random.chance(0.7) ? Buffer.from(random.pick(['CONNECT\n\n\0', 'STOMP\r\na:\\x\r\n\r\n\0\n'])) : ''
    const stream = Buffer.concat([Buffer.from(connect), randomStream(random, connect === '' ? '1.2' : version)])
    const parsed = assertLikeTwin(random, stream, TIGHT, version, `run ${run}`)
    frames += parsed.frames.length
    if (parsed.fault === undefined) intact++
    else {
      const kind = parsed.fault.limit ?? 'syntax'
      faults.set(kind, (faults.get(kind) ?? 0) + 1)
    }
  }
  // The generator must reach everything, else the comparison says little.
  assert(frames > 20_000 && intact > 2_000, `seed ${SEED}: ${frames} frames, ${intact} streams without a fault`)
  for (const kind of ['syntax', ...Object.keys(TIGHT)]) {
    assert((faults.get(kind) ?? 0) > 50, `seed ${SEED}: ${kind} only ${faults.get(kind)} times`)
  }
})

test('large bodies at random come out as they went in', () => {
  const random = new Random(SEED)
  const limits = { ...LIMITS, bodyBytesMax: 1024 * 1024 }
  const bodies = [0, 1, 511, 4096, 65_536, 1_000_000, 1024 * 1024, 17, 300_000].map((size) => {
    const body = Buffer.alloc(size)
    for (let at = 0; at < size; at += 3) body[at] = random.int(0, 255)
    return body
  })
  const stream = Buffer.concat(
    bodies.flatMap((body) => [Buffer.from(`SEND\ncontent-length:${body.length}\n\n`), body, Buffer.from('\0\n')]),
  )
  for (const most of [100, 1_460, 65_536, 10_000_000]) {
    const chunks: Buffer[] = []
    for (let at = 0; at < stream.length; ) {
      const to = at + random.int(1, most)
      chunks.push(stream.subarray(at, to))
      at = to
    }
    const { frames, fault } = parse(chunks, { limits })
    assert.equal(fault, undefined)
    assert.equal(frames.length, bodies.length)
    for (const [n, body] of bodies.entries()) {
      assert(body.equals(frames[n]!.body), `seed ${SEED}: body ${n} of ${body.length} bytes, chunks up to ${most}`)
    }
  }
})
