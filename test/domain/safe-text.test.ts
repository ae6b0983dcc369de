import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textPieces, visibleText } from '../../src/domain/safe-text.ts'

const HIDDEN = [
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  ...[0x2066, 0x2067, 0x2068, 0x2069],
  ...[0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2060, 0xfeff, 0x00ad, 0x061c, 0x0000, 0x000a, 0x009f, 0xe0041],
]

test('characters that turn the direction, have no width or no form are shown as marks', () => {
  for (const code of HIDDEN) {
    const text = `Red${String.fromCodePoint(code)}s`
    const mark = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
    assert.deepEqual(textPieces(text), [
      { text: 'Red', isMark: false },
      { text: mark, isMark: true },
      { text: 's', isMark: false },
    ])
    assert.equal(visibleText(text), `Red[${mark}]s`)
  }
})

test('names in any script stay as they are', () => {
  for (const name of ['Vizbulīte', 'Ümraniyespor', 'Академик', 'מכבי חיפה', '鹿島', 'a b-c’d', '👍']) {
    assert.deepEqual(textPieces(name), [{ text: name, isMark: false }])
  }
  assert.deepEqual(textPieces(''), [])
})

test('nothing of a text is left out', () => {
  assert.equal(visibleText('\u202eabc\u202c\u202d'), '[U+202E]abc[U+202C][U+202D]')
})
