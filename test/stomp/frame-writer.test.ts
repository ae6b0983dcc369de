// The frame writer: exact bytes, and that the parser restores headers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Version } from '../../src/stomp/frame-headers.ts'
import { FrameParser } from '../../src/stomp/frame-parser.ts'
import { escapeHeader, frameBytes, withoutTail } from '../../src/stomp/frame-writer.ts'
import { Random, SEED } from '../random.ts'

const LIMITS = {
  commandBytesMax: 32,
  headerLineBytesMax: 8192,
  headersMax: 64,
  headersBytesMax: 64 * 1024,
  bodyBytesMax: 64 * 1024,
}

test('a frame is command, headers in order, blank line, NUL and LF', () => {
  assert.equal(frameBytes('RECEIPT', [['receipt-id', '77']], '1.2').toString(), 'RECEIPT\nreceipt-id:77\n\n\0\n')
  assert.equal(
    frameBytes(
      'CONNECTED',
      [
        ['version', '1.2'],
        ['heart-beat', '1000,1000'],
      ],
      '1.2',
    ).toString(),
    'CONNECTED\nversion:1.2\nheart-beat:1000,1000\n\n\0\n',
  )
  assert.equal(frameBytes('RECEIPT', [], '1.0').toString(), 'RECEIPT\n\n\0\n')
})

test('a body has its content-length in octets', () => {
  assert.equal(
    frameBytes('ERROR', [['message', 'no']], '1.2', 'é\0漢').toString(),
    'ERROR\nmessage:no\ncontent-length:6\n\né\0漢\0\n',
  )
  assert.equal(frameBytes('ERROR', [], '1.2', '').toString(), 'ERROR\ncontent-length:0\n\n\0\n')
})

test('withoutTail removes the LF, and copies nothing', () => {
  const frame = frameBytes('RECEIPT', [['receipt-id', '1']], '1.2')
  assert.equal(withoutTail(frame).toString(), 'RECEIPT\nreceipt-id:1\n\n\0')
  assert.equal(withoutTail(frame).buffer, frame.buffer)
})

test('headers are escaped by the rules of the version', () => {
  const text = 'a:b\\c\nd\re\0f é'
  assert.equal(escapeHeader(text, '1.2'), 'a\\cb\\\\c\\nd\\re f é')
  assert.equal(escapeHeader(text, '1.1'), 'a\\cb\\\\c\\nd\re f é')
  assert.equal(escapeHeader(text, '1.0'), 'a:b\\c d e f é')
  assert.equal(escapeHeader('', '1.2'), '')
})

test('CONNECTED is never escaped, and no value can add a header to it', () => {
  assert.equal(
    frameBytes('CONNECTED', [['session', 'a:b\\c\nx:y\r\0']], '1.2').toString(),
    'CONNECTED\nsession:a:b\\c x:y  \n\n\0\n',
  )
})

test('the parser restores random headers and bodies', () => {
  const random = new Random(SEED)
  const characters = ['a', 'Z', '0', ':', '\\', '\n', '\r', ' ', '\t', 'é', '漢', '🏆', 'c', 'n', 'r', '\u2028']
  const texts = (lengthMin: number, safe: boolean): string =>
    Array.from({ length: random.int(lengthMin, 8) }, () => random.pick(characters))
      .filter((character) => !safe || !'\n\r'.includes(character))
      .join('')
  for (let run = 0; run < 20_000; run++) {
    const version: Version = random.pick(['1.0', '1.1', '1.2'])
    const isPlain = version === '1.0'
    const headers = Array.from({ length: random.int(0, 4) }, (_, n): [string, string] => {
      const name = `${n}${texts(0, isPlain)}`
      const value = texts(0, isPlain)
      return isPlain ? [name.replaceAll(':', ''), value.replace(/^[ \t]+|[ \t]+$/g, '')] : [name, value]
    })
    const body = random.chance(0.5) ? texts(0, false) + random.pick(['', '\0', '\0x']) : undefined
    const stream = frameBytes('SEND', headers, version, body)
    const parser = new FrameParser(LIMITS)
    parser.version = version
    let got: unknown
    const fault = parser.push(stream, (frame) => {
      const found = frame.headers.toMap()
      found.delete('content-length')
      got = { headers: found, body: frame.body.toString() }
    })
    assert.equal(fault, undefined, `seed ${SEED}, run ${run}: ${JSON.stringify(stream.toString())}`)
    assert.deepEqual(got, { headers: new Map(headers), body: body ?? '' }, `seed ${SEED}, run ${run}, ${version}`)
  }
})

test('whatever text a header is given, the frame stays one frame with one header', () => {
  const random = new Random(SEED)
  const hostile = ['\n', '\r', '\0', ':', '\\', '\n\n', '\0\n', 'SEND\n', 'a', '\ud800']
  for (let run = 0; run < 5_000; run++) {
    const version: Version = random.pick(['1.0', '1.1', '1.2'])
    const text = Array.from({ length: random.int(0, 6) }, () => random.pick(hostile)).join('')
    const parser = new FrameParser(LIMITS)
    parser.version = version
    const names: string[][] = []
    // RECEIPT has no body for the parser either, so a broken frame cannot pass for a whole one.
    const fault = parser.push(frameBytes('RECEIPT', [['receipt-id', text]], version), ({ headers }) => {
      names.push([...headers.toMap().keys()])
    })
    assert.equal(fault, undefined, `seed ${SEED}, run ${run}, ${version}: ${JSON.stringify(text)}`)
    assert.deepEqual(names, [['receipt-id']], `seed ${SEED}, run ${run}, ${version}: ${JSON.stringify(text)}`)
  }
})
