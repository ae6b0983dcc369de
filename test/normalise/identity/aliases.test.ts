import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALIASES } from '../../../src/normalise/identity/aliases.ts'
import { NameReader } from '../../../src/normalise/identity/names.ts'
import { slugOf } from '../../../src/normalise/slug.ts'
import { HOLD_OUT, pairsOf } from './hold-out.ts'

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

test('the hold-out is large, and most of it does not stand in the table', () => {
  const spellings = [...pairsOf(HOLD_OUT.official), ...pairsOf(HOLD_OUT.shortened)]
  assert.ok(spellings.length >= 150)
  assert.ok(pairsOf(HOLD_OUT.others).length >= 200)
  // None of it was written from the other; what both have, they have because both know how books spell.
  const isInTable = ({ sport, spelling }: (typeof spellings)[number]): boolean => {
    const slug = slugOf(spelling)
    return ALIASES.get(sport)!.some(([name]) => name === slug)
  }
  assert.ok(spellings.filter((each) => !isInTable(each)).length >= 150)
})
