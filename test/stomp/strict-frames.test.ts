// The strict reader that the live tests look through: what it lets pass, and that it refuses everything else. A reader
// that saw no fault would make every test behind it worthless.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientFrame, IllFormed, type ServerFrame, StrictReader, type Version, VERSIONS } from './strict-frames.ts'

const CONNECTED = (version: Version): string =>
  `CONNECTED\nversion:${version}\nsession:s-1\nserver:oddswire/0.1.0\nheart-beat:1000,1000\n\n\0\n`

const MESSAGE =
  'MESSAGE\ndestination:/topic/odds.football.b.1\nmessage-id:e-1\nsubscription:a\ncontent-type:application/json\n'

const WELL_FORMED: readonly (readonly [what: string, text: string])[] = [
  ['a MESSAGE', `${MESSAGE}content-length:2\n\n{}\0\n`],
  ['heart-beats between frames', `\n\n${MESSAGE}content-length:2\n\n{}\0\n\n\nRECEIPT\nreceipt-id:r\n\n\0\n`],
  ['an ERROR', 'ERROR\nmessage:not_found\ncontent-type:text/plain;charset=utf-8\ncontent-length:1\n\nx\0\n'],
  [
    'NUL inside a counted body',
    'ERROR\nmessage:m\ncontent-type:text/plain;charset=utf-8\ncontent-length:3\n\na\0b\0\n',
  ],
]

const ILL_FORMED: readonly (readonly [what: string, text: string])[] = [
  ['a frame without its LF', 'RECEIPT\nreceipt-id:r\n\n\0RECEIPT\nreceipt-id:s\n\n\0\n'],
  ['CR', 'RECEIPT\r\nreceipt-id:r\r\n\r\n\0\nx\n\n\0\n'],
  ['an unknown command', 'RECEIVED\nreceipt-id:r\n\n\0\n'],
  ['a header without a colon', 'RECEIPT\nreceipt-id\n\n\0\n'],
  ['a header without a name', 'RECEIPT\nreceipt-id:r\n:x\n\n\0\n'],
  ['a header twice', 'RECEIPT\nreceipt-id:r\nreceipt-id:r\n\n\0\n'],
  ['RECEIPT without receipt-id', 'RECEIPT\nid:r\n\n\0\n'],
  ['RECEIPT with a body', 'RECEIPT\nreceipt-id:r\n\nx\0\n'],
  ['a content-length that is too small', `${MESSAGE}content-length:1\n\n{}\0\n`],
  ['a MESSAGE without content-length', `${MESSAGE}\n{}\0\n`],
  ['a body that is not JSON', `${MESSAGE}content-length:2\n\n{]\0\n`],
  ['an id of other characters', `${MESSAGE.replace('e-1', 'e 1')}content-length:2\n\n{}\0\n`],
  ['a long line', `RECEIPT\nreceipt-id:${'r'.repeat(1_100)}\n\n\0\n`],
  ['too many headers', `RECEIPT\nreceipt-id:r\n${Array.from({ length: 64 }, (_, n) => `h${n}:\n`).join('')}\n\0\n`],
  ['NUL inside the headers', 'RECEIPT\nreceipt-id:\0\n\n\0\n'],
  ['the content-type that crashes stompit', 'ERROR\nmessage:m\ncontent-type:text/plain\ncontent-length:1\n\nx\0\n'],
]

const SINCE_11: readonly (readonly [what: string, text: string])[] = [
  ['an unescaped colon', 'RECEIPT\nreceipt-id:a:b\n\n\0\n'],
  ['an undefined escape', 'RECEIPT\nreceipt-id:a\\tb\n\n\0\n'],
  ['half an escape', 'RECEIPT\nreceipt-id:a\\\n\n\0\n'],
]

const read = (text: string, version: Version, size: number): ServerFrame[] => {
  const reader = new StrictReader()
  const frames: ServerFrame[] = []
  const bytes = Buffer.from(CONNECTED(version) + text)
  for (let from = 0; from < bytes.length; from += size) {
    reader.pushBytes(bytes.subarray(from, from + size), (frame) => frames.push(frame))
  }
  return frames
}

for (const version of VERSIONS) {
  for (const size of [1, 10_000]) {
    const at = `in ${version}, ${size === 1 ? 'byte by byte' : 'whole'}`

    test(`the strict reader accepts what is well-formed ${at}`, () => {
      for (const [what, text] of WELL_FORMED) assert(read(text, version, size).length > 1, what)
    })

    test(`the strict reader refuses what is ill-formed ${at}`, () => {
      for (const [what, text] of version === '1.0' ? ILL_FORMED : [...ILL_FORMED, ...SINCE_11]) {
        assert.throws(() => read(text, version, size), IllFormed, what)
      }
    })
  }
}

test('the strict reader decodes what each version escapes', () => {
  const receipt = (version: Version, text: string): string | undefined =>
    read(`RECEIPT\nreceipt-id:${text}\n\n\0\n`, version, 1).at(-1)?.headers.get('receipt-id')
  assert.equal(receipt('1.0', ' a\\nb '), 'a\\nb')
  assert.equal(receipt('1.1', 'a\\nb\\cc\\\\d'), 'a\nb:c\\d')
  assert.equal(receipt('1.2', 'a\\nb\\cc\\\\d\\re'), 'a\nb:c\\d\re')
  assert.throws(() => receipt('1.1', '\\r'), IllFormed)
  assert.equal(clientFrame('SEND', { a: 'b:\r\n\\' }, '1.2').toString(), 'SEND\na:b\\c\\r\\n\\\\\n\n\0')
})

test('one WebSocket message holds one frame, and is text unless the body is binary', () => {
  const push = (text: string, isBinary = false): void =>
    new StrictReader().pushMessage(Buffer.from(text), isBinary, () => {})
  const receipt = 'RECEIPT\nreceipt-id:r\n\n\0'
  push(receipt)
  push('\n')
  for (const text of [`${receipt}\n`, receipt + receipt, receipt.slice(0, -1), '\n\n', `\n${receipt}`, '']) {
    assert.throws(() => push(text), IllFormed, JSON.stringify(text))
  }
  assert.throws(() => push(receipt, true), IllFormed)
})
