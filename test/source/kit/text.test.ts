// What a text of a payload may be.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalOf, isCleanText, shown } from '../../../src/source/kit/text.ts'

test('a clean text breaks no line, no header and no UTF-8', () => {
  for (const text of ['', 'Malmö FF', '日本', '🏀'.repeat(3)]) assert.ok(isCleanText(text, 10), text)
  for (const text of ['a\nb', 'a\u0000', '\u007f', 'a\u2028b', '\ud83c', 'a'.repeat(11)]) {
    assert.ok(!isCleanText(text, 10), JSON.stringify(text))
  }
})

test('a value is shown quoted, cut, and on one line', () => {
  assert.equal(shown('a "b"\n'), '"a \\"b\\"\\n"')
  assert.equal(shown('\u2028'), '"\\u2028"')
  assert.equal(shown('x'.repeat(61)), `"${'x'.repeat(60)}…"`)
})

test('a decimal is a finite number in digits; an empty text is none, all else is a fault', () => {
  for (const [text, number] of Object.entries({ '1.95': 1.95, '-0.5': -0.5, '1e3': 1000, '': null })) {
    assert.equal(decimalOf(text), number, text)
  }
  for (const text of [' 1', '1.', '.5', '+1', '0x10', '1e999', 'NaN', 'Infinity', '1,5', '١']) {
    assert.equal(decimalOf(text), undefined, text)
  }
})
