import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonWriter } from '../src/json-writer.ts'
import { Random, SEED } from './random.ts'

const written = (write: (writer: JsonWriter) => void): string => {
  const writer = new JsonWriter(4)
  write(writer)
  return writer.detach().toString()
}

test('numbers are the shortest decimal that gives the same double', () => {
  const random = new Random(SEED)
  const floats = new Float64Array(1)
  const words = new Uint32Array(floats.buffer)
  const cases = [0, 1, 1.01, 1.1, 1.005, 2.5151515152, 1000, 999_999.999, 1e21, 1e-7, 0.1 + 0.2, 1.15, 1_000_000, -1.5]
  cases.push(1e-6, 2e-6, 1.5e-6, 1.000001, 999_999_999.999999, 1e9 + 0.5, 123_456_789.000001, 1.0001, 1.00001)
  for (let n = 0; n < 20_000; n++) {
    cases.push(random.int(1, 100_000) / random.pick([1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 3, 7]))
    cases.push(random.int(1, 2 ** 31) / random.pick([1, 1e4, 1e6]))
    // The doubles next to a short decimal are other numbers.
    floats[0] = random.int(1000, 99_999) / 1000
    words[0]! += random.int(-1, 1)
    cases.push(floats[0]!)
    floats[0] = random.int(1000, 99_999_999) / 1e6
    words[0]! += random.int(-1, 1)
    cases.push(floats[0]!)
  }
  for (const value of cases) {
    assert.equal(
      written((writer) => writer.number(value)),
      JSON.stringify(value),
      `seed ${SEED}: ${value}`,
    )
  }
  assert.equal(
    written((writer) => writer.number(-0)),
    '0',
  )
})

test('whole numbers have all of their digits', () => {
  const random = new Random(SEED)
  const cases = [0, 9, 10, 99, 100, 999, 1000, 999_999, 1e6, 1e6 + 1, 999_999_999, 1e9, 1e9 + 7, 2 ** 31, 2 ** 53 - 1]
  for (let n = 0; n < 5000; n++) cases.push(Math.floor(random.int(0, 2 ** 31) * 10 ** random.int(-9, 6)))
  for (const value of cases) {
    assert.equal(
      written((writer) => writer.integer(value)),
      String(value),
      `seed ${SEED}`,
    )
  }
})

test('a number between two pieces is what the three of them are, and the last comma is taken back', () => {
  const random = new Random(SEED)
  const pieceOf = (end: string): string => `${'abc"'.repeat(random.int(0, 20))}${end}`
  for (let run = 0; run < 200; run++) {
    const writer = new JsonWriter(random.int(1, 200))
    let expected = ''
    for (let count = random.int(1, 20); count > 0; count--) {
      const before = pieceOf(':')
      const after = pieceOf(',')
      const value = random.pick([
        random.int(1, 99_999) / random.pick([1, 10, 100, 1000]),
        random.int(1, 2 ** 31) / 1000,
        random.int(1, 2 ** 31) * 1000,
        random.int(1, 99_999_999) / 1e6,
        -random.int(1, 99_999) / 1000,
        random.int(0, 3) / 7,
        0,
      ])
      writer.around(Buffer.from(before), value, Buffer.from(after))
      expected += `${before}${JSON.stringify(value)}${after}`
    }
    writer.dropComma()
    writer.dropComma()
    assert.equal(writer.view().toString(), expected.slice(0, -1), `seed ${SEED}, run ${run}`)
  }
})

test('times are RFC 3339 in UTC with milliseconds', () => {
  const random = new Random(SEED)
  for (let n = 0; n < 5_000; n++) {
    const epochMs = random.int(0, 4_102_444_800_000)
    assert.equal(
      written((writer) => writer.time(epochMs)),
      JSON.stringify(new Date(epochMs)),
      `seed ${SEED}`,
    )
  }
})

test('texts are JSON strings in UTF-8, and the buffer grows', () => {
  const text = 'a "quoted" \\ line\n é 漢 🏆 \u2028 \u0000'
  assert.equal(JSON.parse(written((writer) => writer.string(text))), text)
  const long = 'x'.repeat(100_000)
  assert.equal(
    written((writer) => writer.raw(Buffer.from(long))),
    long,
  )
})

test('what is begun from other bytes, kept, written and repeated is what splicing texts gives', () => {
  const random = new Random(SEED)
  const writer = new JsonWriter(4)
  for (let n = 0; n < 2_000; n++) {
    const text = Array.from({ length: random.int(0, 400) }, () => random.pick(['a', '{', ',', '7'])).join('')
    const edits = random.int(0, 12)
    writer.begin(Buffer.from(text), edits * 24)
    let expected = ''
    let from = 0
    for (let edit = 0; edit < edits && from < text.length; edit++) {
      const start = random.int(from, text.length)
      writer.keep(from, start)
      expected += text.slice(from, start)
      from = Math.min(text.length, start + random.int(0, 9))
      const before = random.int(0, expected.length)
      const after = Math.min(expected.length, before + random.int(0, from - start))
      if (random.int(0, 1) === 0) {
        const odds = random.int(1, 99_999) / 1_000
        writer.number(odds)
        expected += JSON.stringify(odds)
      } else {
        writer.repeat(before, after)
        expected += expected.slice(before, after)
      }
    }
    writer.keep(from, text.length)
    assert.equal(writer.view().toString(), expected + text.slice(from), `seed ${SEED}`)
  }
})
