import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isShortForm,
  isSimilar,
  lettersOf,
  mayBeShortForm,
  mayBeSimilar,
  similarityOf,
} from '../../src/identity/similarity.ts'
import { Random, SEED } from '../random.ts'

test('the ratio counts matching characters of both', () => {
  // 4 of "abcd" match, of 8 and of 9 characters.
  assert.equal(similarityOf('abcd', 'abcd'), 1)
  assert.equal(similarityOf('abcd', 'abxcd'), 8 / 9)
  assert.equal(similarityOf('abcd', 'wxyz'), 0)
  // "austr" and "ia": the longest run first, then what is right of it.
  assert.equal(similarityOf('austria', 'australia'), 14 / 16)
})

test('0.88 makes two spellings one name', () => {
  assert.ok(isSimilar('dynamo kyiv', 'dinamo kyiv'))
  assert.ok(!isSimilar('austria', 'australia'))
  assert.ok(!isSimilar('x'.repeat(65), `${'x'.repeat(64)}y`), 'too long to be compared')
})

test('which comes first makes no difference, and the quick bound refuses nothing that is similar', () => {
  const random = new Random(SEED)
  const letters = ['a', 'b', 'c', ' ']
  const word = (): string => Array.from({ length: random.int(1, 14) }, () => random.pick(letters)).join('')
  let similar = 0
  for (let round = 0; round < 20_000; round++) {
    const a = word()
    const b = random.chance(0.5) ? `${a.slice(0, random.int(0, a.length))}${word().slice(0, 2)}` : word()
    assert.equal(similarityOf(a, b), similarityOf(b, a), `seed ${SEED}: ${a}, ${b}`)
    assert.equal(isSimilar(a, b), similarityOf(a, b) >= 0.88, `seed ${SEED}: ${a}, ${b}`)
    if (!isSimilar(a, b)) continue
    assert.ok(mayBeSimilar(lettersOf(a), a.length, lettersOf(b), b.length), `seed ${SEED}: ${a}, ${b}`)
    similar++
  }
  assert.ok(similar > 100, `seed ${SEED}: only ${similar} similar pairs`)
})

const SHORT_FORMS: readonly [short: string, long: string, is: boolean][] = [
  ['man united', 'manchester united', true],
  ['newcastle', 'newcastle united', true],
  ['real', 'real sociedad', true],
  ['bristol rov', 'bristol rovers', true],
  ['bristol rov', 'bristol city', false],
  ['ne', 'newcastle', false],
  ['a b', 'alpha beta', false],
  ['city manchester', 'manchester city', false],
  ['paris sg', 'paris st germain', false],
]

for (const [short, long, is] of SHORT_FORMS) {
  test(`${short} is ${is ? '' : 'not '}short for ${long}`, () => {
    assert.equal(isShortForm(short.split(' '), long.split(' ')), is)
    assert.equal(isShortForm(long.split(' '), short.split(' ')), is)
  })
}

test('what the first letters rule out is no short form', () => {
  const random = new Random(SEED)
  const words = 'man manchester m united u utd newcastle new bristol r rovers north'.split(' ')
  const name = (): string[] => Array.from({ length: random.int(1, 3) }, () => random.pick(words))
  const initialsOf = (name: readonly string[]): number => lettersOf(name.map((word) => word.slice(0, 1)).join(''))
  let short = 0
  for (let round = 0; round < 20_000; round++) {
    const [a, b] = [name(), name()]
    if (!isShortForm(a, b)) continue
    assert.ok(mayBeShortForm(initialsOf(a), initialsOf(b)), `seed ${SEED}: ${a.join(' ')}, ${b.join(' ')}`)
    short++
  }
  assert.ok(short > 100, `seed ${SEED}: only ${short} short forms`)
})
