import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nationAliases, sportAliases } from '../../src/identity/aliases.ts'
import { NameReader } from '../../src/identity/names.ts'
import { folded } from '../../src/identity/words.ts'
import { SPORTS } from '../../src/domain/sport.ts'
import { slugOf } from '../../src/domain/slug.ts'
import { HOLD_OUTS, pairsOf } from './hold-out.ts'

/** By sport, those of nations included. */
const ALIASES = new Map(SPORTS.map((sport) => [sport, [...nationAliases(), ...sportAliases(sport)]]))

test('no spelling means two sides, and none is an alias of an alias', () => {
  for (const [sport, rows] of ALIASES) {
    const table = new Map<string, string>()
    for (const [name, means] of rows) {
      assert.ok(name !== '' && means !== '', `${sport}: ${name} = ${means}`)
      assert.equal(table.get(name) ?? means, means, `${sport}: ${name}`)
      table.set(name, means)
    }
    for (const [name, means] of table) assert.ok(means === name || !table.has(means), `${sport}: ${name} = ${means}`)
  }
})

test('nor does one in whatever way its words are spelt', () => {
  for (const [sport, rows] of ALIASES) {
    const table = new Map<string, string>()
    for (const [name, means] of rows) {
      assert.equal(table.get(folded(name)) ?? folded(means), folded(means), `${sport}: ${name}`)
      table.set(folded(name), folded(means))
    }
  }
})

test('every row makes the spelling the same name as what it means', () => {
  const reader = new NameReader()
  let rows = 0
  for (const [sport, pairs] of ALIASES) {
    for (const [name, means] of pairs) {
      rows++
      assert.equal(
        reader.nameOf(name, sport)?.sorted,
        reader.nameOf(means, sport)?.sorted,
        `${sport}: ${name} = ${means}`,
      )
    }
  }
  assert.ok(rows > 1_000, `${rows} rows`)
})

test('the hold-outs are large, and most of each does not stand in the table', () => {
  for (const [list, { official, shortened, others }] of HOLD_OUTS) {
    const spellings = [...pairsOf(official), ...pairsOf(shortened)]
    // None of it was written from the other; what both have, they have because both know how books spell.
    const isInTable = ({ sport, spelling }: (typeof spellings)[number]): boolean => {
      const slug = slugOf(spelling)
      return ALIASES.get(sport)!.some(([name]) => name === slug)
    }
    const unlisted = spellings.filter((each) => !isInTable(each))
    assert.ok(unlisted.length >= 150, `${list}: ${unlisted.length} of ${spellings.length}`)
    assert.ok(pairsOf(others).length >= 200, list)
  }
})
